//! Writing to a store: documents with their chunks and embeddings, marks of orphaned documents, and
//! embeddings of chunks that lack one.

mod chunks;
mod claims;
mod comparison;
mod document;
mod documents;
mod existing;
mod marked;
mod new_rows;
mod orphans;
mod rewrite;
mod statements;
mod unembedded;
mod write_documents;

pub(super) use chunks::write_chunks;
pub use claims::ClaimCursor;
pub use document::{ChunkWrite, DocumentWrite, WriteOutcome};
pub use existing::{ChunkIdentity, ExistingChunk, ExistingDocument};
pub use marked::{MarkedClaim, MarkedDocument};
pub use orphans::DocumentState;
pub(super) use rewrite::UNKNOWN_HASH;
pub(super) use statements::Statements;
pub use unembedded::UnembeddedChunk;
