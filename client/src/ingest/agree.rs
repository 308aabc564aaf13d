//! What a run and its store agree on before anything is written, and what a run has by default.

use crate::Error;
use crate::embed::Embedder;
use crate::split::Splitter;
use crate::store::{Settings, Store};
use passage_core::SPLITTER_VERSION;
use std::num::NonZero;
use std::thread;

/// Makes sure that what is to be written belongs into the store, which remembers it unless nothing is
/// to be written; tells whether the store has a place for embeddings.
pub(super) async fn agree(
    store: &Store,
    embedder: Option<&Embedder>,
    splitter: &Splitter,
    dry_run: bool,
) -> Result<bool, Error> {
    let model = embedder.map(|embedder| (embedder.name().to_owned(), embedder.dimensions()));
    if !dry_run {
        let sizer = splitter.unit().name();
        let settings = Settings { model, sizer, splitter_version: SPLITTER_VERSION };
        return Ok(store.record_settings(&settings).await?);
    }
    if let Some(model) = &model {
        store.check_model(model).await?;
        return Ok(true);
    }
    Ok(store.has_embeddings().await?)
}

/// Returns how many documents are split at a time: as many as are asked for, or one on each core.
pub(super) fn jobs(asked: Option<NonZero<usize>>) -> usize {
    asked.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}
