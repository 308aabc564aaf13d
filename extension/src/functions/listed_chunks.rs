//! `listed_chunks`: those of some chunks that pass a filter, as a list of hits shows them.

use crate::server::error::Error;
use crate::server::spi;
use crate::server::types::{Json, Name, RawText, TextArray, from_sql, to_sql};
use crate::store::{FilterArguments, Store};
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn listed_chunks(
    chunk_ids: Option<Vec<Option<Uuid>>>,
    collection: Option<String>,
    filter: Option<Json>,
    store: Option<Name>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, Uuid),
            name!(document_id, Uuid),
            name!(uri, Option<String>),
            name!(title, Option<String>),
            name!(section, TextArray),
            name!(tokens, Option<i32>),
            name!(content, RawText),
            name!(source_id, Option<RawText>),
        ),
    >,
    ErrorReport,
> {
    // There is no embedding to compare with.
    let mut filters =
        FilterArguments { collection, uri: None, filter }.parse(&["min_similarity"])?;
    let store = Store::resolve(store)?;
    let ids: Vec<_> = chunk_ids.into_iter().flatten().flatten().map(from_sql).collect();
    let rows = spi::connect(|connection| -> Result<Vec<_>, Error> {
        filters.find_latest(&store, connection);
        let admitted: Vec<_> =
            store.admitted(connection, &ids, &filters, None).into_iter().collect();
        if admitted.is_empty() && !ids.is_empty() {
            store.explain_nothing(connection, &filters, None, true);
        }
        let rows = store.list_chunks(connection, &admitted).into_iter().map(|(id, listed)| {
            (
                to_sql(id),
                to_sql(listed.document),
                listed.uri,
                listed.title,
                listed.section,
                listed.tokens,
                listed.content,
                listed.source_id,
            )
        });
        Ok(rows.collect())
    })?;
    Ok(TableIterator::new(rows))
}
