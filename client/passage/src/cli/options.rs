//! Options that several commands share, with what they make: a connection, a splitter, an embedder.

mod conversion;
pub mod embedder;
mod embedding_type;
pub mod interruption;
mod json_lines;
mod metadata;
pub mod question;
pub mod question_model;
pub mod reranker;
pub mod server;
mod service;
pub mod serving;
pub mod splitting;
mod window;

/// The heading of the options that restrict a search.
pub const FILTERS: &str = "Filters";

pub use conversion::ConversionOptions;
pub use embedder::{Embedder, Model};
pub use embedding_type::EmbeddingType;
pub use json_lines::JsonLines;
pub use metadata::{DOCUMENTS, MetadataOptions, json_object, metadata};
pub use reranker::Reranker;
pub use server::Server;
pub use serving::Serving;
pub use splitting::{CHUNKS, Sizer, Splitting, StoreSplitter};
