//! The statement that reads what a fragment tells of its document.

use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose, Relation};
use crate::store::operators::EQUAL;
use crate::types::{RawJsonb, UuidArray};
use passage_core::MediaType;
use std::collections::HashMap;
use uuid::Uuid;

/// What is told of a document; all of it may be unknown.
#[derive(Clone, Default)]
pub struct Told {
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub metadata: Option<RawJsonb>,
    /// How many chunks it has.
    pub chunks: Option<i32>,
    /// How long its text is.
    pub bytes: Option<i32>,
}

impl Told {
    /// Tells whether the document may have fenced blocks.
    pub fn is_markdown(&self) -> bool {
        let media_type = self.media_type.as_deref().map_or(MediaType::PLAIN, MediaType::new);
        media_type.structure() == "text/markdown"
    }
}

impl Store {
    /// Reads what is told of documents.
    pub fn told(&self, connection: &Connection, documents: &[Uuid]) -> HashMap<Uuid, Told> {
        let statement = self.0.statement(Purpose::Told, || statement(&self.0));
        let ids: UuidArray = documents.iter().copied().collect();
        let rows = connection.read(&statement, vec![Value::new(ids)]);
        let told = |row| {
            let told = Told {
                uri: rows.get(row, 1),
                title: rows.get(row, 2),
                media_type: rows.get(row, 3),
                metadata: rows.get(row, 4),
                chunks: rows.get::<i32>(row, 5).and_then(|last| last.checked_add(1)),
                bytes: rows.get(row, 6),
            };
            (uuid(rows.get(row, 0)), told)
        };
        (0..rows.len()).map(told).collect()
    }
}

const TOLD: [(&str, &str); 4] =
    [("uri", "text"), ("title", "text"), ("media_type", "text"), ("metadata", "jsonb")];

fn statement(layout: &Layout) -> String {
    let documents = layout.documents.as_ref();
    let mut selected = Relation::all(documents, "d", &TOLD);
    let mut joins = documents.map_or_else(String::new, |documents| {
        format!(" LEFT JOIN {} AS d ON d.id {EQUAL} h.id", documents.name)
    });
    if layout.chunks.has_ordinals {
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
