//! Writing for agents: what a writer does, and the limits of what it is asked for.

use super::arguments::{IngestArguments, RemoveArguments};
use crate::error::Error;
use crate::reader::Reader;
use passage_store::{Removal, RemovalSummary};
use std::pin::Pin;
use std::sync::Arc;

/// The maximum size of a text, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of documents that one call removes.
const MAX_URIS: usize = 100;

/// A text that becomes a document.
pub struct TextDocument {
    /// The uri of the document.
    pub uri: String,
    /// The text.
    pub content: String,
    /// The collection; empty for the unnamed one.
    pub collection: String,
    /// The version of the collection; empty for the unnamed one.
    pub version: String,
    /// The title, if it is not that in the text.
    pub title: Option<String>,
    /// The media type, if it is not to be detected.
    pub media_type: Option<String>,
}

/// The outcome of storing a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The document is new.
    Added {
        /// The number of its chunks.
        chunks: usize,
    },
    /// The document replaces one with the same uri, collection and version.
    Replaced {
        /// The number of its chunks.
        chunks: usize,
    },
    /// The store already has the document.
    Unchanged,
    /// The document was marked as orphaned, and no longer is.
    Restored,
}

/// The future of a write.
pub type Writing<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Stores texts and removes documents for agents. Files and pages are not read.
pub trait Writer: Send + Sync {
    /// Stores a text, completely or not at all. `reader` reports causes of failures that callers do not see.
    fn ingest<'a>(
        &'a self,
        reader: &'a Arc<Reader>,
        document: TextDocument,
    ) -> Writing<'a, Written>;

    /// Removes documents. `reader` reports causes of failures that callers do not see.
    fn remove<'a>(
        &'a self,
        reader: &'a Arc<Reader>,
        removal: Removal,
    ) -> Writing<'a, RemovalSummary>;
}

/// Returns the document of a call.
pub(super) fn text_document(arguments: IngestArguments) -> Result<TextDocument, Error> {
    let IngestArguments { uri, content, collection, version, title, media_type } = arguments;
    if uri.trim().is_empty() {
        return Err(Error::invalid("uri is empty", "Give a uri such as notes/today.md."));
    }
    if content.len() > MAX_BYTES {
        return Err(Error::invalid(
            "content is too long",
            format!("Send at most {MAX_BYTES} bytes."),
        ));
    }
    let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
    Ok(TextDocument { uri, content, collection, version, title, media_type })
}

/// Returns the documents that a call removes.
pub(super) fn removal(arguments: RemoveArguments) -> Result<Removal, Error> {
    let RemoveArguments { uris, collection, version } = arguments;
    if uris.is_empty() || uris.len() > MAX_URIS {
        return Err(Error::invalid(
            format!("uris has {} uris", uris.len()),
            format!("Give 1 to {MAX_URIS} uris."),
        ));
    }
    let (collection, version) = (collection.unwrap_or_default(), version.unwrap_or_default());
    Ok(Removal::Uris { uris, collection, version })
}
