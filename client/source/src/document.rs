//! The entries of a source: documents with their uris, skipped files and pages.

use super::{PresplitChunk, SkippedPage};
use passage_split::{Kind, MediaType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use uuid::Uuid;

/// A collection and its version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollectionVersion {
    /// The collection.
    pub collection: String,
    /// Its version.
    pub version: String,
}

/// An entry of a source.
#[derive(Debug)]
pub enum SourceEntry {
    /// A document.
    Document(SourceDocument),
    /// A file whose name says that it is not text, such as an image beside a page.
    Skipped(PathBuf),
    /// A page of a site that is not loaded.
    SkippedPage(SkippedPage),
}

/// A document of a source, with its content or the place of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceDocument {
    /// The uri of the document in the store.
    pub uri: String,
    /// Its path inside the folder or archive that was named; `None` if the document itself was
    /// named.
    pub inside: Option<String>,
    /// Its location for messages: a path, and if needed a line in that file.
    pub origin: PathBuf,
    /// Its content.
    pub content: Content,
    /// Its metadata, as far as the source has any.
    pub source_metadata: Box<SourceMetadata>,
}

/// The content of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A file, which is read when the document is split.
    File(PathBuf),
    /// The bytes of a file.
    Bytes(Vec<u8>),
    /// A text that needs no decoding.
    Text(String),
    /// Chunks that are stored as they are.
    Chunks(Vec<PresplitChunk>),
    /// The same content as in the store, according to the source.
    Unchanged,
}

/// Metadata that a source has of a document. It takes precedence over the metadata of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceMetadata {
    /// The id of the document, instead of a derived one.
    pub document_id: Option<Uuid>,
    /// The collection, if it is not that of the run.
    pub collection: Option<CollectionVersion>,
    /// The model of the embeddings that chunks have.
    pub model: Option<String>,
    /// The media type.
    pub media_type: Option<MediaType>,
    /// The media type of the source from which another program has converted the text.
    pub source_media_type: Option<MediaType>,
    /// The title.
    pub title: Option<String>,
    /// The kind of its chunks.
    pub kind: Option<Kind>,
    /// The base address of its links, if it is not its own address.
    pub base_url: Option<String>,
    /// The values with which its server detects a change.
    pub validators: Option<Validators>,
    /// Other metadata.
    pub metadata: Map<String, Value>,
}

/// HTTP validators of a page. A server compares them to answer that the page has not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The `ETag` of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The `Last-Modified` of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl SourceDocument {
    /// Returns a document of a file, with a uri of its own.
    pub fn file(path: impl Into<PathBuf>, uri: impl Into<String>) -> Self {
        let origin = path.into();
        let content = Content::File(origin.clone());
        Self { uri: uri.into(), inside: None, origin, content, source_metadata: Box::default() }
    }

    /// Returns a document whose content is the same as in the store.
    pub fn unchanged(uri: impl Into<String>) -> Self {
        Self { content: Content::Unchanged, ..Self::bytes(uri, Vec::new()) }
    }

    /// Returns a document that is not a file. Messages name it by its uri.
    pub fn bytes(uri: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let uri = uri.into();
        let (origin, content) = (PathBuf::from(&uri), Content::Bytes(bytes.into()));
        Self { uri, inside: None, origin, content, source_metadata: Box::default() }
    }
}
