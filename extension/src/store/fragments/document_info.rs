//! The columns of documents that a fragment returns.

use crate::server::error::Error;
use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{RawJsonb, UuidArray};
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::search::Filters;
use crate::store::shards::Route;
use passage_split::MediaType;
use std::collections::HashMap;
use uuid::Uuid;

/// The columns of a document. All of them may be unknown.
#[derive(Clone, Default)]
pub struct DocumentInfo {
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub metadata: Option<RawJsonb>,
    /// The number of chunks.
    pub chunks: Option<i32>,
    /// The length of the text, in bytes.
    pub bytes: Option<i32>,
}

/// A document that a call names.
pub struct NamedDocument {
    pub id: Uuid,
    pub info: DocumentInfo,
}

/// Identifies the statement that reads documents.
#[derive(Clone, PartialEq)]
struct InfoStatement;

impl StatementKey for InfoStatement {}

impl DocumentInfo {
    /// Returns whether the document is Markdown, which may have fenced blocks.
    pub fn is_markdown(&self) -> bool {
        let media_type = self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new);
        media_type.structure() == "text/markdown"
    }
}

impl Store {
    /// Finds the document with an id, or the one that passes the filters.
    ///
    /// # Errors
    ///
    /// Returns [`Error::AmbiguousUri`] if several documents pass the filters.
    pub fn named_document(
        &self,
        connection: &Connection,
        id: Option<Uuid>,
        filters: &Filters,
    ) -> Result<Option<NamedDocument>, Error> {
        Ok(self.document_id(connection, id, filters)?.map(|id| {
            let info = self.document_info(connection, &[id]).remove(&id).unwrap_or_default();
            NamedDocument { id, info }
        }))
    }

    /// Reads the columns of documents.
    pub fn document_info(
        &self,
        connection: &Connection,
        documents: &[Uuid],
    ) -> HashMap<Uuid, DocumentInfo> {
        let statement = self.0.statement(InfoStatement, || info_statement(&self.0));
        let values = vec![Value::new(documents.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Documents(documents), None);
        let document = |row| {
            let info = DocumentInfo {
                uri: rows.get(row, 1),
                title: rows.get(row, 2),
                media_type: rows.get(row, 3),
                metadata: rows.get(row, 4),
                chunks: rows.get::<i32>(row, 5).and_then(|last| last.checked_add(1)),
                bytes: rows.get(row, 6),
            };
            (rows.uuid(row, 0), info)
        };
        (0..rows.len()).map(document).collect()
    }
}

/// The columns of `documents` that are read.
const COLUMNS: [(&str, &str); 4] =
    [("uri", "text"), ("title", "text"), ("media_type", "text"), ("metadata", "jsonb")];

fn info_statement(layout: &Layout) -> String {
    let documents = layout.documents.as_ref();
    let mut selected = Relation::columns(documents, "d", &COLUMNS);
    let mut joins = documents.map_or_else(String::new, |documents| {
        format!(" LEFT JOIN {} AS d ON d.id {EQUAL} h.id", documents.name)
    });
    if layout.has_ordinals() {
        selected.extend(["l.ordinal".to_owned(), "l.end_byte".to_owned()]);
        let last = format!(
            " LEFT JOIN LATERAL (SELECT c.ordinal, {end} AS end_byte FROM {chunks} AS c \
             WHERE c.document_id {EQUAL} h.id ORDER BY c.ordinal DESC LIMIT 1) AS l ON true",
            end = layout.chunks.column("c", "end_byte", "integer"),
            chunks = layout.chunks.name,
        );
        joins.push_str(&last);
    } else {
        selected.extend(["NULL::pg_catalog.int4".to_owned(), "NULL::pg_catalog.int4".to_owned()]);
    }
    format!("SELECT h.id, {} FROM pg_catalog.unnest($1) AS h (id){joins}", selected.join(", "))
}
