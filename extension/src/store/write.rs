//! Writing documents to a store of tables.

mod new_document;
mod replace;
mod statements;
mod writable;

pub use new_document::NewDocument;
pub use replace::{Outcome, Replaced};
