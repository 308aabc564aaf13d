/*!
The statement that tells how large the units of hits are.

A function that was split has several chunks of one section, and a class has its head and its closing
part in its own. So the tokens of a unit are those of its section, counted up to a bound.
*/

use super::Store;
use super::hits::uuid;
use super::layout::{Layout, Purpose};
use super::operators::EQUAL;
use crate::spi::{Connection, Value};
use crate::types::UuidArray;
use std::collections::HashMap;
use uuid::Uuid;

/// The most chunks of a unit that are counted.
const COUNTED: u32 = 500;

impl Store {
    /// Reads the units of chunks: a key that chunks of one unit share, and the tokens of all of it.
    pub fn units(
        &self,
        connection: &Connection,
        ids: &[Uuid],
    ) -> HashMap<Uuid, ((Uuid, i64), u64)> {
        if ids.is_empty() || !self.0.has_kin() {
            return HashMap::new();
        }
        let statement = self.0.statement(Purpose::Units, || statement(&self.0));
        let ids: UuidArray = ids.iter().copied().collect();
        let rows = connection.read(&statement, vec![Value::new(ids)]);
        let unit = |row| {
            let key = (uuid(rows.get(row, 1)), rows.get::<i64>(row, 2)?);
            let tokens = rows.get::<i64>(row, 3)?.max(0).unsigned_abs();
            Some((uuid(rows.get(row, 0)), (key, tokens)))
        };
        (0..rows.len()).filter_map(unit).collect()
    }
}

fn statement(layout: &Layout) -> String {
    let chunks = &layout.chunks.name;
    format!(
        "SELECT i.id, {document}, h.section_key, u.tokens \
         FROM pg_catalog.unnest($1) AS i (id) JOIN {chunks} AS h ON h.id {EQUAL} i.id, \
         LATERAL (SELECT pg_catalog.sum(t.tokens) AS tokens FROM (\
         SELECT {tokens} AS tokens FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} h.document_id AND c.section_key {EQUAL} h.section_key \
         LIMIT {COUNTED}) AS t) AS u",
        document = layout.chunks.column("h", "document_id", "uuid"),
        tokens = layout.tokens("c"),
    )
}
