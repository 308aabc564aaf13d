//! `assemble`: the text of given chunks of a document.

use crate::spi;
use crate::store::Store;
use crate::types::{Name, from_sql};
use passage_core::MediaType;
use passage_core::assemble::{Separator, assemble as join};
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

/// Returns the separator between chunks of a document that do not touch (decision 5).
pub fn separator_of<'a>(media_type: &MediaType, given: Option<&'a str>) -> Separator<'a> {
    given.map_or_else(|| media_type.family().separator(), Separator::Text)
}
