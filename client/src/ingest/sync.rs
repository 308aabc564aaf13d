/*!
Syncing: ingesting, and taking out what is gone.

Which documents are there is known when all sources have been read; only then are the others among
those that the sources stand for taken for gone. If one source could not be read, none is. What is
gone is marked at first, so that search leaves it out, and removed when it has been gone for a
while; if it comes back, the mark goes.
*/

use super::{Event, Ingest, Summary, ingest};
use crate::Error;
use crate::source::{self, Changes, Foreign, Found, Scopes};
use crate::store::Store;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many documents are looked at, or marked, or removed at a time.
const BATCH: i64 = 1_000;

/// What is synced, and how.
#[derive(Clone, Debug, Default)]
pub struct Sync {
    /// The documents among which those that are not found are gone.
    pub scopes: Scopes,
    /// How long a document stays when its source is gone; zero removes it at once.
    pub grace: Duration,
    /// Where something has changed, if that is known; what is elsewhere is not read again.
    pub changes: Option<Changes>,
}

/// Ingests what sources give, and marks or removes the documents that they do not give any more.
///
/// # Errors
///
/// As for [`ingest`]; nothing is then taken for gone.
pub async fn sync(
    job: Ingest,
    sources: impl IntoIterator<Item = Result<Found, source::Error>, IntoIter: Send + 'static>,
    sync: Sync,
    report: impl Fn(&Event) + Send + std::marker::Sync + 'static,
) -> Result<Summary, Error> {
    let Sync { scopes, grace, changes } = sync;
    let store = Store::connect(&job.url, &job.store).await?;
    // A document that others bring while this goes on is not gone.
    let begun = store.server_time().await?;

    let there = Arc::new(Mutex::new(There::default()));
    let noticed = Arc::clone(&there);
    let sources = sources.into_iter().filter_map(move |found| {
        noticed.lock().unwrap_or_else(PoisonError::into_inner).notice(&found);
        let is_gone = matches!(found, Err(source::Error::Gone { .. }));
        let concerns = changes.as_ref().is_none_or(|changes| changes.concern(&found));
        (concerns && !is_gone).then_some(found)
    });
    let report = Arc::new(report);
    let reporter = Arc::clone(&report);
    let mut summary = ingest(job.clone(), sources, move |event| reporter(event)).await?;
    let mut tell = |event| {
        summary.count(&event);
        report(&event);
    };

    let there = std::mem::take(&mut *there.lock().unwrap_or_else(PoisonError::into_inner));
    if there.is_incomplete {
        tell(Event::Incomplete);
        return Ok(summary);
    }
    let mut last: Option<String> = None;
    loop {
        let documents = store
            .document_states(&job.collection, &job.version, last.as_deref(), grace, &begun, BATCH)
            .await?;
        let Some(end) = documents.last() else { return Ok(summary) };
        last = Some(end.uri.clone());
        let gone = documents.into_iter().filter(|document| {
            document.is_older && scopes.hold(&document.uri) && !there.holds(&document.uri)
        });
        let (removed, kept): (Vec<_>, Vec<_>) =
            gone.partition(|document| document.is_expired || grace.is_zero());
        let orphaned: Vec<_> = kept.into_iter().filter(|document| !document.is_orphan).collect();
        if !job.dry_run {
            let ids = |documents: &[crate::store::DocumentState]| -> Vec<_> {
                documents.iter().map(|document| document.id).collect()
            };
            if !orphaned.is_empty() {
                store.mark_orphaned(&ids(&orphaned), &begun).await?;
            }
            if !removed.is_empty() {
                store.remove_orphans(&ids(&removed), &begun, grace).await?;
            }
        }
        for document in orphaned {
            tell(Event::Orphaned(document.uri));
        }
        for document in removed {
            tell(Event::Removed(document.uri));
        }
    }
}

/// The documents that sources have: a hash of each uri.
#[derive(Default)]
struct There {
    hashes: RandomState,
    uris: HashSet<u64>,
    /// Something could not be listed, so that more may be there.
    is_incomplete: bool,
}

impl There {
    fn notice(&mut self, found: &Result<Found, source::Error>) {
        let uri = match found {
            Ok(Found::Item(item)) => Some(&*item.uri),
            // A page that is now elsewhere is not gone.
            Ok(Found::Foreign(Foreign { page: Some(page), .. })) => Some(&**page),
            Ok(Found::Skipped(_) | Found::Foreign(_)) | Err(source::Error::Gone { .. }) => return,
            Err(error) => error.uri(),
        };
        match uri {
            Some(uri) => {
                self.uris.insert(self.hashes.hash_one(uri));
            }
            None => self.is_incomplete = true,
        }
    }

    fn holds(&self, uri: &str) -> bool {
        self.uris.contains(&self.hashes.hash_one(uri))
    }
}
