//! The statements of writing, which each connection prepares once.

use passage_core::CHUNK_COLUMNS;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Statement};

/// The statements that write documents and chunks.
pub(in crate::store) struct Statements {
    pub(super) insert: Statement,
    pub(super) update: Statement,
    pub(super) delete_chunks: Statement,
    pub(super) move_chunks: Statement,
    pub(super) update_preambles: Statement,
    pub(super) copy_chunks: Statement,
    pub(super) embeddings: Option<EmbeddingStatements>,
}

/// The statements that write embeddings.
pub(super) struct EmbeddingStatements {
    pub(super) delete: Statement,
    pub(super) copy: Statement,
    /// `vector` or `halfvec`, in the schema of pgvector.
    pub(super) embedding_type: Type,
}

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
    /// Prepares the statements for a schema.
    pub(in crate::store) async fn prepare(
        client: &Client,
        schema: &str,
        with_embeddings: bool,
    ) -> Result<Self, Error> {
        let prepare = |sql: String| async move { client.prepare(&sql).await };
        // A document that exists is not inserted. The caller then compares again.
        let insert = prepare(format!(
            "INSERT INTO {schema}.documents \
             (id, collection, version, uri, title, media_type, source_media_type, content_hash, \
             chunk_count, metadata) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], \
             $5::text[], $6::text[], $7::text[], $8::bytea[], $9::int[], $10::jsonb[]) \
             ON CONFLICT DO NOTHING RETURNING id"
        ))
        .await?;
        // The source exists, so the mark of an orphan is removed.
        let update = prepare(format!(
            "UPDATE {schema}.documents SET title = $2, media_type = $3, source_media_type = $4, \
             content_hash = $5, chunk_count = $6, metadata = $7, orphaned_at = NULL, ingested_at = now() \
             WHERE id = $1 AND content_hash IS NOT DISTINCT FROM $8"
        ))
        .await?;
        let delete_chunks = prepare(format!(
            "DELETE FROM {schema}.chunks WHERE document_id = $1 AND id = ANY ($2)"
        ))
        .await?;
        let move_chunks = prepare(move_chunks(schema)).await?;
        let update_preambles = prepare(format!(
            "UPDATE {schema}.chunks SET preamble = changed.preamble \
             FROM unnest($2::uuid[], $3::text[]) AS changed (id, preamble) \
             WHERE chunks.document_id = $1 AND chunks.id = changed.id"
        ))
        .await?;
        let copy_chunks = prepare(format!(
            "COPY {schema}.chunks ({}) FROM STDIN (FORMAT binary)",
            CHUNK_COLUMNS.join(", ")
        ))
        .await?;
        let embeddings = if with_embeddings {
            Some(EmbeddingStatements::prepare(client, schema).await?)
        } else {
            None
        };
        Ok(Self {
            insert,
            update,
            delete_chunks,
            move_chunks,
            update_preambles,
            copy_chunks,
            embeddings,
        })
    }
}

impl EmbeddingStatements {
    async fn prepare(client: &Client, schema: &str) -> Result<Self, Error> {
        let select = client.prepare(&format!("SELECT embedding FROM {schema}.embeddings")).await?;
        let delete = format!(
            "DELETE FROM {schema}.embeddings WHERE document_id = $1 AND chunk_id = ANY ($2)"
        );
        let copy = format!(
            "COPY {schema}.embeddings (chunk_id, document_id, embedding) FROM STDIN (FORMAT binary)"
        );
        Ok(Self {
            delete: client.prepare(&delete).await?,
            copy: client.prepare(&copy).await?,
            embedding_type: select.columns()[0].type_().clone(),
        })
    }
}

/// Returns the statement that updates the positions of chunks.
///
/// It does not write a chunk whose position is unchanged; the id depends on section and content. It does
/// not write the preamble, which would compute the text search vector again.
fn move_chunks(schema: &str) -> String {
    let list =
        |column: fn(&str) -> String| POSITION_COLUMNS.map(|(name, _)| column(name)).join(", ");
    let names = list(str::to_owned);
    let assignments = list(|name| format!("{name} = moved.{name}"));
    let before = list(|name| format!("chunks.{name}"));
    let after = list(|name| format!("moved.{name}"));
    let arrays: Vec<_> = (3..)
        .zip(POSITION_COLUMNS)
        .map(|(parameter, (_, array))| format!("${parameter}::{array}[]"))
        .collect();
    let (arrays, metadata) = (arrays.join(", "), 3 + POSITION_COLUMNS.len());
    format!(
        "UPDATE {schema}.chunks SET {assignments}, \
         metadata = (chunks.metadata - 'imports') || moved.metadata \
         FROM unnest($2::uuid[], {arrays}, ${metadata}::jsonb[]) AS moved (id, {names}, metadata) \
         WHERE chunks.document_id = $1 AND chunks.id = moved.id AND \
         ({before}, chunks.metadata -> 'imports') IS DISTINCT FROM ({after}, moved.metadata -> 'imports')"
    )
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
