//! `likeness`: the words and the embedding that `similar` searches by.

use crate::server::spi;
use crate::server::types::{Name, UuidArray, from_sql};
use crate::store::{Original, Store};
use pgrx::datum::Uuid;
use pgrx::iter::TableIterator;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{name, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "_passage")]
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
fn likeness(
    chunk_id: Option<Uuid>,
    document_id: Option<Uuid>,
    store: Option<Name>,
) -> Result<
    TableIterator<
        'static,
        (name!(words, String), name!(embedding, Option<Vec<f32>>), name!(chunk_ids, UuidArray)),
    >,
    ErrorReport,
> {
    let store = Store::resolve(store)?;
    let chunk = chunk_id.map(|id| Original::Chunk(from_sql(id)));
    let Some(original) = chunk.or(document_id.map(|id| Original::Document(from_sql(id)))) else {
        return Ok(TableIterator::new(Vec::new()));
    };
    let likeness = spi::connect(|connection| store.likeness(connection, original));
    let ids = likeness.chunks.into_iter().collect();
    Ok(TableIterator::new(vec![(likeness.words, likeness.embedding, ids)]))
}
