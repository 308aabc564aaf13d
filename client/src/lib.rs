//! Splits documents, embeds them and loads them into a pg_passage store.

pub mod embed;
mod error;
pub mod ingest;
pub mod source;
pub mod split;
pub mod store;

pub use error::Error;
