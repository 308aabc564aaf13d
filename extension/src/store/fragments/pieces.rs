/*!
The statement that reads the best chunks with what stands around them.

A chunk may begin in the middle of a line or a fenced block, so its neighbours come along, as many as
hold the rest of what can come back whole; and so does its parent, for a preview.
*/

use crate::interrupt::pause;
use crate::spi::{Connection, Rows, Value};
use crate::store::Store;
use crate::store::around::NO_KEY;
use crate::store::hits::uuid;
use crate::store::layout::{Layout, Purpose};
use crate::store::operators::{ADD, BELOW, EQUAL, SUBTRACT, between};
use crate::types::{UuidArray, to_sql};
use passage_core::fragments::SourceChunk;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use uuid::Uuid;

/// How many chunks are read before and after one.
const AROUND: i64 = 6;

/// What was read around chunks.
#[derive(Default)]
pub struct Pieces {
    /// The documents of the pieces.
    pub documents: Vec<Uuid>,
    /// All chunks in the order of their documents, each once.
    pub list: Vec<SourceChunk<'static>>,
    /// The id of each.
    pub ids: Vec<Uuid>,
    /// Parents of chunks that were asked for.
    pub parents: HashMap<Uuid, Parent>,
}

/// The chunk that stands above another one.
pub struct Parent {
    pub id: Uuid,
    pub content: String,
    pub lines: [Option<i32>; 2],
}

/// A chunk that was read.
struct Row {
    id: Uuid,
    document: Uuid,
    piece: SourceChunk<'static>,
    last_line: Option<i32>,
}

impl Store {
    /// Reads chunks with those around them.
    pub fn pieces(&self, connection: &Connection, ids: &[Uuid]) -> Pieces {
        let statement = self.0.statement(Purpose::Pieces, || statement(&self.0));
        let asked: UuidArray = ids.iter().copied().collect();
        let rows = connection.read(&statement, vec![Value::new(asked), Value::new(AROUND)]);
        let mut read = Pieces::default();
        let mut found: Vec<Row> = Vec::new();
        let mut windows: Vec<(Uuid, RangeInclusive<i64>)> = Vec::new();
        for row in 0..rows.len() {
            pause(row);
            let Row { id, document, piece, last_line } = Row::read(&rows, row);
            let hit = uuid(rows.get(row, 1));
            if rows.get::<bool>(row, 0) == Some(true) {
                let lines = [piece.first_line, last_line];
                read.parents.insert(hit, Parent { id, content: piece.content.into_owned(), lines });
                continue;
            }
            if let (true, Some(ordinal)) = (id == hit, piece.ordinal) {
                let ordinal = i64::from(ordinal);
                windows.push((document, ordinal - AROUND..=ordinal + AROUND));
            }
            found.push(Row { id, document, piece, last_line });
        }
        found.sort_by_key(|row| (row.document, row.piece.ordinal, row.id));
        found.dedup_by_key(|row| row.id);
        let reads = |document, ordinal: i64| {
            let mut around = windows.iter().filter(|(of, _)| *of == document);
            ordinal < 0 || around.any(|(_, window)| window.contains(&ordinal))
        };
        for Row { id, document, mut piece, .. } in found {
            if read.documents.last() != Some(&document) {
                read.documents.push(document);
            }
            piece.document = read.documents.len() - 1;
            // Where chunks around are not read at all, nothing is known of the edges.
            if let Some(ordinal) = piece.ordinal.filter(|_| self.0.chunks.has_ordinals) {
                let ordinal = i64::from(ordinal);
                piece.continues = [!reads(document, ordinal - 1), !reads(document, ordinal + 1)];
            }
            read.list.push(piece);
            read.ids.push(id);
        }
        read
    }

