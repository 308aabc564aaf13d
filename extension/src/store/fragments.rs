/*!
Reading what fragments are made of: the document of a call, chunks that may answer, and the chunks around
the best of them.

In a given document all chunks with a word of the query are read, and all embeddings are compared. In a
store or a collection chunks are found as in a search.
*/

mod document_info;
mod lexemes;
mod similarities;
mod source_chunks;

pub use document_info::{DocumentInfo, NamedDocument};
pub use lexemes::{ChunkLexemes, MAX_MATCHING};
pub use source_chunks::SourceChunks;
