/*!
Reindexing: documents split and embedded anew from the texts that a store has of them.

A collection is done in place (`in_place`): each document in one transaction, under a lock on its
rows alone, so that readers see it as it was or as it is, and never wait. A whole store is done
beside it (`beside`): a second store is filled and put in its place, so that readers see all of it as
it was or as it is, and embeddings may be of another model.

Either way chunks that come out the same keep their ids and, where they are right, their
embeddings (`remake`), and a run after one that was broken off does what is left.
*/

mod beside;
mod in_place;
mod remake;

use crate::Error;
use crate::embed::Embedder;
use crate::split::Splitter;
use std::num::NonZero;
use std::sync::Arc;

pub use beside::{Beside, reindex_beside};
pub use in_place::reindex;

/// Documents under way beside the number of jobs, so that the model never waits for the server.
const AHEAD: usize = 2;

/// What to reindex, and with what.
#[derive(Clone)]
pub struct Reindex {
    /// The server, as libpq takes it.
    pub url: String,
    /// The store.
    pub store: String,
    /// The collection, which may be empty.
    pub collection: String,
    /// The version; `None` for all.
    pub version: Option<String>,
    /// What splits.
    pub splitter: Splitter,
    /// What embeds; `None` for text only.
    pub embedder: Option<Arc<Embedder>>,
    /// How many documents are split at a time; by default one on each core.
    pub jobs: Option<NonZero<usize>>,
    /// Whether to find out only what would change; then nothing is embedded or written.
    pub dry_run: bool,
}

/// What happens while a collection is reindexed.
#[derive(Debug)]
pub enum ReindexEvent {
    /// There are so many documents, or in a later look so many more.
    Found(usize),
    /// So many chunks of a second store wait to be embedded.
    Missing(usize),
    /// So many more chunks are embedded.
    Embedded(usize),
    /// The second store is filled, and its indexes are being built.
    Indexing,
    /// Transactions of others are waited for, so that the second store can take its place.
    Waiting,
    /// The second store has taken the place of the first.
    Replaced {
        /// The name that the first has now.
        former: String,
    },
    /// A document is done.
    Done {
        /// Its uri.
        uri: String,
        /// What became of it.
        remade: Remade,
    },
    /// A document cannot be split or written, and stays as it is.
    Failed {
        /// Its uri, where it could be read.
        uri: Option<String>,
        /// Why.
        error: Error,
    },
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remade {
    /// It has other chunks than before, or other embeddings.
    Rewritten {
        /// How many chunks it has.
        chunks: usize,
        /// How many of them it had before.
        kept: usize,
    },
    /// It is as it would be made.
    Unchanged,
    /// Its chunks were loaded as they are, and it is not known that they are the whole text.
    Left,
}

/// What became of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// Documents that were written.
    pub rewritten: usize,
    /// Those that are as they would be made.
    pub unchanged: usize,
    /// Those that keep the chunks that they were loaded with.
    pub left: usize,
    /// Those that could not be written.
    pub failed: usize,
    /// Chunks of the documents that were written.
    pub chunks: usize,
    /// How many of these they had before.
    pub kept: usize,
    /// Chunks that were embedded.
    pub embedded: usize,
}

impl Reindexed {
    fn count(&mut self, remade: Remade) {
        match remade {
            Remade::Rewritten { chunks, kept } => {
                self.rewritten += 1;
                self.chunks += chunks;
                self.kept += kept;
            }
            Remade::Unchanged => self.unchanged += 1,
            Remade::Left => self.left += 1,
        }
    }
}
