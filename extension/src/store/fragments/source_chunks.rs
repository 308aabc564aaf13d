/*!
The best chunks with the chunks around them.

A chunk may begin in the middle of a line or a fenced block. So its neighbors are read too, as many as are
needed to return whole lines and blocks, and its parent for a preview.
*/

use crate::server::spi::{Connection, Rows, Value};
use crate::server::sql_text::{ADD, BELOW, EQUAL, NO_KEY, SUBTRACT, between};
use crate::server::types::{UuidArray, to_sql};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use crate::store::shards::Route;
use passage_core::fragments::SourceChunk;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use uuid::Uuid;

/// The number of chunks that are read before and after each chunk.
const NEIGHBORS: i64 = 6;

/// Chunks and their neighbors.
#[derive(Default)]
pub struct SourceChunks {
    /// The documents of the chunks.
    pub documents: Vec<Uuid>,
    /// All chunks in the order of their documents, each once.
    pub list: Vec<SourceChunk<'static>>,
    /// The id of each chunk.
    pub ids: Vec<Uuid>,
    /// The id of each chunk in the table that its store adopted.
    pub source_ids: Vec<Option<String>>,
    /// Whether the store has such ids.
    pub has_source_ids: bool,
    /// The parents of the requested chunks.
    pub parents: HashMap<Uuid, ParentChunk>,
}

/// The parent of a chunk.
pub struct ParentChunk {
    pub id: Uuid,
    pub content: String,
    pub lines: [Option<i32>; 2],
}

/// A chunk in a row of a result.
struct SourceChunkRow {
    id: Uuid,
    document: Uuid,
    source_id: Option<String>,
    piece: SourceChunk<'static>,
    last_line: Option<i32>,
}

/// Identifies the statement for chunks with their neighbors.
#[derive(Clone, PartialEq)]
struct NeighborStatement;

impl StatementKey for NeighborStatement {}

/// Identifies the statement for the beginning of a document.
#[derive(Clone, PartialEq)]
struct BeginningStatement;

impl StatementKey for BeginningStatement {}

/// Identifies the statement for section keys.
#[derive(Clone, PartialEq)]
struct SectionStatement;

impl StatementKey for SectionStatement {}

impl Store {
    /// Reads chunks with their neighbors and parents.
    pub fn source_chunks(&self, connection: &Connection, ids: &[Uuid]) -> SourceChunks {
        let statement = self.0.statement(NeighborStatement, || neighbor_statement(&self.0));
        let requested: UuidArray = ids.iter().copied().collect();
        let values = vec![Value::new(requested), Value::new(NEIGHBORS)];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let mut read =
            SourceChunks { has_source_ids: self.has_source_ids(), ..SourceChunks::default() };
        let mut chunks: Vec<SourceChunkRow> = Vec::new();
        let mut windows: Vec<(Uuid, RangeInclusive<i64>)> = Vec::new();
        for row in 0..rows.len() {
            pause(row);
            let SourceChunkRow { id, document, source_id, piece, last_line } =
                SourceChunkRow::read(&rows, row);
            let hit = rows.uuid(row, 1);
            if rows.get::<bool>(row, 0) == Some(true) {
                let lines = [piece.first_line, last_line];
                read.parents
                    .insert(hit, ParentChunk { id, content: piece.content.into_owned(), lines });
                continue;
            }
            if let (true, Some(ordinal)) = (id == hit, piece.ordinal) {
                let ordinal = i64::from(ordinal);
                windows.push((document, ordinal - NEIGHBORS..=ordinal + NEIGHBORS));
            }
            chunks.push(SourceChunkRow { id, document, source_id, piece, last_line });
        }
        chunks.sort_by_key(|row| (row.document, row.piece.ordinal, row.id));
        chunks.dedup_by_key(|row| row.id);
        let is_read = |document, ordinal: i64| {
            let mut windows = windows.iter().filter(|(window, _)| *window == document);
            ordinal < 0 || windows.any(|(_, window)| window.contains(&ordinal))
        };
        for SourceChunkRow { id, document, source_id, mut piece, .. } in chunks {
            if read.documents.last() != Some(&document) {
                read.documents.push(document);
            }
            piece.document = read.documents.len() - 1;
            // If neighbors are not read at all, nothing is known about the edges.
            if let Some(ordinal) = piece.ordinal.filter(|_| self.0.has_ordinals()) {
                let ordinal = i64::from(ordinal);
                piece.continues =
                    [!is_read(document, ordinal - 1), !is_read(document, ordinal + 1)];
            }
            read.list.push(piece);
            read.ids.push(id);
            read.source_ids.push(source_id);
        }
        read
    }

