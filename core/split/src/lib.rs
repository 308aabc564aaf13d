/*!
Splits documents into chunks: pieces of the text that a model can embed, with the titles of their sections and their places.

- [`MediaType`] tells from a name how a document is split, and [`MetadataOverrides`] builds a [`Document`] from a source.
- [`convert`](convert()) makes text of HTML, notebooks and other encodings.
- [`split`](split()) cuts the text into [`Chunk`]s without loss: prose by headings and blocks, source code by its syntax,
  data by its records.
- [`HashInput`] tells whether a document has changed, and [`document_id`] and [`chunk_id`] make stable ids.

It does no input or output, and [`interrupt`] lets a caller stop long work. The features `code` and `html` add grammars and the
conversion of HTML.

```
use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};

let text = "# Guide\n\n## Setup\n\nInstall the server.\n";
let options = SplitOptions::new(ChunkLimits::CHARACTERS);
let split = split(text, &MediaType::MARKDOWN, &options, &Characters)?;
let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
assert_eq!(joined, text);
# Ok::<(), passage_split::Error>(())
```
*/

mod chunk;
mod contains_nul;
mod content_hash;
pub mod convert;
mod data_format;
pub mod document;
mod encoded_data;
mod error;
pub mod id;
pub mod interrupt;
pub mod key;
pub mod label;
mod links;
pub mod media_type;
mod place;
mod release;
pub mod section;
pub mod split;
mod text_mark;

pub use chunk::{Chunk, Kind, SplitDocument, SyntaxError, Unit};
pub use contains_nul::contains_nul;
pub use content_hash::HashInput;
pub use convert::{
    ConvertedDocument, DecodeError, DecodedText, UTF_8, convert, decode, encoding_name,
};
#[cfg(feature = "html")]
pub use convert::{PageReferences, page_references};
pub use data_format::DataFormat;
pub use document::{Document, MetadataOverrides, chunk_metadata, document_metadata};
pub use encoded_data::is_encoded_data;
pub use error::Error;
pub use id::{adopted_id, chunk_id, chunk_ids, document_id};
pub use links::{Link, LinkKind, MAX_LINKS, document_links};
pub use media_type::{Family, MediaType};
pub use place::{Place, PlaceMark, PlaceRange, place_marks, place_metadata};
pub use release::is_release;
pub use split::{
    Characters, ChunkLimits, MAX_LIMIT, SPLITTER_VERSION, SizeUnit, Sizer, SplitAt, SplitOptions,
    SplitPattern, links, preamble_title, split, title,
};
pub use text_mark::TextMark;
