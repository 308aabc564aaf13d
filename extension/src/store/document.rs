//! What is read of a document along with a hit.

use super::columns::Columns;
use super::layout::Relation;
use crate::spi::Rows;
use crate::types::RawJsonb;
use passage_core::MediaType;

/// The document of a hit; all but the id may be unknown.
#[derive(Clone, Default)]
pub struct Document {
    pub id: uuid::Uuid,
    pub media_type: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub metadata: Option<RawJsonb>,
}

/// What a passage tells of its document, beside the media type.
const TOLD: [(&str, &str); 5] = [
    ("collection", "text"),
    ("version", "text"),
    ("uri", "text"),
    ("title", "text"),
    ("metadata", "jsonb"),
];

impl Document {
    /// Returns the media type, plain text where it is unknown.
    pub fn media_type(&self) -> MediaType {
        self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new)
    }

    /// Tells whether the document is one JSON value.
    pub fn is_json(&self) -> bool {
        self.media_type().structure() == "application/json"
    }
}

/// Names the media type of a document, NULL where it is not read or unknown.
pub fn media_type(documents: Option<&Relation>) -> String {
    documents.map_or_else(
        || "NULL::pg_catalog.text".to_owned(),
        |documents| documents.column("d", "media_type", "text"),
    )
}

/// Names what a passage tells of its document.
pub fn select(documents: Option<&Relation>) -> Vec<String> {
    Relation::all(documents, "d", &TOLD)
}

/// Reads what a passage tells of its document, from a column on.
pub fn read(rows: &Rows, row: usize, columns: Columns, first: usize) -> Document {
    if !matches!(columns, Columns::Passage { .. }) {
        return Document::default();
    }
    Document {
        collection: rows.get(row, first),
        version: rows.get(row, first + 1),
        uri: rows.get(row, first + 2),
        title: rows.get(row, first + 3),
        metadata: rows.get(row, first + 4),
        ..Document::default()
    }
}
