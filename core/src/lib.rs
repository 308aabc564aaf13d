/*!
The model of `pg_passage`, without IO: how documents become chunks, and chunks passages.

Splitting: [`split`](split()) cuts a text into [`Chunk`]s, each with its [`section`], so that nothing
is lost. Reading: `expand` decides which chunks belong to a hit, `assemble` makes one text of
them. The PostgreSQL extension and the client are shells around this crate; it knows neither.
*/

pub mod assemble;
mod chunk;
mod content_hash;
pub mod convert;
pub mod document;
mod error;
pub mod expand;
pub mod fragments;
pub mod gaps;
mod highlight;
pub mod hits;
pub mod id;
pub mod interrupt;
pub mod key;
pub mod label;
pub mod media_type;
pub mod outline;
pub mod reassemble;
pub mod search;
pub mod section;
pub mod split;
pub mod strategy;

pub use chunk::{Chunk, Kind, SplitDocument, SyntaxError, Unit};
pub use content_hash::HashInput;
pub use convert::{ConvertedDocument, convert, decode};
pub use document::{Document, MetadataOverrides, chunk_metadata, document_metadata};
pub use error::Error;
pub use id::{chunk_id, chunk_ids, document_id};
pub use media_type::{Family, MediaType};
pub use split::{
    Characters, ChunkLimits, SPLITTER_VERSION, SizeUnit, Sizer, SplitOptions, split, title,
};
pub use strategy::{Strategy, StrategyOverrides};
