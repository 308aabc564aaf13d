//! The sections that links of hits lead to, with their documents.

use super::chunk_columns::ChunkColumns;
use super::hit_document::{self, HitDocument};
use super::hits::{Hits, StoredHit};
use crate::server::spi::{Access, Connection, Value};
use crate::server::sql_text::EQUAL;
use crate::server::types::{Name, UuidArray, section_from_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use passage_core::expand::LinkedSection;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::HashMap;
use std::rc::Rc;
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct LinkStatement {
    columns: ChunkColumns,
}

impl StatementKey for LinkStatement {
    fn access(&self) -> Access {
        Access::Any
    }
}

/// The sections that links of hits lead to, for each hit in the order of its links.
#[derive(Default)]
pub struct LinkedSections {
    pub list: Vec<LinkedSection>,
    /// Their documents. For context, only the ids are read.
    pub documents: HashMap<Uuid, Rc<HitDocument>>,
}

/// The columns before those of the document.
const HIT: usize = 0;
const DOCUMENT: usize = 1;
const SECTION: usize = 2;
const ORDINAL: usize = 3;
const MEDIA_TYPE: usize = 4;
const FIRST_DOCUMENT_COLUMN: usize = 5;

impl Store {
    /// Reads the sections that links of hits lead to, as many as the strategy of each hit has. No statement is executed if
    /// no strategy has any.
    pub fn linked_sections(
        &self,
        connection: &Connection,
        hits: &Hits,
        columns: ChunkColumns,
    ) -> LinkedSections {
        let mut linked = LinkedSections::default();
        let max_sections = hits.list.iter().map(|hit| hit.strategy.links).max().unwrap_or_default();
        if max_sections == 0 {
            return linked;
        }
        let position = |(index, hit): (usize, &StoredHit)| {
            pause(index);
            (hit.strategy.links > 0 && hit.ordinal.is_some()).then_some((hit.scored.chunk, index))
        };
        let positions: HashMap<Uuid, usize> =
            hits.list.iter().enumerate().filter_map(position).collect();
        let all: UuidArray = hits.list.iter().map(|hit| hit.scored.chunk).collect();
        let values = vec![
            Value::new(Name(self.0.store.clone())),
            Value::new(all),
            Value::new(positions.keys().copied().collect::<UuidArray>()),
            Value::new(max_sections as i32),
            Value::new(columns == (ChunkColumns::Passage { imports: true })),
        ];
        let statement = self.0.statement(LinkStatement { columns }, || statement(&self.0, columns));
        let rows = connection.read(&statement, values);
        for row in 0..rows.len() {
            pause(row);
            let Some(hit) = positions.get(&rows.uuid(row, HIT)) else { continue };
            let id = rows.uuid(row, DOCUMENT);
            linked.documents.entry(id).or_insert_with(|| {
                let places = [DOCUMENT, MEDIA_TYPE, FIRST_DOCUMENT_COLUMN];
                Rc::new(hit_document::read(&rows, row, columns, places))
            });
            linked.list.push(LinkedSection {
                hit: *hit,
                document: id,
                section: rows.get(row, SECTION).map(section_from_sql).unwrap_or_default(),
                first: rows.get(row, ORDINAL).unwrap_or_default(),
            });
        }
        // The probes of a hit have the order of its links, and the hits their own.
        linked.list.sort_by_key(|link| link.hit);
        linked
    }
}

fn statement(layout: &Layout, columns: ChunkColumns) -> String {
    let with_documents = matches!(columns, ChunkColumns::Passage { .. });
    let documents = layout.documents.as_ref().filter(|_| with_documents);
    let join = documents.map_or_else(String::new, |documents| {
        format!("LEFT JOIN {} AS d ON d.id {EQUAL} s.document_id", documents.name)
    });
    let mut selected = vec![
        "s.hit".to_owned(),
        "s.document_id".to_owned(),
        "s.section".to_owned(),
        "s.ordinal".to_owned(),
        hit_document::media_type(documents),
    ];
    if with_documents {
        selected.extend(hit_document::select(documents));
    }
    format!(
        "SELECT {} FROM _passage.linked_sections($1, $2, $3, $4, $5) WITH ORDINALITY \
         AS s (hit, document_id, section, ordinal, place) {join} ORDER BY s.place",
        selected.join(", ")
    )
}
