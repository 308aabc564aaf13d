//! `assemble`: the text of given chunks of a document.

use crate::expansion::separator_of;
use crate::server::spi;
use crate::server::types::{Name, from_sql};
use crate::store::Store;
use passage_core::assemble::assemble as join;
use pgrx::datum::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{default, pg_extern};

#[pg_extern(stable, parallel_restricted, schema = "passage")]
fn assemble(
    document_id: Option<Uuid>,
    chunk_ids: Option<Vec<Option<Uuid>>>,
    separator: default!(Option<String>, "NULL"),
    store: default!(Option<Name>, "NULL"),
) -> Result<Option<String>, ErrorReport> {
    let store = Store::resolve(store)?;
    let ids = chunk_ids.unwrap_or_default().into_iter().flatten();
    let mut ids: Vec<_> = ids.map(from_sql).collect();
    ids.sort_unstable();
    ids.dedup();
    let Some(document_id) = document_id.filter(|_| !ids.is_empty()) else { return Ok(None) };
    Ok(spi::connect(|connection| {
        let (media_type, parts) = store.parts(connection, from_sql(document_id), &ids);
        if parts.is_empty() {
            return None;
        }
        Some(join(&parts, separator_of(&media_type, separator.as_deref())).text)
    }))
}
