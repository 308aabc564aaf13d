//! Writing to a store: documents with their chunks and embeddings, marks of orphaned documents, and
//! embeddings of chunks that lack one.

mod arguments;
mod changes;
mod claims;
mod document;
mod embedding_array;
mod existing;
mod marked;
mod orphans;
mod rewrite;
mod unembedded;
mod write_documents;

pub(super) use arguments::{Arguments, parameters};
pub use changes::DocumentChanges;
pub use claims::ClaimCursor;
pub use document::{ChunkWrite, DocumentWrite, Replaced, WriteOutcome};
pub use existing::ExistingDocument;
pub use marked::{MarkedClaim, MarkedDocument};
pub use orphans::DocumentState;
pub use unembedded::UnembeddedChunk;
