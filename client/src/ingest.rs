/*!
Ingesting: source, split, embed, store; the one place that knows all four.

Documents are found by one thread, split by as many as there are cores, embedded, and written through
two connections, all at the same time: while one is embedded another is read and split and a third
is written. Each of these hands over through a queue of bounded length and waits where it is full,
and what is under way is bounded in bytes too, so memory does not grow with what there is to ingest.
A document whose content hash the store has already costs a read of its file and nothing else; of
one that changed, only chunks with another text are embedded and only rows that differ are written.

The vector index of a store without embeddings is taken away at the beginning and built at the end.

A document that fails is reported and the others go on. What fails for one as for all, such as a
server that is gone, ends the run.
*/

mod agree;
mod document;
mod fill;
mod find;
mod index;
mod load;
mod reindex;
mod remembered;
mod run;
mod sync;
mod told;
mod vectors;

use crate::Error;
use crate::document::MetadataOverrides;
use crate::embed::Embedder;
use crate::source::Foreign;
use crate::split::Splitter;
use serde_json::{Map, Value};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

pub use fill::{Fill, FillEvent, fill};
pub use reindex::{Beside, Reindex, ReindexEvent, Reindexed, Remade, reindex, reindex_beside};
pub use remembered::remembered;
pub use run::ingest;
pub use sync::{Sync, sync};

/// What to ingest with, and where to.
#[derive(Clone)]
pub struct Ingest {
    /// The server, as libpq takes it.
    pub url: String,
    /// The store.
    pub store: String,
    /// The project or library the documents belong to; may be empty.
    pub collection: String,
    /// The version of that; may be empty.
    pub version: String,
    /// What splits.
    pub splitter: Splitter,
    /// What embeds; `None` for text only.
    pub embedder: Option<Arc<Embedder>>,
    /// What is told of the documents instead of being found out.
    pub reading: MetadataOverrides,
    /// What is known of the documents beside.
    pub metadata: Map<String, Value>,
    /// How many documents are split at a time; by default one on each core.
    pub jobs: Option<NonZero<usize>>,
    /// Whether to find out only what would change; then nothing is embedded or written.
    pub dry_run: bool,
}

/// What happens during a run, in the order in which it happens.
#[derive(Debug)]
pub enum Event {
    /// Documents have been found; they are taken in while others are looked for.
    Found {
        /// How many so far.
        documents: usize,
        /// Whether there are no more.
        all: bool,
    },
    /// A document's source is gone, which is marked: search leaves it out.
    Orphaned(String),
    /// A document is removed, since its source has been gone for long enough.
    Removed(String),
    /// Not all documents could be found, so that none is taken for gone.
    Incomplete,
    /// A file is no text by its name and is passed over.
    Skipped(PathBuf),
    /// A link of a site to another server is not followed.
    Foreign(Foreign),
    /// One more chunk is embedded.
    Embedded,
    /// The documents are in, and the vector index of a first load is being built over them.
    Indexing {
        /// How many embeddings are in it.
        done: usize,
        /// How many there are.
        of: usize,
    },
    /// A document is done.
    Done {
        /// Its uri.
        uri: String,
        /// What became of it.
        outcome: Outcome,
    },
    /// A document cannot be taken in, and is in the store as it was before, if it was.
    Failed {
        /// Its uri, where it has one.
        uri: Option<String>,
        /// Why.
        error: Error,
    },
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Added {
        /// How many chunks it has.
        chunks: usize,
    },
    /// It had changed.
    Replaced {
        /// How many chunks it has.
        chunks: usize,
        /// How many of them it had before.
        kept: usize,
    },
    /// Nothing of it had changed, and nothing was written.
    Unchanged,
    /// Nothing of it had changed, but its source was marked as gone and is back.
    Restored,
}

/// What became of all documents of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// New documents.
    pub added: usize,
    /// Changed ones.
    pub replaced: usize,
    /// Unchanged ones.
    pub unchanged: usize,
    /// Unchanged ones whose sources were gone and are back.
    pub restored: usize,
    /// Those whose sources are gone since this run.
    pub orphaned: usize,
    /// Those that were removed, since their sources have been gone for long enough.
    pub removed: usize,
    /// Those that could not be taken in.
    pub failed: usize,
    /// Files that are no text by their names, and links that are not followed.
    pub skipped: usize,
    /// Chunks of new and changed documents.
    pub chunks: usize,
    /// Chunks that were embedded.
    pub embedded: usize,
}

impl Summary {
    fn count(&mut self, event: &Event) {
        match event {
            Event::Found { .. } | Event::Indexing { .. } | Event::Incomplete => {}
            Event::Orphaned(_) => self.orphaned += 1,
            Event::Removed(_) => self.removed += 1,
            Event::Skipped(_) | Event::Foreign(_) => self.skipped += 1,
            Event::Embedded => self.embedded += 1,
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
