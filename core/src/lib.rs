/*!
The model of `pg_passage`, without IO: documents become chunks, and chunks become passages.

- Loading: [`MetadataOverrides`] builds a [`Document`] from a source, [`split`](split()) cuts its text into
  [`Chunk`]s without loss, and [`HashInput`] tells whether a document has changed.
- Search: [`search`] plans and ranks a text search and fuses rankings.
- Expansion: [`expand`] selects the context of hits, [`mod@reassemble`] groups it into passages, and
  [`assemble`] joins the chunks of a passage to one text.
- Fragments: [`fragments`] selects whole lines that answer a query.

The PostgreSQL extension and the client are shells around this crate. The crate depends on neither.

```
use passage_core::{Characters, ChunkLimits, MediaType, SplitOptions, split};

let text = "# Guide\n\n## Setup\n\nInstall the server.\n";
let options = SplitOptions::new(ChunkLimits::CHARACTERS);
let split = split(text, &MediaType::MARKDOWN, &options, &Characters)?;
let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
assert_eq!(joined, text);
# Ok::<(), passage_core::Error>(())
```
*/

pub mod assemble;
pub mod chain;
mod chunk;
mod chunk_columns;
mod contains_nul;
mod content_hash;
pub mod convert;
mod data_format;
pub mod document;
mod error;
mod excerpt;
pub mod expand;
pub mod fragments;
pub mod gaps;
mod highlight;
pub mod hits;
pub mod id;
pub mod interrupt;
mod json_group;
pub mod key;
pub mod label;
pub mod media_type;
pub mod misspelling;
pub mod outline;
pub mod reassemble;
pub mod row_template;
pub mod search;
pub mod section;
pub mod section_runs;
pub mod split;
pub mod strategy;
mod table_header;
mod text_mark;

pub use chunk::{Chunk, Kind, SplitDocument, SyntaxError, Unit};
pub use chunk_columns::CHUNK_COLUMNS;
pub use contains_nul::contains_nul;
pub use content_hash::HashInput;
pub use convert::{ConvertedDocument, convert, decode};
pub use data_format::DataFormat;
pub use document::{Document, MetadataOverrides, chunk_metadata, document_metadata};
pub use error::Error;
pub use id::{adopted_id, chunk_id, chunk_ids, document_id};
pub use json_group::{JsonGroup, one_of};
pub use media_type::{Family, MediaType};
pub use split::{
    Characters, ChunkLimits, SPLITTER_VERSION, SizeUnit, Sizer, SplitOptions, split, title,
};
pub use strategy::{Strategy, StrategyOverrides};
pub use table_header::TableHeader;
pub use text_mark::TextMark;
