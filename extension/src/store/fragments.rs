/*!
What fragments are made of: the document that is named, chunks that may answer, and what stands around
the best of them.

In a document that is named all chunks with a word of the query are looked at, and all embeddings are
compared. In a store or a collection chunks are found as in a search.
*/

mod alike;
mod lines;
mod named;
mod near;
mod pieces;
mod sections;
mod told;
mod words;

pub use named::Named;
pub use pieces::Pieces;
pub use told::Told;
pub use words::Words;
