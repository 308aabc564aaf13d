//! The statements of replacing a document.

use crate::spi::Access;
use crate::store::layout::Layout;

/// What a statement does; each is written once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Write {
    /// Finds the document of a uri.
    Known,
    /// Locks a document.
    Lock,
    /// Inserts a document.
    Insert,
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

/// What a row of [`Write::Move`] and [`Write::Add`] has in common; `unnest` of several arrays is
/// syntax of PostgreSQL, and only without a schema.
const PLACED: &str = "$2::uuid[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[], \
     $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::text[]";

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
            format!(
                "d.id, d.content_hash IS NOT DISTINCT FROM {hash}::bytea AND d.orphaned_at IS NULL, \
                 d.chunk_count FROM {documents} AS d"
            )
        };
        match self {
            Self::Known => format!(
                "SELECT {} WHERE d.uri = $1 AND d.collection = $2 AND d.version = $3",
                found("$4")
            ),
            Self::Lock => format!("SELECT {} WHERE d.id = $1 FOR NO KEY UPDATE", found("$2")),
            Self::Insert => format!(
                "INSERT INTO {documents} (id, title, media_type, source_media_type, content_hash, \
                 chunk_count, metadata, collection, version, uri) VALUES \
                 ($1, $2, $3, $4, $5, $6, $7::jsonb OPERATOR(pg_catalog.||) $8::jsonb, $9, $10, $11) \
                 ON CONFLICT DO NOTHING"
            ),
            // Its source is there, so it is no orphan any more.
            Self::Update => format!(
                "UPDATE {documents} SET title = $2, media_type = $3, source_media_type = $4, \
                 content_hash = $5, chunk_count = $6, \
                 metadata = $7::jsonb OPERATOR(pg_catalog.||) $8::jsonb, \
                 orphaned_at = NULL, ingested_at = pg_catalog.now() WHERE id = $1"
            ),
            Self::There => {
                format!("SELECT c.id, c.preamble FROM {chunks} AS c WHERE c.document_id = $1")
            }
            Self::Remove => {
                format!("DELETE FROM {chunks} WHERE document_id = $1 AND id = ANY ($2::uuid[])")
            }
            Self::Forget => format!(
                "DELETE FROM {embeddings} WHERE document_id = $1 AND chunk_id = ANY ($2::uuid[])"
            ),
            // A chunk that is where it was is not written; its id stands for section and content.
            Self::Move => format!(
                "UPDATE {chunks} AS c SET ordinal = m.ordinal, level = m.level, kind = m.kind, \
                 unit = m.unit, preamble = m.preamble, tokens = m.tokens, \
                 start_byte = m.start_byte, end_byte = m.end_byte, \
                 first_line = m.first_line, last_line = m.last_line, \
                 metadata = (c.metadata OPERATOR(pg_catalog.-) 'imports'::text) \
                 OPERATOR(pg_catalog.||) m.metadata::jsonb \
                 FROM unnest({PLACED}) AS m ({COLUMNS}) \
                 WHERE c.document_id = $1 AND c.id = m.id AND \
                 (c.ordinal, c.level, c.kind, c.unit, c.preamble, c.tokens, \
                 c.start_byte, c.end_byte, c.first_line, c.last_line, \
                 c.metadata OPERATOR(pg_catalog.->) 'imports') IS DISTINCT FROM \
                 (m.ordinal, m.level, m.kind, m.unit, m.preamble, m.tokens, \
                 m.start_byte, m.end_byte, m.first_line, m.last_line, \
                 m.metadata::jsonb OPERATOR(pg_catalog.->) 'imports')"
            ),
            Self::Check => format!(
                "SELECT pg_catalog.count(*) FROM unnest($2::uuid[], $3::integer[]) \
                 AS m (id, ordinal) JOIN {chunks} AS c ON c.id = m.id \
                 WHERE c.document_id = $1 AND c.ordinal = m.ordinal"
            ),
            Self::Add => format!(
                "INSERT INTO {chunks} (document_id, {COLUMNS}, section, content) \
                 SELECT $1, m.id, m.ordinal, m.level, m.kind, m.unit, m.preamble, m.tokens, \
                 m.start_byte, m.end_byte, m.first_line, m.last_line, m.metadata::jsonb, \
                 m.section::text[], m.content \
                 FROM unnest({PLACED}, $14::text[], $15::text[]) \
                 AS m ({COLUMNS}, section, content)"
            ),
        }
    }
}
