//! Splits documents, embeds them and loads them into a pg_passage store.

pub mod embed;
pub mod source;
pub mod split;