    /// Reads a document from its beginning, at most so many chunks; tells whether there are more.
    pub fn whole(&self, connection: &Connection, document: Uuid, most: i64) -> (Pieces, bool) {
        let statement = self.0.statement(Purpose::Whole, || whole(&self.0));
        let values = vec![Value::new(to_sql(document)), Value::new(most.saturating_add(1))];
        let rows = connection.read(&statement, values);
        let mut read = Pieces { documents: vec![document], ..Pieces::default() };
        let count = rows.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        for row in 0..count {
            pause(row);
            let Row { id, piece, .. } = Row::read(&rows, row);
            read.list.push(piece);
            read.ids.push(id);
        }
        (read, count < rows.len())
    }
}

impl Row {
    fn read(rows: &Rows, row: usize) -> Self {
        let integer = |column| rows.get::<i32>(row, column);
        let piece = SourceChunk {
            document: 0,
            ordinal: integer(4),
            content: rows.get::<String>(row, 5).unwrap_or_default().into(),
            tokens: integer(6).map_or(0, |tokens| tokens.max(0).unsigned_abs()),
            span: integer(7).zip(integer(8)).map(|(start, end)| start..end),
            first_line: integer(9),
            section: rows.get(row, 11),
            continues: [false; 2],
        };
        let (id, document) = (uuid(rows.get(row, 2)), uuid(rows.get(row, 3)));
        Self { id, document, piece, last_line: integer(10) }
    }
}

fn columns(layout: &Layout, alias: &str) -> String {
    let column = |name, sql_type| layout.chunks.column(alias, name, sql_type);
    let mut columns = vec![
        column("id", "uuid"),
        column("document_id", "uuid"),
        column("ordinal", "integer"),
        column("content", "text"),
        layout.tokens(alias),
    ];
    let integers = ["start_byte", "end_byte", "first_line", "last_line"];
    columns.extend(integers.map(|name| column(name, "integer")));
    columns.push(layout.section_key(alias));
    columns.join(", ")
}

fn statement(layout: &Layout) -> String {
    let chunks = &layout.chunks.name;
    let columns = columns(layout, "c");
    if !layout.chunks.has_ordinals {
        // A view may number its chunks by a window function, which only a constant document bounds.
        return format!(
            "SELECT false, h.id, {columns} FROM pg_catalog.unnest($1) AS h (id) \
             JOIN {chunks} AS c ON c.id {EQUAL} h.id WHERE $2 IS NOT NULL"
        );
    }
    // The ends are found first: a condition that could overflow is never one of the index under
    // row-level security.
    let (key, parent) = if layout.has_kin() {
        let above = format!("h.section[1:pg_catalog.cardinality(h.section) {SUBTRACT} 1]");
        ("h.parent_key", above)
    } else {
        (NO_KEY, "NULL::pg_catalog.text[]".to_owned())
    };
    let hits = format!(
        "(SELECT a.id, h.document_id, h.ordinal, h.ordinal::pg_catalog.int8 {SUBTRACT} $2 AS first, \
         h.ordinal::pg_catalog.int8 {ADD} $2 AS last, {key} AS parent_key, {parent} AS above \
         FROM pg_catalog.unnest($1) AS a (id) JOIN {chunks} AS h ON h.id {EQUAL} a.id OFFSET 0) AS h"
    );
    let mut statement = format!(
        "SELECT false, h.id, {columns} FROM {hits} JOIN {chunks} AS c \
         ON c.document_id {EQUAL} h.document_id AND {}",
        between("c.ordinal", "h.first", "h.last")
    );
    if layout.has_kin() {
        let parents = format!(
            " UNION ALL SELECT true, h.id, c.* FROM {hits} CROSS JOIN LATERAL (SELECT {columns} \
             FROM {chunks} AS c WHERE c.document_id {EQUAL} h.document_id \
             AND c.section_key {EQUAL} h.parent_key \
             AND c.ordinal {BELOW} h.ordinal AND c.section {EQUAL} h.above \
             ORDER BY c.ordinal DESC LIMIT 1) AS c"
        );
        statement.push_str(&parents);
    }
    statement
}

fn whole(layout: &Layout) -> String {
    format!(
        "SELECT false, NULL::pg_catalog.uuid, {columns} FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 \
         ORDER BY c.ordinal LIMIT $2",
        columns = columns(layout, "c"),
        chunks = layout.chunks.name,
    )
}
