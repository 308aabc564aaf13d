//! The statements of writing: their texts, which each connection composes once.

use super::super::unnamed_statement::UnnamedStatements;
use super::new_rows::NewRows;
use passage_core::CHUNK_COLUMNS;
use tokio_postgres::types::{Kind, Type};
use tokio_postgres::{Client, Error};

/// The statements that write documents and chunks.
pub(crate) struct Statements {
    pub(super) insert: String,
    pub(super) update: String,
    pub(super) delete_chunks: String,
    pub(super) move_chunks: String,
    pub(super) update_preambles: String,
    pub(super) new_chunks: NewRows,
    pub(super) embeddings: Option<EmbeddingStatements>,
}

/// The statements that write embeddings.
pub(super) struct EmbeddingStatements {
    pub(super) delete: String,
    pub(super) new: NewRows,
    /// `vector` or `halfvec`, in the schema of pgvector.
    pub(super) embedding_type: Type,
}

/// The types of [`CHUNK_COLUMNS`], in the same order.
const CHUNK_TYPES: [Type; CHUNK_COLUMNS.len()] = [
    Type::UUID,
    Type::UUID,
    Type::INT4,
    Type::INT4,
    Type::TEXT_ARRAY,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::TEXT,
    Type::INT4,
    Type::INT4,
    Type::INT4,
    Type::INT4,
    Type::INT4,
    Type::JSONB,
];

/// The columns that describe the position of a chunk, with the types of their arrays. They change when
/// other chunks of the document change.
const POSITION_COLUMNS: [(&str, &str); 9] = [
    ("ordinal", "int"),
    ("level", "int"),
    ("kind", "text"),
    ("unit", "text"),
    ("tokens", "int"),
    ("start_byte", "int"),
    ("end_byte", "int"),
    ("first_line", "int"),
    ("last_line", "int"),
];

impl Statements {
    /// Composes the statements for a schema.
    pub(crate) async fn compose(
        client: &Client,
        schema: &str,
        with_embeddings: bool,
    ) -> Result<Self, Error> {
        // A document that exists is not inserted. The caller then compares again.
        let insert = format!(
            "INSERT INTO {schema}.documents \
             (id, collection, version, uri, title, media_type, source_media_type, content_hash, \
             chunk_count, metadata) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], \
             $5::text[], $6::text[], $7::text[], $8::bytea[], $9::int[], $10::jsonb[]) \
             ON CONFLICT DO NOTHING RETURNING id"
        );
        // The source exists, so the mark of an orphan is removed.
        let update = format!(
            "UPDATE {schema}.documents SET title = $2, media_type = $3, source_media_type = $4, \
             content_hash = $5, chunk_count = $6, metadata = $7, orphaned_at = NULL, ingested_at = now() \
             WHERE id = $1 AND content_hash IS NOT DISTINCT FROM $8"
        );
        let delete_chunks =
            format!("DELETE FROM {schema}.chunks WHERE document_id = $1 AND id = ANY ($2)");
        let update_preambles = format!(
            "UPDATE {schema}.chunks SET preamble = changed.preamble \
             FROM unnest($2::uuid[], $3::text[]) AS changed (id, preamble) \
             WHERE chunks.document_id = $1 AND chunks.id = changed.id"
        );
        let chunks = format!("{schema}.chunks");
        let is_copy = !has_policies(client, &chunks).await?;
        let new_chunks = NewRows::compose(&chunks, &CHUNK_COLUMNS, CHUNK_TYPES.to_vec(), is_copy);
        let embeddings = if with_embeddings {
            Some(EmbeddingStatements::compose(client, schema).await?)
        } else {
            None
        };
        Ok(Self {
            insert,
            update,
            delete_chunks,
            move_chunks: move_chunks(schema),
            update_preambles,
            new_chunks,
            embeddings,
        })
    }
}

