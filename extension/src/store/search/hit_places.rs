//! The statement that reads where hits are: their documents, their ordinals and, for names, their sections and uris.

use crate::server::spi::{Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{UuidArray, section_from_sql};
use crate::store::Store;
use crate::store::layout::{Layout, Relation, StatementKey};
use crate::store::shards::Route;
use passage_core::search::NamedPlace;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::HashMap;
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct PlaceStatement {
    has_names: bool,
}

impl StatementKey for PlaceStatement {}

impl Store {
    /// Reads the places of chunks; with `has_names` also their sections and the uris of their documents. Chunks without a
    /// known place are left out. Nothing is read if ordinals are not stored, because a view would compute those of all chunks.
    pub fn hit_places(
        &self,
        connection: &Connection,
        ids: &[Uuid],
        has_names: bool,
    ) -> HashMap<Uuid, NamedPlace<Uuid>> {
        if ids.is_empty() || !self.0.has_ordinals() {
            return HashMap::new();
        }
        let key = PlaceStatement { has_names };
        let statement = self.0.statement(key, || statement(&self.0, has_names));
        let values = vec![Value::new(ids.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let place = |row| {
            pause(row);
            let named = |column: usize| if has_names { Some(column) } else { None };
            let place = NamedPlace {
                document: rows.uuid(row, 1),
                ordinal: rows.get(row, 2)?,
                section: named(3)
                    .and_then(|column| rows.get(row, column))
                    .map(section_from_sql)
                    .unwrap_or_default(),
                uri: named(4).and_then(|column| rows.get(row, column)),
            };
            Some((rows.uuid(row, 0), place))
        };
        (0..rows.len()).filter_map(place).collect()
    }
}

fn statement(layout: &Layout, has_names: bool) -> String {
    let column = |column, sql_type| layout.chunks.column("c", column, sql_type);
    let mut selected =
        vec![column("id", "uuid"), column("document_id", "uuid"), column("ordinal", "integer")];
    let mut join = String::new();
    if has_names {
        let documents = layout.documents.as_ref();
        selected.push(column("section", "text[]"));
        selected.extend(Relation::columns(documents, "d", &[("uri", "text")]));
        if let Some(documents) = documents {
            join = format!(" LEFT JOIN {} AS d ON d.id {EQUAL} c.document_id", documents.name);
        }
    }
    format!("SELECT {} FROM {}{join}", selected.join(", "), layout.chunks_of_ids("h", false, "c"))
}
