//! Events of a run, and the summary that counts them.

use super::Unsupported;
use crate::Error;
use crate::source::SkippedPage;
use crate::store::Notice;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An event of a run, reported when it happens.
#[derive(Debug)]
pub enum Event {
    /// The sources have listed more documents. The run processes them while it looks for others.
    Found {
        /// The number of documents so far.
        documents: usize,
        /// Whether there are no more.
        all: bool,
    },
    /// The source of a document no longer exists. The document is marked, and search leaves it out.
    Orphaned(String),
    /// A document is removed because its source has been missing for longer than the grace period.
    Removed(String),
    /// Not all sources could be listed, so no document is marked or removed.
    Incomplete,
    /// A file is skipped because its name says that it is not text.
    Skipped(PathBuf),
    /// A page of a site is not loaded.
    SkippedPage(SkippedPage),
    /// One more chunk is embedded.
    Embedded,
    /// All documents are written, and the vector index of a first load is being built.
    Indexing {
        /// The number of embeddings in the index.
        done: usize,
        /// The number of embeddings in the store.
        total: usize,
    },
    /// The planner's statistics are not updated after a large load: the cause and the remedy.
    NotAnalyzed(Notice),
    /// A document is done.
    Done {
        /// Its uri.
        uri: String,
        /// The result.
        outcome: Outcome,
    },
    /// A document failed, or cannot be converted. The store keeps its previous version, if there is one.
    Failed {
        /// Its uri, where it has one.
        uri: Option<String>,
        /// The cause.
        error: Error,
    },
}

/// The result of a run for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The document is new.
    Added {
        /// The number of its chunks.
        chunks: usize,
    },
    /// The document had changed.
    Replaced {
        /// The number of its chunks.
        chunks: usize,
        /// The number of these that its previous version had too.
        kept: usize,
    },
    /// The document had not changed. Nothing was written, or only its content hash, which a reindex removes.
    Unchanged,
    /// The document had not changed, but was marked as orphaned. The mark is removed.
    Restored,
}

/// Counts of all documents of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// New documents.
    pub added: usize,
    /// Changed documents.
    pub replaced: usize,
    /// Unchanged documents.
    pub unchanged: usize,
    /// Unchanged documents that were orphaned and whose sources exist again.
    pub restored: usize,
    /// Documents whose sources no longer exist, marked by this run.
    pub orphaned: usize,
    /// Documents that this run removed.
    pub removed: usize,
    /// Documents that failed.
    pub failed: usize,
    /// Documents of formats that the client cannot convert.
    pub unsupported: Unsupported,
    /// Files whose names say that they are not text, and pages of sites that are not loaded.
    pub skipped: usize,
    /// Chunks of new and changed documents.
    pub chunks: usize,
    /// Chunks that were embedded.
    pub embedded: usize,
}

impl Summary {
    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::Found { .. }
            | Event::Indexing { .. }
            | Event::Incomplete
            | Event::NotAnalyzed(_) => {}
            Event::Orphaned(_) => self.orphaned += 1,
            Event::Removed(_) => self.removed += 1,
            Event::Skipped(_) | Event::SkippedPage(_) => self.skipped += 1,
            Event::Embedded => self.embedded += 1,
            Event::Failed { error: Error::Unsupported { format, .. }, .. } => {
                self.unsupported.add(*format);
            }
            Event::Failed { .. } => self.failed += 1,
            Event::Done { outcome, .. } => match outcome {
                Outcome::Added { chunks } => {
                    self.added += 1;
                    self.chunks += chunks;
                }
                Outcome::Replaced { chunks, .. } => {
                    self.replaced += 1;
                    self.chunks += chunks;
                }
                Outcome::Unchanged => self.unchanged += 1,
                Outcome::Restored => self.restored += 1,
            },
        }
    }
}

/// Counts the events of a run and passes them to its caller.
pub(super) struct Reporter {
    report: Box<dyn Fn(&Event) + Send + Sync>,
    summary: Mutex<Summary>,
}

impl Reporter {
    pub(super) fn new(report: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self { report: Box::new(report), summary: Mutex::default() }
    }

    pub(super) fn report(&self, event: &Event) {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner).count(event);
        (self.report)(event);
    }

    /// Returns the counts so far.
    pub(super) fn summary(&self) -> Summary {
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
