//! The statement of `outline`: all chunks of one document, without their contents.

use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::sql_text::EQUAL;
use crate::types::section_from_sql;
use passage_core::outline::OutlineChunk;
use pgrx::datum::Uuid;
use std::collections::HashSet;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct OutlineStatement {
    by_uri: bool,
}

impl StatementKey for OutlineStatement {}

impl Store {
    /// Reads the chunks of a document that is given by its id, its uri, or both.
    ///
    /// If several documents have the uri, the one with the smallest id is read.
    pub fn outline_chunks(
        &self,
        connection: &Connection,
        document_id: Option<Uuid>,
        uri: Option<String>,
        hits: &HashSet<uuid::Uuid>,
    ) -> Vec<OutlineChunk> {
        let documents = self.0.documents.as_ref().filter(|documents| documents.has("uri"));
        if uri.is_some() && documents.is_none() {
            return Vec::new();
        }
        let key = OutlineStatement { by_uri: uri.is_some() };
        let statement =
            self.0.statement(key, || statement(&self.0, documents.filter(|_| uri.is_some())));
        let mut values = vec![Value::new(document_id)];
        values.extend(uri.map(Value::new));
        let rows = connection.read(&statement, values);
        let chunk = |row| {
            pause(row);
            let section = rows.get::<Vec<Option<String>>>(row, 1).unwrap_or_default();
            // An outline has no place for a chunk without an ordinal.
            Some(OutlineChunk {
                ordinal: rows.get(row, 0)?,
                section: section_from_sql(section),
                level: rows.get(row, 2).unwrap_or_default(),
                tokens: rows.get::<i32>(row, 3).map_or(0, i64::from),
                first_line: rows.get(row, 4),
                last_line: rows.get(row, 5),
                hit: hits.contains(&rows.uuid(row, 6)),
            })
        };
        (0..rows.len()).filter_map(chunk).collect()
    }
}

fn statement(layout: &Layout, by_uri: Option<&Relation>) -> String {
    let integer = |column: &str| layout.chunks.column("c", column, "integer");
    let document = by_uri.map_or_else(
        || "$1".to_owned(),
        |documents| {
            format!(
                "(SELECT d.id FROM {} AS d WHERE {} {EQUAL} $2 AND d.id {EQUAL} coalesce($1, d.id) \
                 ORDER BY d.id LIMIT 1)",
                documents.name,
                documents.column("d", "uri", "text"),
            )
        },
    );
    format!(
        "SELECT {ordinal}, {section}, {level}, {tokens}, {first}, {last}, {id} \
         FROM {chunks} AS c WHERE c.document_id {EQUAL} {document} ORDER BY c.ordinal",
        ordinal = integer("ordinal"),
        section = layout.section("c"),
        level = integer("level"),
        tokens = layout.tokens("c"),
        first = integer("first_line"),
        last = integer("last_line"),
        id = layout.chunks.column("c", "id", "uuid"),
        chunks = layout.chunks.name,
    )
}
