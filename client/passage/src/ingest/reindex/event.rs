//! Events of a reindex, and the summary that counts them.

use crate::Error;
use crate::ingest::resplit::Resplit;

/// An event of a reindex.
#[derive(Debug)]
pub enum ReindexEvent {
    /// The number of documents to reindex. A reindex of a whole store reports it again for the
    /// documents that others have changed meanwhile.
    Found(usize),
    /// The number of chunks of the shadow store that have no embedding.
    Missing(usize),
    /// The number of chunks that have just been embedded.
    Embedded(usize),
    /// The shadow store is filled, and its indexes are being built.
    Indexing,
    /// Transactions of others keep the shadow store from being swapped in.
    Waiting,
    /// The shadow store has replaced the store.
    Replaced {
        /// The new name of the former store.
        former: String,
    },
    /// A document is done.
    Done {
        /// Its uri.
        uri: String,
        /// The result.
        outcome: ReindexOutcome,
    },
    /// A document could not be split or written. It stays as it is.
    Failed {
        /// Its uri, where it could be read.
        uri: Option<String>,
        /// The cause.
        error: Error,
    },
}

/// The result of a reindex for a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReindexOutcome {
    /// Its chunks or embeddings differ from the stored ones.
    Rewritten {
        /// The number of its chunks.
        chunks: usize,
        /// The number of these that it had before.
        kept: usize,
    },
    /// Its chunks and embeddings are the same as before.
    Unchanged,
    /// It keeps its chunks: they were loaded presplit, and may not be its whole text.
    Left,
}

impl ReindexOutcome {
    /// Returns what writing a document would change.
    pub(super) fn of(resplit: &Resplit) -> Self {
        if resplit.differs() {
            Self::Rewritten { chunks: resplit.chunks(), kept: resplit.kept() }
        } else {
            Self::Unchanged
        }
    }
}

/// Counts of all documents of a reindex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReindexSummary {
    /// Documents that were written.
    pub rewritten: usize,
    /// Documents whose chunks are the same as before.
    pub unchanged: usize,
    /// Documents that keep the chunks that they were loaded with.
    pub left: usize,
    /// Documents that could not be written.
    pub failed: usize,
    /// Chunks of the documents that were written.
    pub chunks: usize,
    /// The number of these that the documents had before.
    pub kept: usize,
    /// Chunks that were embedded.
    pub embedded: usize,
}

impl ReindexSummary {
    pub(super) fn count(&mut self, outcome: ReindexOutcome) {
        match outcome {
            ReindexOutcome::Rewritten { chunks, kept } => {
                self.rewritten += 1;
                self.chunks += chunks;
                self.kept += kept;
            }
            ReindexOutcome::Unchanged => self.unchanged += 1,
            ReindexOutcome::Left => self.left += 1,
        }
    }
}