    /// Reads the first chunks of a document, at most `limit`. The second result is whether there are
    /// more.
    pub fn first_chunks(
        &self,
        connection: &Connection,
        document: Uuid,
        limit: i64,
    ) -> (SourceChunks, bool) {
        let statement = self.0.statement(BeginningStatement, || beginning_statement(&self.0));
        let values = vec![Value::new(to_sql(document)), Value::new(limit.saturating_add(1))];
        let rows = self.read(connection, &statement, values, Route::Documents(&[document]), None);
        let mut read = SourceChunks {
            documents: vec![document],
            has_source_ids: self.has_source_ids(),
            ..SourceChunks::default()
        };
        let count = rows.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
        for row in 0..count {
            pause(row);
            let SourceChunkRow { id, source_id, piece, .. } = SourceChunkRow::read(&rows, row);
            read.list.push(piece);
            read.ids.push(id);
            read.source_ids.push(source_id);
        }
        (read, count < rows.len())
    }

    /// Returns the sections of chunks, each as the document and the section key.
    pub fn sections(&self, connection: &Connection, ids: &[Uuid]) -> HashMap<Uuid, (u128, i64)> {
        let statement = self.0.statement(SectionStatement, || {
            format!(
                "SELECT h.id, {document}, {section} \
                 FROM {chunks}",
                document = self.0.chunks.column("c", "document_id", "uuid"),
                section = self.0.section_key("c"),
                chunks = self.0.chunks_of_ids("h", false, "c"),
            )
        });
        let values = vec![Value::new(ids.iter().copied().collect::<UuidArray>())];
        let rows = self.read(connection, &statement, values, Route::Chunks(ids), None);
        let section = |row| {
            let document = rows.uuid(row, 1).as_u128();
            Some((rows.uuid(row, 0), (document, rows.get(row, 2)?)))
        };
        (0..rows.len()).filter_map(section).collect()
    }
}

impl SourceChunkRow {
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
        let (id, document) = (rows.uuid(row, 2), rows.uuid(row, 3));
        Self { id, document, source_id: rows.get(row, 12), piece, last_line: integer(10) }
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
    columns.push(column("source_id", "text"));
    columns.join(", ")
}

fn neighbor_statement(layout: &Layout) -> String {
    let chunks = &layout.chunks.name;
    let columns = columns(layout, "c");
    if !layout.has_ordinals() {
        // A view may compute ordinals with a window function, for which only a constant document bounds
        // the cost.
        return format!(
            "SELECT false, h.id, {columns} FROM {} WHERE $2 IS NOT NULL",
            layout.chunks_of_ids("h", false, "c"),
        );
    }
    // A subquery computes the ends first: under row-level security a condition that could overflow is
    // never an index condition.
    let (key, parent) = if layout.has_sections() {
        let above = format!("h.section[1:pg_catalog.cardinality(h.section) {SUBTRACT} 1]");
        ("h.parent_key", above)
    } else {
        (NO_KEY, "NULL::pg_catalog.text[]".to_owned())
    };
    let hits = format!(
        "(SELECT a.id, h.document_id, h.ordinal, h.ordinal::pg_catalog.int8 {SUBTRACT} $2 AS first, \
         h.ordinal::pg_catalog.int8 {ADD} $2 AS last, {key} AS parent_key, {parent} AS above \
         FROM {} OFFSET 0) AS h",
        layout.chunks_of_ids("a", false, "h"),
    );
    let mut statement = format!(
        "SELECT false, h.id, {columns} FROM {hits} JOIN {chunks} AS c \
         ON c.document_id {EQUAL} h.document_id AND {}",
        between("c.ordinal", "h.first", "h.last")
    );
    if layout.has_sections() {
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

fn beginning_statement(layout: &Layout) -> String {
    format!(
        "SELECT false, NULL::pg_catalog.uuid, {columns} FROM {chunks} AS c \
         WHERE c.document_id {EQUAL} $1 \
         ORDER BY c.ordinal LIMIT $2",
        columns = columns(layout, "c"),
        chunks = layout.chunks.name,
    )
}
