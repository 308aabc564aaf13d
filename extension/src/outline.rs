//! `outline`: the tree of a document.

use crate::spi;
use crate::store::Store;
use crate::types::{Name, from_sql};
use passage_core::outline::outline as draw;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn outline(
    document_id: default!(Option<Uuid>, "NULL"),
    uri: default!(Option<String>, "NULL"),
    hit_ids: default!(Option<Vec<Option<Uuid>>>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(outline, String),
            name!(section, Vec<String>),
            name!(level, Option<i32>),
            name!(chunks, i64),
            name!(hits, i64),
            name!(tokens, i64),
            name!(first_ordinal, Option<i32>),
            name!(last_ordinal, Option<i32>),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
        ),
    >,
    ErrorReport,
> {
    let store = Store::resolve(store)?;
    if document_id.is_none() && uri.is_none() {
        return Ok(TableIterator::empty());
    }
    let hits = hit_ids.unwrap_or_default().into_iter().flatten().map(from_sql).collect();
    let chunks =
        spi::connect(|connection| store.outline_chunks(connection, document_id, uri, &hits));
    Ok(TableIterator::new(draw(&chunks).into_iter().map(|line| {
        (
            line.outline,
            line.section,
            line.level,
            line.chunks,
            line.hits,
            line.tokens,
            line.first_ordinal,
            line.last_ordinal,
            line.first_line,
            line.last_line,
        )
    })))
}
