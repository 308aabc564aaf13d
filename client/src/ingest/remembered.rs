//! What a store remembers of pages, so that their servers can be asked for changes alone.

use super::Ingest;
use super::told::making;
use crate::source::{Remembered, Validators};
use crate::store::Store;
use serde_json::Value;
use std::fmt::Write;
use tokio::runtime::Handle;

/// Looks up what servers told of pages when they were fetched, through a connection of its own.
///
/// A page is forgotten if it was split or embedded in another way than this run would, or told of
/// in another way: it has to be fetched again.
pub fn remembered(ingest: &Ingest) -> Remembered {
    let (ingest, recipe) = (ingest.clone(), recipe(ingest));
    let mut store: Option<Store> = None;
    Box::new(move |uri| {
        // What cannot be looked up is fetched; whether the server is there shows elsewhere.
        Handle::try_current().ok()?.block_on(async {
            if store.is_none() {
                store = Store::connect(&ingest.url, &ingest.store).await.ok();
            }
            let store = store.as_ref()?;
            let http =
                store.http_metadata(&ingest.collection, &ingest.version, uri).await.ok()??;
            (http.get("recipe").and_then(Value::as_str) == Some(&*recipe))
                .then(|| serde_json::from_value::<Validators>(http).ok())?
        })
    })
}

/// Returns a name for all that a run does to documents.
pub(super) fn recipe(ingest: &Ingest) -> String {
    let hash = making(ingest, &ingest.reading, &ingest.metadata).content_hash("", b"");
    hash[..8].iter().fold(String::new(), |mut recipe, byte| {
        write!(recipe, "{byte:02x}").expect("a string takes any text");
        recipe
    })
}
