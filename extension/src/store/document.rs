//! Reading the chunks of one document.

mod document_id;
mod likeness;
mod outline;
mod parts;

pub use likeness::Original;
