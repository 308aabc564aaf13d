//! `fragments`: the whole lines that answer a query.

use crate::fragments::FragmentArguments;
use crate::server::spi;
use crate::server::types::{Json, Name, RawJsonb};
use crate::store::Store;
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "those of the SQL function")]
fn fragments(
    query: default!(Option<String>, "NULL"),
    embedding: default!(Option<Vec<Option<f32>>>, "NULL"),
    uri: default!(Option<String>, "NULL"),
    document_id: default!(Option<Uuid>, "NULL"),
    strategy: default!(Option<String>, "'auto'"),
    collection: default!(Option<String>, "NULL"),
    max_fragments: default!(Option<i32>, "5"),
    max_tokens: default!(Option<i32>, "NULL"),
    fuzzy_threshold: default!(Option<f64>, "0.8"),
    return_full: default!(Option<bool>, "NULL"),
    filter: default!(Option<Json>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(fragment_id, String),
            name!(document_id, Uuid),
            name!(uri, Option<String>),
            name!(title, Option<String>),
            name!(media_type, Option<String>),
            name!(score, f64),
            name!(content, String),
            name!(first_line, Option<i32>),
            name!(last_line, Option<i32>),
            name!(tokens, i32),
            name!(strategy_used, &'static str),
            name!(signals, Json),
            name!(before, Option<String>),
            name!(after, Option<String>),
            name!(related, Json),
            name!(metadata, Option<RawJsonb>),
            name!(source_ids, Option<Vec<Option<String>>>),
        ),
    >,
    ErrorReport,
> {
    let arguments = FragmentArguments {
        query,
        embedding,
        uri,
        document_id,
        strategy,
        collection,
        max_fragments,
        max_tokens,
        fuzzy_threshold,
        return_full,
        filter,
    };
    let query = arguments.parse()?;
    let store = Store::resolve(store)?;
    let rows = spi::connect(|connection| query.answer(&store, connection))?;
    Ok(TableIterator::new(rows))
}
