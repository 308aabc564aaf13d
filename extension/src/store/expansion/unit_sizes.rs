/*!
The sizes of the units that hits belong to.

A function that was split has several chunks of one section, and a class has its head and its closing
part in its own section. So the tokens of a unit are those of its section, counted up to a limit.
*/

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::UuidArray;
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use std::collections::HashMap;
use uuid::Uuid;

/// The maximum number of chunks of a unit that are counted.
const MAX_CHUNKS: u32 = 500;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct UnitSizes;

impl StatementKey for UnitSizes {}

impl Store {
    /// Returns the units of chunks: a key that the chunks of a unit share, and the tokens of the unit.
    pub fn unit_sizes(
        &self,
        connection: &Connection,
        ids: &[Uuid],
    ) -> HashMap<Uuid, ((Uuid, i64), u64)> {
        if ids.is_empty() || !self.0.has_sections() {
            return HashMap::new();
        }
        let statement = self.0.statement(UnitSizes, || statement(&self.0));
        let values = vec![Value::new(ids.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let unit = |row| {
            let key = (rows.uuid(row, 1), rows.get::<i64>(row, 2)?);
            let tokens = rows.get::<i64>(row, 3)?.max(0).unsigned_abs();
            Some((rows.uuid(row, 0), (key, tokens)))
        };
        (0..rows.len()).filter_map(unit).collect()
    }
}

fn statement(layout: &Layout) -> String {
    let chunks = &layout.chunks.name;
    format!(
        "SELECT i.id, {document}, h.section_key, u.tokens \
         FROM {hits}, \
         LATERAL (SELECT pg_catalog.sum(t.tokens) AS tokens FROM (\
         SELECT {tokens} AS tokens FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} h.document_id AND c.section_key {EQUAL} h.section_key \
         LIMIT {MAX_CHUNKS}) AS t) AS u",
        document = layout.chunks.column("h", "document_id", "uuid"),
        hits = layout.chunks_of_ids("i", false, "h"),
        tokens = layout.tokens("c"),
    )
}
