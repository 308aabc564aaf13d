/*!
Reindex: splits and embeds stored documents again, from the text that the store has of them.

[`reindex_collection`] works in place. Each document is one transaction that locks only its own rows, so
readers never wait and see the old or the new version. [`reindex_store`] fills a shadow store and
swaps it with the store, so readers see all documents in their old or all in their new version, and
the embeddings may be of another model.

In both cases (`ingest/resplit.rs`), chunks with the same text in the same section keep their ids, and their
embeddings if these still fit. If a run is interrupted, the next one does only what is left.
*/

mod collection;
mod event;
mod outcomes;
mod shadow;

pub use collection::{ReindexCollection, reindex_collection};
pub use event::{ReindexEvent, ReindexOutcome, ReindexSummary};
pub use shadow::{ReindexStore, reindex_store};

/// The number of documents in progress beyond the number of jobs, so that the model never waits for
/// the server.
const AHEAD: usize = 2;
