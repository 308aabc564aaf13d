//! The statements of replacing a document.

use crate::spi::Access;
use crate::store::layout::Layout;
use crate::store::operators::{EQUAL, FIELD, MERGE, WITHOUT};

/// What a statement does; each is written once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Write {
    /// Finds the document of a uri.
    Known,
    /// Locks a document.
    Lock,
    /// Inserts a document.
    Insert,
    /// Inserts a document of a row that `keep_in_step` follows.
    InsertOfRow,
    /// Locks a document against removal, and reads the row that it came from.
    Recorded,
    /// Updates a document.
    Update,
    /// Reads its chunks.
    There,
    /// Removes chunks.
    Remove,
    /// Removes the embeddings of chunks whose preamble is another.
    Forget,
    /// Puts chunks where they are now.
    Move,
    /// Counts those that are there.
    Check,
    /// Inserts chunks.
    Add,
}

/// The last parameter that [`Write::Move`] and [`Write::Add`] have in common; each from the second on
/// is an array of one of the columns.
const PLACED: usize = 13;

/// The columns of that.
const COLUMNS: &str = "id, ordinal, level, kind, unit, preamble, tokens, start_byte, end_byte, \
     first_line, last_line, metadata";

impl Write {
    /// Returns how the statement finds rows. By many ids there are two ways, and a plan that was made
    /// while the store was small may go through the whole document for each of them.
    pub fn access(self) -> Access {
        match self {
            Self::Remove | Self::Forget | Self::Move | Self::Check => Access::Matches,
            _ => Access::Index,
        }
    }

    /// Writes the statement for a store.
    pub fn statement(self, layout: &Layout) -> String {
        let chunks = &layout.chunks.name;
        let documents = &layout.documents.as_ref().expect("the store has documents").name;
        let embeddings = layout.embeddings.as_ref().map_or("", |embeddings| &embeddings.name);
        let found = |hash: &str| {
            let of = layout.documents.as_ref().expect("the store has documents");
            format!(
                "{}, coalesce(d.content_hash {EQUAL} {hash}, false) AND d.orphaned_at IS NULL, {} \
                 FROM {documents} AS d",
                of.column("d", "id", "uuid"),
                of.column("d", "chunk_count", "integer"),
            )
        };
        let metadata = format!("$7::pg_catalog.jsonb {MERGE} $8::pg_catalog.jsonb");
        match self {
            Self::Known => format!(
                "SELECT {} WHERE d.uri {EQUAL} $1 AND d.collection {EQUAL} $2 AND d.version {EQUAL} $3",
                found("$4")
            ),
            Self::Lock => {
                format!("SELECT {} WHERE d.id {EQUAL} $1 FOR NO KEY UPDATE", found("$2"))
            }
            Self::Insert | Self::InsertOfRow => {
                let (column, value) = match self {
                    Self::InsertOfRow => (", source_row", ", $12"),
                    _ => Default::default(),
                };
                format!(
                    "INSERT INTO {documents} (id, title, media_type, source_media_type, content_hash, \
                     chunk_count, metadata, collection, version, uri{column}) VALUES \
                     ($1, $2, $3, $4, $5, $6, {metadata}, $9, $10, $11{value}) \
                     ON CONFLICT DO NOTHING"
                )
            }
            Self::Recorded => format!(
                "SELECT d.source_row FROM {documents} AS d WHERE d.id {EQUAL} $1 FOR KEY SHARE"
            ),
            // Its source is there, so it is no orphan any more.
            Self::Update => format!(
                "UPDATE {documents} SET title = $2, media_type = $3, source_media_type = $4, \
                 content_hash = $5, chunk_count = $6, \
                 metadata = {metadata}, \
                 orphaned_at = NULL, ingested_at = pg_catalog.now() WHERE id {EQUAL} $1"
            ),
            Self::There => format!(
                "SELECT {}, {} FROM {chunks} AS c WHERE c.document_id {EQUAL} $1",
                layout.chunks.column("c", "id", "uuid"),
                layout.chunks.column("c", "preamble", "text"),
            ),
            Self::Remove => {
                format!("DELETE FROM {chunks} WHERE document_id {EQUAL} $1 AND id {EQUAL} ANY ($2)")
            }
            Self::Forget => format!(
                "DELETE FROM {embeddings} WHERE document_id {EQUAL} $1 AND chunk_id {EQUAL} ANY ($2)"
            ),
            // A chunk that is where it was is not written; its id stands for section and content. The
            // operators that IS DISTINCT FROM stands for have no other way to be written, and only the
            // path keeps them those of pg_catalog.
            Self::Move => format!(
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
                rows = arrays(PLACED),
                imports = "'imports'::pg_catalog.text",
            ),
            Self::Check => format!(
                "SELECT pg_catalog.count(*) FROM {rows} \
                 AS m (id, ordinal) JOIN {chunks} AS c ON c.id {EQUAL} m.id \
                 WHERE c.document_id {EQUAL} $1 AND c.ordinal {EQUAL} m.ordinal",
                rows = arrays(3),
            ),
            Self::Add => format!(
                "INSERT INTO {chunks} (document_id, {COLUMNS}, section, content) \
                 SELECT $1, m.id, m.ordinal, m.level, m.kind, m.unit, m.preamble, m.tokens, \
                 m.start_byte, m.end_byte, m.first_line, m.last_line, m.metadata::pg_catalog.jsonb, \
                 m.section::pg_catalog.text[], m.content \
                 FROM {rows} AS m ({COLUMNS}, section, content)",
                rows = arrays(PLACED + 2),
            ),
        }
    }
}

/// Writes the rows that arrays make together, from the second parameter to the last.
fn arrays(last: usize) -> String {
    let columns = (2..=last).map(|parameter| format!("pg_catalog.unnest(${parameter})"));
    format!("ROWS FROM ({})", columns.collect::<Vec<_>>().join(", "))
}
