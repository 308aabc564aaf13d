//! Reading the chunks of one document.

mod document_id;
mod outline;
mod parts;
