//! The statement of `outline`: all chunks of one document, without their contents.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{section_from_sql, to_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::outline::OutlineChunk;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::HashSet;
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct OutlineStatement;

impl StatementKey for OutlineStatement {}

impl Store {
    /// Reads the chunks of a document.
    pub fn outline_chunks(
        &self,
        connection: &Connection,
        document: Uuid,
        hits: &HashSet<Uuid>,
    ) -> Vec<OutlineChunk> {
        let statement = self.0.statement(OutlineStatement, || statement(&self.0));
        let values = vec![Value::new(to_sql(document))];
        let rows = self.read(connection, &statement, values, Route::Documents(&[document]), None);
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

fn statement(layout: &Layout) -> String {
    let integer = |column: &str| layout.chunks.column("c", column, "integer");
    format!(
        "SELECT {ordinal}, {section}, {level}, {tokens}, {first}, {last}, {id} \
         FROM {chunks} AS c WHERE c.document_id {EQUAL} $1 ORDER BY c.ordinal",
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
