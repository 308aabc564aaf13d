//! The statement that tells the sections of chunks which a search found.

use crate::spi::{Connection, Value};
use crate::store::Store;
use crate::store::hits::uuid;
use crate::store::layout::Purpose;
use crate::store::operators::EQUAL;
use crate::types::UuidArray;
use std::collections::HashMap;
use uuid::Uuid;

impl Store {
    /// Reads of chunks what tells their sections, and the documents of these, from others.
    pub fn sections_of(&self, connection: &Connection, ids: &[Uuid]) -> HashMap<Uuid, (u128, i64)> {
        let statement = self.0.statement(Purpose::SectionsOf, || {
            format!(
                "SELECT h.id, {document}, {section} \
                 FROM pg_catalog.unnest($1) AS h (id) JOIN {chunks} AS c ON c.id {EQUAL} h.id",
                document = self.0.chunks.column("c", "document_id", "uuid"),
                section = self.0.section_key("c"),
                chunks = self.0.chunks.name,
            )
        });
        let ids: UuidArray = ids.iter().copied().collect();
        let rows = connection.read(&statement, vec![Value::new(ids)]);
        let section = |row| {
            let document = uuid(rows.get(row, 1)).as_u128();
            Some((uuid(rows.get(row, 0)), (document, rows.get(row, 2)?)))
        };
        (0..rows.len()).filter_map(section).collect()
    }
}
