//! The statements that replace a document.

use crate::server::spi::Access;
use crate::server::sql_text::{EQUAL, FIELD, MERGE, WITHOUT};
use crate::store::layout::{Layout, StatementKey};
use crate::store::rights::Command;

/// Identifies a statement of replacing a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WriteStatement {
    /// Finds the document of a uri.
    FindDocument,
    /// Locks a document.
    LockDocument,
    /// Inserts a document.
    InsertDocument,
    /// Inserts the document of a row that `keep_in_step` follows.
    InsertDocumentOfRow,
    /// Locks a document against removal, and reads the row that it came from.
    ReadSourceRow,
    /// Records the row that a document comes from.
    RecordSourceRow,
    /// Updates a document.
    UpdateDocument,
    /// Reads the chunks of a document.
    ReadChunks,
    /// Deletes chunks.
    DeleteChunks,
    /// Deletes the embeddings of chunks whose preamble has changed.
    DeleteEmbeddings,
    /// Updates the positions of chunks.
    MoveChunks,
    /// Counts the chunks that are at their positions.
    CountChunks,
    /// Inserts chunks.
    InsertChunks,
}

/// The last parameter that [`WriteStatement::MoveChunks`] and [`WriteStatement::InsertChunks`] have in
/// common. Each from the second on is an array of a column.
const LAST_POSITION: usize = 13;

/// The columns of these parameters.
const COLUMNS: &str = "id, ordinal, level, kind, unit, preamble, tokens, start_byte, end_byte, \
     first_line, last_line, metadata";

impl StatementKey for WriteStatement {
    /// Statements with many ids are planned for each execution: a plan that was made while the store was
    /// small may scan the whole document for each id.
    fn access(&self) -> Access {
        match self {
            Self::DeleteChunks | Self::DeleteEmbeddings | Self::MoveChunks | Self::CountChunks => {
                Access::Matches
            }
            _ => Access::Index,
        }
    }
}

/// Identifies a statement of replacing a document in a store that Citus distributes. It is planned for each
/// execution, because Citus finds the shard of a document among the values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DistributedStatement {
    pub statement: WriteStatement,
    /// Whether Citus distributes the store by document.
    pub is_spread: bool,
}

impl StatementKey for DistributedStatement {
    fn access(&self) -> Access {
        Access::Any
    }
}

impl DistributedStatement {
    /// Returns the text of the statement for a store.
    pub fn text(self, layout: &Layout) -> String {
        match self.statement {
            WriteStatement::InsertChunks if self.is_spread => insert_chunks(layout, true),
            statement => statement.text(layout),
        }
    }
}

impl WriteStatement {
    /// Returns the table and the command that the role must be allowed to use. A lock needs UPDATE.
    pub fn right(self) -> (&'static str, Command) {
        match self {
            Self::FindDocument => ("documents", Command::Select),
            Self::InsertDocument | Self::InsertDocumentOfRow => ("documents", Command::Insert),
            Self::LockDocument
            | Self::ReadSourceRow
            | Self::RecordSourceRow
            | Self::UpdateDocument => ("documents", Command::Update),
            Self::ReadChunks | Self::CountChunks => ("chunks", Command::Select),
            Self::InsertChunks => ("chunks", Command::Insert),
            Self::MoveChunks => ("chunks", Command::Update),
            Self::DeleteChunks => ("chunks", Command::Delete),
            Self::DeleteEmbeddings => ("embeddings", Command::Delete),
        }
    }

