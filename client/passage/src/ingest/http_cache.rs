/*!
The HTTP cache: validators of pages, kept in the metadata of their documents, and links of pages, in the user's cache folder.

With the `ETag` or the date of the last answer, a server can report that a page has not changed. The
cache entry also has a hash of the settings of the run. If these change, the page must be fetched
again, because its chunks would differ. The links of a page would make its metadata long, and every hit shows these. So
they are on this machine. Another one downloads the page again to follow them.
*/

use super::Ingest;
use crate::cache::Cache;
use crate::source::{self, PageLinks, Validators};
use crate::store::Store;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;

/// The version of the links that are found in pages.
const LINKS_VERSION: u32 = 1;

/// The key of the settings hash in a cache entry.
const SETTINGS: &str = "recipe";

/// Returns the HTTP cache of a run. It uses a connection of its own.
///
/// It returns no validators of a page that was split, embedded or annotated with other settings.
/// It must be called on a thread for blocking work of a tokio runtime.
pub fn http_cache(ingest: &Ingest) -> Box<dyn source::HttpCache> {
    let (ingest, settings) = (ingest.clone(), ingest.settings_hash());
    let links = Cache::of_user("links");
    links.remove_old();
    Box::new(HttpCache { ingest, settings, store: None, links })
}

/// The HTTP cache of a run.
struct HttpCache {
    ingest: Ingest,
    settings: String,
    store: Option<Store>,
    links: Cache,
}

impl HttpCache {
    /// Returns the cache entry of a stored page, empty without validators, or `None` without a document. The lookup may
    /// fail; a lost server is reported by the writers.
    fn entry(&mut self, uri: &str) -> Result<Option<Value>, ()> {
        let Self { ingest, store, .. } = self;
        Handle::try_current().map_err(drop)?.block_on(async {
            if store.is_none() {
                *store = ingest.job.connect().await.ok();
            }
            let store = store.as_ref().ok_or(())?;
            store.http_metadata(&ingest.collection, &ingest.version, uri).await.map_err(drop)
        })
    }
}

impl source::HttpCache for HttpCache {
    fn validators(&mut self, uri: &str) -> Option<Validators> {
        // If the lookup fails, the page is fetched.
        let entry = self.entry(uri).ok()??;
        (entry.get(SETTINGS).and_then(Value::as_str) == Some(&*self.settings))
            .then(|| serde_json::from_value(entry).ok())?
    }

    fn may_be_stored(&mut self, uri: &str) -> bool {
        self.entry(uri).map_or(true, |entry| entry.is_some())
    }

    fn links(&mut self, uri: &str, validators: &Validators) -> Option<PageLinks> {
        self.links.get(&links_key(uri, validators))
    }

    fn set_links(&mut self, uri: &str, validators: &Validators, links: &PageLinks) {
        if *validators != Validators::default() {
            self.links.put(&links_key(uri, validators), links);
        }
    }
}

/// Returns the key of the links of a page with these validators.
fn links_key(uri: &str, validators: &Validators) -> Vec<u8> {
    Sha256::digest(json!([LINKS_VERSION, uri, validators]).to_string()).to_vec()
}

/// Returns the cache entry of a page for the metadata of its document; `None` without validators.
pub(super) fn cache_entry(ingest: &Ingest, validators: &Validators) -> Option<Value> {
    (*validators != Validators::default()).then(|| {
        let mut entry = json!(validators);
        entry[SETTINGS] = ingest.settings_hash().into();
        entry
    })
}
