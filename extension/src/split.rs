//! Documents that a call passes: how they are split in a backend.

mod document;
mod free_memory;

pub use document::{DocumentArguments, PreparedDocument};
pub use passage_split::SplitDocument;