    /// Returns the text of the statement for a store.
    pub fn text(self, layout: &Layout) -> String {
        let chunks = &layout.chunks.name;
        let documents = &layout.documents.as_ref().expect("the store has documents").name;
        let embeddings = layout.embeddings.as_ref().map_or("", |embeddings| &embeddings.name);
        let document_state = |hashes: &str| {
            let relation = layout.documents.as_ref().expect("the store has documents");
            format!(
                "{}, coalesce(d.content_hash {EQUAL} ANY ({hashes}), false) AND d.orphaned_at IS NULL, {} \
                 FROM {documents} AS d",
                relation.column("d", "id", "uuid"),
                relation.column("d", "chunk_count", "integer"),
            )
        };
        let metadata = format!("$7::pg_catalog.jsonb {MERGE} $8::pg_catalog.jsonb");
        match self {
            Self::FindDocument => format!(
                "SELECT {} WHERE d.uri {EQUAL} $1 AND d.collection {EQUAL} $2 AND d.version {EQUAL} $3",
                document_state("$4")
            ),
            Self::LockDocument => {
                format!("SELECT {} WHERE d.id {EQUAL} $1 FOR NO KEY UPDATE", document_state("$2"))
            }
            Self::InsertDocument | Self::InsertDocumentOfRow => {
                let (column, value) = match self {
                    Self::InsertDocumentOfRow => (", source_row", ", $12"),
                    _ => Default::default(),
                };
                format!(
                    "INSERT INTO {documents} (id, title, media_type, source_media_type, content_hash, \
                     chunk_count, metadata, collection, version, uri{column}) VALUES \
                     ($1, $2, $3, $4, $5, $6, {metadata}, $9, $10, $11{value}) \
                     ON CONFLICT DO NOTHING"
                )
            }
            Self::ReadSourceRow => format!(
                "SELECT d.source_row FROM {documents} AS d WHERE d.id {EQUAL} $1 FOR KEY SHARE"
            ),
            Self::RecordSourceRow => {
                format!("UPDATE {documents} SET source_row = $2 WHERE id {EQUAL} $1")
            }
            // The source exists, so the document is not orphaned.
            Self::UpdateDocument => format!(
                "UPDATE {documents} SET title = $2, media_type = $3, source_media_type = $4, \
                 content_hash = $5, chunk_count = $6, \
                 metadata = {metadata}, \
                 orphaned_at = NULL, ingested_at = pg_catalog.now() WHERE id {EQUAL} $1"
            ),
            Self::ReadChunks => format!(
                "SELECT {}, {} FROM {chunks} AS c WHERE c.document_id {EQUAL} $1",
                layout.chunks.column("c", "id", "uuid"),
                layout.chunks.column("c", "preamble", "text"),
            ),
            Self::DeleteChunks => {
                format!("DELETE FROM {chunks} WHERE document_id {EQUAL} $1 AND id {EQUAL} ANY ($2)")
            }
            Self::DeleteEmbeddings => format!(
                "DELETE FROM {embeddings} WHERE document_id {EQUAL} $1 AND chunk_id {EQUAL} ANY ($2)"
            ),
            // A chunk that has not moved is not written; its id represents section and content. Only
            // IS DISTINCT FROM can compare NULLs here, and the search path makes its operators those of
            // pg_catalog.
            Self::MoveChunks => format!(
                "UPDATE {chunks} AS c SET ordinal = m.ordinal, level = m.level, kind = m.kind, \
                 unit = m.unit, preamble = m.preamble, tokens = m.tokens, \
                 start_byte = m.start_byte, end_byte = m.end_byte, \
                 first_line = m.first_line, last_line = m.last_line, \
                 metadata = (c.metadata {WITHOUT} {imports}) {MERGE} m.metadata::pg_catalog.jsonb \
                 FROM {rows} AS m ({COLUMNS}) \
                 WHERE c.document_id {EQUAL} $1 AND c.id {EQUAL} m.id AND \
                 (c.ordinal, c.level, c.kind, c.unit, c.preamble, c.tokens, \
                 c.start_byte, c.end_byte, c.first_line, c.last_line, \
                 c.metadata {FIELD} {imports}) IS DISTINCT FROM \
                 (m.ordinal, m.level, m.kind, m.unit, m.preamble, m.tokens, \
                 m.start_byte, m.end_byte, m.first_line, m.last_line, \
                 m.metadata::pg_catalog.jsonb {FIELD} {imports})",
                rows = rows_of_arrays(LAST_POSITION),
                imports = "'imports'::pg_catalog.text",
            ),
            Self::CountChunks => format!(
                "SELECT pg_catalog.count(*) FROM {rows} \
                 AS m (id, ordinal) JOIN {chunks} AS c ON c.id {EQUAL} m.id \
                 WHERE c.document_id {EQUAL} $1 AND c.ordinal {EQUAL} m.ordinal",
                rows = rows_of_arrays(3),
            ),
            Self::InsertChunks => insert_chunks(layout, false),
        }
    }
}

/// Returns the statement that inserts chunks. Citus copies rows of no shard to a table, which policies forbid, so in a
/// store that is spread by document the rows come from the shard of the document.
fn insert_chunks(layout: &Layout, is_spread: bool) -> String {
    let documents = &layout.documents.as_ref().expect("the store has documents").name;
    let (id, shard, condition) = if is_spread {
        ("d.id", format!("{documents} AS d, "), format!(" WHERE d.id {EQUAL} $1"))
    } else {
        ("$1", String::new(), String::new())
    };
    format!(
        "INSERT INTO {chunks} (document_id, {COLUMNS}, section, content) \
         SELECT {id}, m.id, m.ordinal, m.level, m.kind, m.unit, m.preamble, m.tokens, \
         m.start_byte, m.end_byte, m.first_line, m.last_line, m.metadata::pg_catalog.jsonb, \
         m.section::pg_catalog.text[], m.content \
         FROM {shard}{rows} AS m ({COLUMNS}, section, content){condition}",
        chunks = layout.chunks.name,
        rows = rows_of_arrays(LAST_POSITION + 2),
    )
}

/// Returns rows whose columns are array parameters, from the second one to `last`.
fn rows_of_arrays(last: usize) -> String {
    let columns = (2..=last).map(|parameter| format!("pg_catalog.unnest(${parameter})"));
    format!("ROWS FROM ({})", columns.collect::<Vec<_>>().join(", "))
}
