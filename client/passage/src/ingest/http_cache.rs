/*!
The HTTP cache: validators of pages, kept in the metadata of their documents.

With the `ETag` or the date of the last answer, a server can report that a page has not changed. The
cache entry also has a hash of the settings of the run. If these change, the page must be fetched
again, because its chunks would differ.
*/

use super::Ingest;
use crate::source::{HttpCache, Validators};
use serde_json::{Value, json};
use tokio::runtime::Handle;

/// The key of the settings hash in a cache entry.
const SETTINGS: &str = "recipe";

/// Returns a lookup of the validators of pages. It uses a connection of its own.
///
/// The lookup returns `None` for a page that was split, embedded or annotated with other settings.
/// It must be called on a thread for blocking work of a tokio runtime.
pub fn http_cache(ingest: &Ingest) -> HttpCache {
    let (ingest, settings) = (ingest.clone(), ingest.settings_hash());
    let mut store = None;
    Box::new(move |uri| {
        // If the lookup fails, the page is fetched. A lost server is reported by the writers.
        Handle::try_current().ok()?.block_on(async {
            if store.is_none() {
                store = ingest.job.connect().await.ok();
            }
            let store = store.as_ref()?;
            let entry =
                store.http_metadata(&ingest.collection, &ingest.version, uri).await.ok()??;
            (entry.get(SETTINGS).and_then(Value::as_str) == Some(&*settings))
                .then(|| serde_json::from_value(entry).ok())?
        })
    })
}

/// Returns the cache entry of a page for the metadata of its document; `None` without validators.
pub(super) fn cache_entry(ingest: &Ingest, validators: &Validators) -> Option<Value> {
    (*validators != Validators::default()).then(|| {
        let mut entry = json!(validators);
        entry[SETTINGS] = ingest.settings_hash().into();
        entry
    })
}
