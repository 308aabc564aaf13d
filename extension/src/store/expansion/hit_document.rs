//! The document of a hit, read with the hit.

use super::chunk_columns::ChunkColumns;
use crate::server::spi::Rows;
use crate::server::types::RawJsonb;
use crate::store::layout::Relation;
use passage_split::MediaType;

/// The document of a hit. All fields but the id may be unknown.
#[derive(Clone, Default)]
pub struct HitDocument {
    pub id: uuid::Uuid,
    pub media_type: Option<String>,
    pub collection: Option<String>,
    pub version: Option<String>,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub metadata: Option<RawJsonb>,
}

/// The columns of a document that a passage returns beside the media type.
const COLUMNS: [(&str, &str); 5] = [
    ("collection", "text"),
    ("version", "text"),
    ("uri", "text"),
    ("title", "text"),
    ("metadata", "jsonb"),
];

impl HitDocument {
    /// Returns the media type, plain text if it is unknown.
    pub fn media_type(&self) -> MediaType {
        self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new)
    }
}

/// Returns the column of the media type, NULL without documents.
pub fn media_type(documents: Option<&Relation>) -> String {
    documents.map_or_else(
        || "NULL::pg_catalog.text".to_owned(),
        |documents| documents.column("d", "media_type", "text"),
    )
}

/// Returns the columns that a passage returns of its document.
pub fn select(documents: Option<&Relation>) -> Vec<String> {
    Relation::columns(documents, "d", &COLUMNS)
}

/// Reads a document: the columns of its id, of its media type and, for a passage, the first of [`select`].
pub fn read(
    rows: &Rows,
    row: usize,
    columns: ChunkColumns,
    [id, media_type, first]: [usize; 3],
) -> HitDocument {
    let of_row = HitDocument {
        id: rows.uuid(row, id),
        media_type: rows.get(row, media_type),
        ..HitDocument::default()
    };
    if !matches!(columns, ChunkColumns::Passage { .. }) {
        return of_row;
    }
    HitDocument {
        collection: rows.get(row, first),
        version: rows.get(row, first + 1),
        uri: rows.get(row, first + 2),
        title: rows.get(row, first + 3),
        metadata: rows.get(row, first + 4),
        ..of_row
    }
}
