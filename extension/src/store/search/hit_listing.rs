//! The statement of `search_hits`: the columns of chunks that were found.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{RawText, TextArray, UuidArray};
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::shards::Route;
use std::collections::HashMap;
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct ListingStatement;

impl StatementKey for ListingStatement {}

/// The columns of a chunk that was found.
pub struct ListedChunk {
    pub document: Uuid,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub section: TextArray,
    pub tokens: Option<i32>,
    pub content: RawText,
    pub source_id: Option<RawText>,
}

impl Store {
    /// Reads chunks by their ids. Chunks that the caller may not see are left out.
    pub fn list_chunks(&self, connection: &Connection, ids: &[Uuid]) -> HashMap<Uuid, ListedChunk> {
        let statement = self.0.statement(ListingStatement, || statement(&self.0));
        let values = vec![Value::new(ids.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let chunk = |row| {
            let chunk = ListedChunk {
                document: rows.uuid(row, 1),
                uri: rows.get(row, 2),
                title: rows.get(row, 3),
                section: rows.get(row, 4).unwrap_or_else(TextArray::empty),
                tokens: rows.get(row, 5),
                content: rows.get(row, 6).unwrap_or_else(RawText::empty),
                source_id: rows.get(row, 7),
            };
            (rows.uuid(row, 0), chunk)
        };
        (0..rows.len()).map(chunk).collect()
    }
}

fn statement(layout: &Layout) -> String {
    let documents = layout.documents.as_ref();
    let join = documents.map_or_else(String::new, |documents| {
        format!(" LEFT JOIN {} AS d ON d.id {EQUAL} c.document_id", documents.name)
    });
    let chunk_column = |column, sql_type| layout.chunks.column("c", column, sql_type);
    let selected = [
        vec![chunk_column("id", "uuid"), chunk_column("document_id", "uuid")],
        Relation::columns(documents, "d", &[("uri", "text"), ("title", "text")]),
        vec![
            chunk_column("section", "text[]"),
            layout.tokens("c"),
            chunk_column("content", "text"),
            chunk_column("source_id", "text"),
        ],
    ];
    format!(
        "SELECT {} FROM {}{join}",
        selected.concat().join(", "),
        layout.chunks_of_ids("h", false, "c"),
    )
}
