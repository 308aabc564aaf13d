//! Documents and chunks to write.

use super::super::query::StoredDocument;
use super::existing::ExistingDocument;
use passage_split::{Kind, Link, TextMark, Unit};
use serde_json::{Map, Value};
use std::ops::{Range, RangeInclusive};
use uuid::Uuid;

/// A document to write.
#[derive(Debug)]
pub struct DocumentWrite<'a> {
    /// The id: that of the stored document, or a derived one for a new document.
    pub id: Uuid,
    /// The version that it replaces.
    pub replaced: Replaced<'a>,
    /// Whether the ids of chunks are given. A derived one says that section and content are the same.
    pub has_given_ids: bool,
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
}

/// The version that a document replaces.
#[derive(Clone, Copy, Debug)]
pub enum Replaced<'a> {
    /// None: the document is new.
    Nothing,
    /// The version with which the document was compared.
    Source(&'a ExistingDocument),
    /// The rows that the text was read from. Columns that describe the source stay. A mark of SQL is removed, and metadata
    /// are added to the stored ones.
    Rows(&'a StoredDocument, Option<&'a TextMark>),
}

/// A chunk to write.
#[derive(Debug)]
pub struct ChunkWrite<'a> {
    /// The id.
    pub id: Uuid,
    /// The titles from the document's root to the chunk.
    pub section: &'a [String],
    /// The depth in the hierarchy of the splitter, 0 at the root.
    pub level: u32,
    /// The kind of content.
    pub kind: Kind,
    /// The structural unit that the chunk belongs to.
    pub unit: Unit,
    /// The content; `None` if the store has the chunk.
    pub content: Option<&'a str>,
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
    /// The links that begin in the content.
    pub links: &'a [Link],
    /// Other metadata.
    pub metadata: Option<&'a Map<String, Value>>,
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
