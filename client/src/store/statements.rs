//! The statements of writing, prepared once for each connection.

use super::Store;
use std::sync::Arc;
use tokio_postgres::Statement;
use tokio_postgres::types::Type;

/// What [`Store::write`] executes.
pub(super) struct Statements {
    pub(super) insert: Statement,
    pub(super) update: Statement,
    pub(super) delete_chunks: Statement,
    pub(super) move_chunks: Statement,
    pub(super) reword_chunks: Statement,
    pub(super) copy_chunks: Statement,
    pub(super) embeddings: Option<Embeddings>,
}

/// The part for stores with embeddings.
pub(super) struct Embeddings {
    pub(super) delete: Statement,
    pub(super) copy: Statement,
    /// `vector` or `halfvec`, in whatever schema pgvector lives.
    pub(super) embedding_type: Type,
}

impl Store {
    /// Returns the statements, prepared when they are first asked for.
    pub(super) async fn statements(
        &mut self,
        with_embeddings: bool,
    ) -> Result<Arc<Statements>, tokio_postgres::Error> {
        if let Some(prepared) = &self.prepared
            && prepared.embeddings.is_some() == with_embeddings
        {
            return Ok(Arc::clone(prepared));
        }
        let Self { client, schema, .. } = &*self;
        let prepare = |sql: String| async move { client.prepare(&sql).await };

        // A document that exists is left to the caller, who looks which of its names it is by.
        let insert = prepare(format!(
            "INSERT INTO {schema}.documents \
             (id, collection, version, uri, title, media_type, source_media_type, content_hash, \
             chunk_count, metadata) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], \
             $5::text[], $6::text[], $7::text[], $8::bytea[], $9::int[], $10::jsonb[]) \
             ON CONFLICT DO NOTHING RETURNING id"
        ))
        .await?;
        // Its source is there, so it is no orphan any more.
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
        // A chunk that is where it was is not written; the id already stands for section and content.
        // Without its preamble, of which the full text would be made anew.
        let move_chunks = prepare(format!(
            "UPDATE {schema}.chunks SET ordinal = moved.ordinal, level = moved.level, kind = moved.kind, \
             unit = moved.unit, tokens = moved.tokens, \
             start_byte = moved.start_byte, end_byte = moved.end_byte, \
             first_line = moved.first_line, last_line = moved.last_line, \
             metadata = (chunks.metadata - 'imports') || moved.metadata \
             FROM unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[], $7::int[], \
             $8::int[], $9::int[], $10::int[], $11::int[], $12::jsonb[]) AS moved (id, ordinal, level, kind, \
             unit, tokens, start_byte, end_byte, first_line, last_line, metadata) \
             WHERE chunks.document_id = $1 AND chunks.id = moved.id AND \
             (chunks.ordinal, chunks.level, chunks.kind, chunks.unit, chunks.tokens, \
             chunks.start_byte, chunks.end_byte, chunks.first_line, chunks.last_line, \
             chunks.metadata -> 'imports') IS DISTINCT FROM \
             (moved.ordinal, moved.level, moved.kind, moved.unit, moved.tokens, \
             moved.start_byte, moved.end_byte, moved.first_line, moved.last_line, \
             moved.metadata -> 'imports')"
        ))
        .await?;
        let reword_chunks = prepare(format!(
            "UPDATE {schema}.chunks SET preamble = reworded.preamble \
             FROM unnest($2::uuid[], $3::text[]) AS reworded (id, preamble) \
             WHERE chunks.document_id = $1 AND chunks.id = reworded.id"
        ))
        .await?;
        let copy_chunks = prepare(format!(
            "COPY {schema}.chunks (id, document_id, ordinal, level, section, kind, unit, content, preamble, tokens, \
             start_byte, end_byte, first_line, last_line, metadata) FROM STDIN (FORMAT binary)"
        ))
        .await?;
        let embeddings = if with_embeddings {
            let one = prepare(format!("SELECT embedding FROM {schema}.embeddings")).await?;
            Some(Embeddings {
                delete: prepare(format!(
                    "DELETE FROM {schema}.embeddings WHERE document_id = $1 AND chunk_id = ANY ($2)"
                ))
                .await?,
                copy: prepare(format!(
                    "COPY {schema}.embeddings (chunk_id, document_id, embedding) FROM STDIN (FORMAT binary)"
                ))
                .await?,
                embedding_type: one.columns()[0].type_().clone(),
            })
        } else {
            None
        };
        let statements = Arc::new(Statements {
            insert,
            update,
            delete_chunks,
            move_chunks,
            reword_chunks,
            copy_chunks,
            embeddings,
        });
        self.prepared = Some(Arc::clone(&statements));
        Ok(statements)
    }
}
