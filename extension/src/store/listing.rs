//! The statement behind `search_hits`: what is told of chunks that were found.

use super::Store;
use super::hits::uuid;
use super::layout::{Layout, Purpose, Relation};
use super::operators::EQUAL;
use crate::spi::{Connection, Value};
use crate::types::{RawText, TextArray, UuidArray};
use std::collections::HashMap;
use uuid::Uuid;

/// A chunk that was found.
pub struct Listed {
    pub document: Uuid,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub section: TextArray,
    pub tokens: Option<i32>,
    pub content: RawText,
}

impl Store {
    /// Reads what is told of chunks; those that the caller may not see are not in it.
    pub fn listing(&self, connection: &Connection, ids: &[Uuid]) -> HashMap<Uuid, Listed> {
        let statement = self.0.statement(Purpose::Listing, || statement(&self.0));
        let ids: UuidArray = ids.iter().copied().collect();
        let rows = connection.read(&statement, vec![Value::new(ids)]);
        let listed = |row| {
            let listed = Listed {
                document: uuid(rows.get(row, 1)),
                uri: rows.get(row, 2),
                title: rows.get(row, 3),
                section: rows.get(row, 4).unwrap_or_else(TextArray::empty),
                tokens: rows.get(row, 5),
                content: rows.get(row, 6).unwrap_or_else(RawText::empty),
            };
            (uuid(rows.get(row, 0)), listed)
        };
        (0..rows.len()).map(listed).collect()
    }
}

fn statement(layout: &Layout) -> String {
    let documents = layout.documents.as_ref();
    let join = documents.map_or_else(String::new, |documents| {
        format!(" LEFT JOIN {} AS d ON d.id {EQUAL} c.document_id", documents.name)
    });
    let of_chunk = |column, sql_type| layout.chunks.column("c", column, sql_type);
    let selected = [
        vec![of_chunk("id", "uuid"), of_chunk("document_id", "uuid")],
        Relation::all(documents, "d", &[("uri", "text"), ("title", "text")]),
        vec![of_chunk("section", "text[]"), layout.tokens("c"), of_chunk("content", "text")],
    ];
    format!(
        "SELECT {} FROM pg_catalog.unnest($1) AS h (id) JOIN {} AS c ON c.id {EQUAL} h.id{join}",
        selected.concat().join(", "),
        layout.chunks.name,
    )
}