impl EmbeddingStatements {
    async fn compose(client: &Client, schema: &str) -> Result<Self, Error> {
        // Without a prepared statement, the driver would prepare a query of its own for the type.
        let sql = "SELECT pg_type.oid, pg_type.typname::text, nspname::text FROM pg_catalog.pg_attribute \
             JOIN pg_catalog.pg_type AS declared ON declared.oid = atttypid \
             JOIN pg_catalog.pg_type ON pg_type.oid = CASE WHEN declared.typtype = 'd' THEN declared.typbasetype ELSE declared.oid END \
             JOIN pg_catalog.pg_namespace ON pg_namespace.oid = pg_type.typnamespace \
             WHERE attrelid = $1::text::pg_catalog.regclass AND attname = 'embedding' AND NOT attisdropped";
        let row = client.query_one_unnamed(sql, &[&format!("{schema}.embeddings")]).await?;
        let embedding_type = Type::new(row.get(1), row.get(0), Kind::Simple, row.get(2));
        let delete = format!(
            "DELETE FROM {schema}.embeddings WHERE document_id = $1 AND chunk_id = ANY ($2)"
        );
        let embeddings = format!("{schema}.embeddings");
        let is_copy = !has_policies(client, &embeddings).await?;
        // The driver would query the type of a parameter of another type.
        let sent_type = if is_copy { embedding_type.clone() } else { Type::FLOAT4_ARRAY };
        let new = NewRows::compose(
            &embeddings,
            &["chunk_id", "document_id", "embedding"],
            vec![Type::UUID, Type::UUID, sent_type],
            is_copy,
        );
        Ok(Self { delete, new, embedding_type })
    }
}

/// Returns whether policies apply to the role in a table.
async fn has_policies(client: &Client, table: &str) -> Result<bool, Error> {
    let sql = "SELECT pg_catalog.row_security_active($1::text::pg_catalog.regclass)";
    Ok(client.query_one_unnamed(sql, &[&table]).await?.get(0))
}

/// Returns the statement that updates the positions of chunks.
///
/// It does not write a chunk whose position is unchanged; the id depends on section and content. It does
/// not write the preamble, which would compute the text search vector again.
fn move_chunks(schema: &str) -> String {
    let assignments = columns(|name| format!("{name} = moved.{name}"));
    format!(
        "UPDATE {schema}.chunks SET {assignments}, \
         metadata = (chunks.metadata - 'imports') || moved.metadata FROM {}",
        moved_chunks()
    )
}

/// Returns the statement that compares the columns of a document and the positions of its chunks with those
/// to be written. It returns whether they are equal, and no row for a missing document.
pub(super) fn is_as_written(schema: &str) -> String {
    let first = 4 + POSITION_COLUMNS.len();
    let values: Vec<_> = (first..)
        .zip(["text", "text", "text", "int", "jsonb"])
        .map(|(parameter, sql_type)| format!("${parameter}::{sql_type}"))
        .collect();
    format!(
        "SELECT (title, media_type, source_media_type, chunk_count, metadata) IS NOT DISTINCT FROM ({}) \
         AND NOT EXISTS (SELECT FROM {schema}.chunks, {}) FROM {schema}.documents WHERE id = $1",
        values.join(", "),
        moved_chunks()
    )
}

/// Returns the rest of a statement on the chunks of the document `$1` that have other positions than those in
/// the arrays from `$2` on.
fn moved_chunks() -> String {
    let names = columns(str::to_owned);
    let before = columns(|name| format!("chunks.{name}"));
    let after = columns(|name| format!("moved.{name}"));
    let arrays: Vec<_> = (3..)
        .zip(POSITION_COLUMNS)
        .map(|(parameter, (_, array))| format!("${parameter}::{array}[]"))
        .collect();
    let (arrays, metadata) = (arrays.join(", "), 3 + POSITION_COLUMNS.len());
    format!(
        "unnest($2::uuid[], {arrays}, ${metadata}::jsonb[]) AS moved (id, {names}, metadata) \
         WHERE chunks.document_id = $1 AND chunks.id = moved.id AND \
         ({before}, chunks.metadata -> 'imports') IS DISTINCT FROM ({after}, moved.metadata -> 'imports')"
    )
}

/// Returns a list with an item for each column of a position.
fn columns(item: fn(&str) -> String) -> String {
    POSITION_COLUMNS.map(|(name, _)| item(name)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_chunks_writes_only_changed_positions() {
        let sql = move_chunks("\"rag\"");
        assert!(sql.starts_with("UPDATE \"rag\".chunks SET ordinal = moved.ordinal, level = "));
        assert!(sql.contains("unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[], "));
        assert!(
            sql.contains("$11::int[], $12::jsonb[]) AS moved (id, ordinal, level, kind, unit, ")
        );
        assert!(
            sql.contains(
                "chunks.last_line, chunks.metadata -> 'imports') IS DISTINCT FROM (moved."
            )
        );
    }
}
