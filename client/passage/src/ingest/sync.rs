/*!
Sync: ingests documents and removes those whose sources no longer exist.

A document is missing if a source has it in its scope and does not list it. This is
known only after all sources are read. If one source cannot be read, no document is treated as
missing. A missing document is first marked as orphaned, so that search leaves it out. It is removed
after the grace period. If its source exists again before that, the mark is removed.
*/

use super::{Event, Ingest, Summary, ingest};
use crate::Error;
use crate::source::{self, Changes, Scopes, SourceEntry};
use crate::store::{Changed, DocumentState};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The number of documents that are read, marked or removed at a time.
const BATCH: i64 = 1_000;

/// The settings of a sync.
#[derive(Clone, Debug, Default)]
pub struct Sync {
    /// The documents that the sources list completely. Others are never marked or removed.
    pub scopes: Scopes,
    /// The time for which an orphaned document is kept; zero removes it at once.
    pub grace: Duration,
    /// The changed files, if known. Documents of other files are not read again.
    pub changes: Option<Changes>,
}

/// Ingests the documents of sources, and marks or removes the documents that they no longer list.
///
/// # Errors
///
/// Returns the errors of [`ingest`]. Then no document is marked or removed.
///
/// # Examples
///
/// ```no_run
/// use passage::ingest::{Ingest, Job, Sync, sync};
/// use passage::source::{self, Filter, Scope, Scopes};
/// use std::{path::Path, time::Duration};
///
/// # async fn run() -> Result<(), passage::Error> {
/// let job = Ingest::new(Job::new("postgresql:///library", "rag"));
/// let scopes = Scopes::new(vec![Scope::Prefix("docs/".into())], Filter::default());
/// let settings = Sync { scopes, grace: Duration::from_secs(86_400), changes: None };
/// let summary = sync(job, source::walk(Path::new("docs")), settings, |_| {}).await?;
/// println!("{} documents removed", summary.removed);
/// # Ok(())
/// # }
/// ```
pub async fn sync(
    job: Ingest,
    sources: impl IntoIterator<Item = Result<SourceEntry, source::Error>, IntoIter: Send + 'static>,
    sync: Sync,
    report: impl Fn(&Event) + Send + std::marker::Sync + 'static,
) -> Result<Summary, Error> {
    let Sync { scopes, grace, changes } = sync;
    let store = job.job.connect().await?;
    // A document that others write after this moment is not missing.
    let started = store.server_time().await?;

    let seen = Arc::new(Mutex::new(SeenUris::default()));
    let seen_by_sources = Arc::clone(&seen);
    let sources = sources.into_iter().filter_map(move |entry| {
        seen_by_sources.lock().unwrap_or_else(PoisonError::into_inner).add(&entry);
        let is_gone = matches!(entry, Err(source::Error::Gone { .. }));
        let is_affected = changes.as_ref().is_none_or(|changes| changes.may_affect(&entry));
        (is_affected && !is_gone).then_some(entry)
    });
    let report = Arc::new(report);
    let reporter = Arc::clone(&report);
    let mut summary = ingest(job.clone(), sources, move |event| reporter(event)).await?;
    let loaded_chunks = summary.chunks;
    let mut report = |event| {
        summary.count(&event);
        report(&event);
    };

    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    if seen.is_incomplete {
        report(Event::Incomplete);
        return Ok(summary);
    }
    let mut last: Option<String> = None;
    let mut removed_chunks = 0;
    loop {
        let documents = store
            .document_states(&job.collection, &job.version, last.as_deref(), grace, &started, BATCH)
            .await?;
        let Some(end) = documents.last() else { break };
        last = Some(end.uri.clone());
        let missing = documents.into_iter().filter(|document| {
            document.is_older && scopes.contain(&document.uri) && !seen.contains(&document.uri)
        });
        let (removed, kept): (Vec<_>, Vec<_>) =
            missing.partition(|document| document.is_expired || grace.is_zero());
        let orphaned: Vec<_> = kept.into_iter().filter(|document| !document.is_orphan).collect();
        if !job.job.dry_run {
            let ids = |documents: &[DocumentState]| -> Vec<_> {
                documents.iter().map(|document| document.id).collect()
            };
            if !orphaned.is_empty() {
                store.mark_orphaned(&ids(&orphaned), &started).await?;
            }
            if !removed.is_empty() {
                removed_chunks += store.remove_orphans(&ids(&removed), &started, grace).await?;
            }
        }
        for document in orphaned {
            report(Event::Orphaned(document.uri));
        }
        for document in removed {
            report(Event::Removed(document.uri));
        }
    }
    if removed_chunks > 0 {
        let note = store.analyze_after(Changed::Chunks, removed_chunks + loaded_chunks).await?;
        if let Some(note) = note {
            report(Event::NotAnalyzed(note));
        }
    }
    Ok(summary)
}

/// The uris that the sources have listed, as hashes.
#[derive(Default)]
struct SeenUris {
    hashes: RandomState,
    uris: HashSet<u64>,
    /// Whether a source could not be listed completely.
    is_incomplete: bool,
}

impl SeenUris {
    fn add(&mut self, entry: &Result<SourceEntry, source::Error>) {
        let uri = match entry {
            Ok(SourceEntry::Document(document)) => Some(&*document.uri),
            Ok(SourceEntry::SkippedPage(page)) => match page.existing_uri() {
                Some(uri) => Some(uri),
                None => return,
            },
            Ok(SourceEntry::Skipped(_)) | Err(source::Error::Gone { .. }) => return,
            Err(error) => error.uri(),
        };
        match uri {
            Some(uri) => {
                self.uris.insert(self.hashes.hash_one(uri));
            }
            None => self.is_incomplete = true,
        }
    }

    fn contains(&self, uri: &str) -> bool {
        self.uris.contains(&self.hashes.hash_one(uri))
    }
}
