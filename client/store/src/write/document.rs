//! Documents and chunks to write.

use super::existing::ExistingDocument;
use passage_split::{Kind, Unit};
use serde_json::{Map, Value};
use std::ops::{Range, RangeInclusive};
use uuid::Uuid;

/// A document to write.
#[derive(Debug)]
pub struct DocumentWrite<'a> {
    /// The id: that of the existing document, or a derived one for a new document.
    pub id: Uuid,
    /// The document of the store with which the chunks were compared; `None` for a new document.
    pub existing: Option<&'a ExistingDocument>,
    /// The collection: the project or library of the document.
    pub collection: &'a str,
    /// The version of the collection.
    pub version: &'a str,
    /// The URL or path.
    pub uri: &'a str,
    /// The title.
    pub title: Option<&'a str>,
    /// The media type of the text.
    pub media_type: &'a str,
    /// The media type of the source, if the text was converted from it.
    pub source_media_type: Option<&'a str>,
    /// The hash of everything that the chunks depend on.
    pub content_hash: &'a [u8],
    /// The metadata, a JSON object.
    pub metadata: &'a Value,
    /// The chunks, in document order.
    pub chunks: Vec<ChunkWrite<'a>>,
    /// The existing chunks to delete.
    pub removed_chunks: Vec<Uuid>,
    /// Whether the store has embeddings.
    pub with_embeddings: bool,
}

/// A chunk to write.
#[derive(Debug)]
pub struct ChunkWrite<'a> {
    /// The derived id.
    pub id: Uuid,
    /// The titles from the document's root to the chunk.
    pub section: &'a [String],
    /// The depth in the hierarchy of the splitter, 0 at the root.
    pub level: u32,
    /// The kind of content.
    pub kind: Kind,
    /// The structural unit that the chunk belongs to.
    pub unit: Unit,
    /// The content.
    pub content: &'a str,
    /// The text before the content in what is embedded and indexed for full text.
    pub preamble: &'a str,
    /// The size in tokens.
    pub tokens: usize,
    /// The byte range in the source, if known.
    pub bytes: Option<Range<usize>>,
    /// The lines in the source, from 1, if known.
    pub lines: Option<RangeInclusive<usize>>,
    /// The names that the imports in the content bind.
    pub imports: &'a [String],
    /// Other metadata of a new chunk.
    pub metadata: Option<&'a Map<String, Value>>,
    /// Whether the document already has the chunk.
    pub exists: bool,
    /// Whether the existing chunk has another preamble, so that its embedding is out of date.
    pub preamble_changed: bool,
    /// A new embedding.
    pub embedding: Option<&'a [f32]>,
}

/// The outcome of writing a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The document is in the store.
    Written,
    /// Nothing was written: another writer has written, changed or removed the document since the
    /// comparison, or the document is new and another one has its id.
    Conflict,
}
