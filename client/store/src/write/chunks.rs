//! The rows of chunks and embeddings: deleting, moving and inserting.

use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::document::{ChunkWrite, DocumentWrite};
use super::new_rows::NewRow;
use super::statements::{EmbeddingStatements, Statements};
use passage_split::chunk_metadata;
use pgvector::{HalfVector, Vector};
use serde_json::Value;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Transaction};
use uuid::Uuid;

/// Deletes the removed chunks, then moves the existing ones, which may take the ordinals of deleted ones.
pub(super) async fn reconcile(
    transaction: &Transaction<'_>,
    statements: &Statements,
    document: &DocumentWrite<'_>,
) -> Result<(), Error> {
    if !document.removed_chunks.is_empty() {
        transaction
            .execute_unnamed(&statements.delete_chunks, &[&document.id, &document.removed_chunks])
            .await?;
    }
    let kept = || document.chunks.iter().enumerate().filter(|(_, chunk)| chunk.exists);
    let changed: Vec<_> =
        kept().map(|(_, chunk)| chunk).filter(|chunk| chunk.preamble_changed).collect();
    if !changed.is_empty() {
        let ids: Vec<_> = changed.iter().map(|chunk| chunk.id).collect();
        let preambles: Vec<_> = changed.iter().map(|chunk| chunk.preamble).collect();
        let arguments: [&dyn Parameter; 3] = [&document.id, &ids, &preambles];
        transaction.execute_unnamed(&statements.update_preambles, &arguments).await?;
    }
    // A new embedding, or another text.
    let outdated: Vec<_> = kept()
        .map(|(_, chunk)| chunk)
        .filter(|chunk| chunk.preamble_changed || chunk.embedding.is_some())
        .map(|chunk| chunk.id)
        .collect();
    if let Some(EmbeddingStatements { delete, .. }) = &statements.embeddings
        && !outdated.is_empty()
    {
        transaction.execute_unnamed(delete, &[&document.id, &outdated]).await?;
    }
    let positions = Positions::of(document);
    if !positions.ids.is_empty() {
        transaction.execute_unnamed(&statements.move_chunks, &positions.parameters()).await?;
    }
    Ok(())
}

/// The positions of the existing chunks of a document, as arrays.
pub(super) struct Positions<'a> {
    document: &'a Uuid,
    ids: Vec<Uuid>,
    ordinals: Vec<i32>,
    levels: Vec<i32>,
    kinds: Vec<&'static str>,
    units: Vec<&'static str>,
    tokens: Vec<i32>,
    spans: [Vec<Option<i32>>; 4],
    metadata: Vec<Value>,
}

impl<'a> Positions<'a> {
    pub(super) fn of(document: &'a DocumentWrite<'_>) -> Self {
        let kept = || document.chunks.iter().enumerate().filter(|(_, chunk)| chunk.exists);
        let number = |value: fn(usize, &ChunkWrite<'_>) -> usize| -> Vec<i32> {
            kept().map(|(ordinal, chunk)| value(ordinal, chunk) as i32).collect()
        };
        let spans = |column: usize| kept().map(|(_, chunk)| span(chunk)[column]).collect();
        Self {
            document: &document.id,
            ids: kept().map(|(_, chunk)| chunk.id).collect(),
            ordinals: number(|ordinal, _| ordinal),
            levels: number(|_, chunk| chunk.level as usize),
            kinds: kept().map(|(_, chunk)| chunk.kind.name()).collect(),
            units: kept().map(|(_, chunk)| chunk.unit.name()).collect(),
            tokens: number(|_, chunk| chunk.tokens),
            spans: [0, 1, 2, 3].map(spans),
            metadata: kept().map(|(_, chunk)| chunk_metadata(chunk.imports)).collect(),
        }
    }

    /// Returns the first parameters of the statements that compare positions.
    pub(super) fn parameters(&self) -> [&dyn Parameter; 12] {
        let Self { document, ids, ordinals, levels, kinds, units, tokens, spans, metadata } = self;
        let [start_bytes, end_bytes, first_lines, last_lines] = spans;
        [
            document,
            ids,
            ordinals,
            levels,
            kinds,
            units,
            tokens,
            start_bytes,
            end_bytes,
            first_lines,
            last_lines,
            metadata,
        ]
    }
}

/// Writes the new chunks and the new embeddings of documents.
pub(crate) async fn write_chunks(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&DocumentWrite<'_>],
) -> Result<(), Error> {
    let any = |condition: fn(&ChunkWrite<'_>) -> bool| {
        documents.iter().any(|document| document.chunks.iter().any(condition))
    };
    let has_new = any(|chunk| !chunk.exists);
    let has_embeddings = any(|chunk| chunk.embedding.is_some());
    if has_new {
        let mut writer = statements.new_chunks.begin(transaction).await?;
        for document in documents {
            writer.write(&NewChunk::of(document)).await?;
        }
        writer.finish().await?;
    }
    match &statements.embeddings {
        Some(embeddings) if has_embeddings => {
            write_embeddings(transaction, embeddings, documents).await
        }
        _ => Ok(()),
    }
}

/// A new chunk with the values of its columns.
struct NewChunk<'a> {
    chunk: &'a ChunkWrite<'a>,
    document: &'a Uuid,
    ordinal: i32,
    level: i32,
    tokens: i32,
    kind: &'static str,
    unit: &'static str,
    span: [Option<i32>; 4],
    metadata: Value,
}

impl<'a> NewChunk<'a> {
    fn of(document: &'a DocumentWrite<'_>) -> Vec<Self> {
        let new = document.chunks.iter().enumerate().filter(|(_, chunk)| !chunk.exists);
        // No number exceeds the bytes of the source, at most 2^30.
        let row = |(ordinal, chunk): (usize, &'a ChunkWrite<'a>)| Self {
            chunk,
            document: &document.id,
            ordinal: ordinal as i32,
            level: chunk.level as i32,
            tokens: chunk.tokens as i32,
            kind: chunk.kind.name(),
            unit: chunk.unit.name(),
            span: span(chunk),
            metadata: metadata(chunk),
        };
        new.map(row).collect()
    }
}

impl NewRow for NewChunk<'_> {
    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        let Self { chunk, document, ordinal, level, tokens, kind, unit, span, metadata } = self;
        let ChunkWrite { id, section, content, preamble, .. } = chunk;
        let [start_byte, end_byte, first_line, last_line] = span;
        vec![
            id, *document, ordinal, level, section, kind, unit, content, preamble, tokens,
            start_byte, end_byte, first_line, last_line, metadata,
        ]
    }
}

/// Returns the metadata of a new chunk.
fn metadata(chunk: &ChunkWrite<'_>) -> Value {
    let mut metadata = chunk_metadata(chunk.imports);
    if let (Some(added), Value::Object(metadata)) = (chunk.metadata, &mut metadata) {
        metadata.extend(added.clone());
    }
    metadata
}

/// Returns the values of `start_byte`, `end_byte`, `first_line` and `last_line`.
fn span(chunk: &ChunkWrite<'_>) -> [Option<i32>; 4] {
    let (bytes, lines) = (chunk.bytes.as_ref(), chunk.lines.as_ref());
    [
        bytes.map(|bytes| bytes.start),
        bytes.map(|bytes| bytes.end),
        lines.map(|lines| *lines.start()),
        lines.map(|lines| *lines.end()),
    ]
    .map(|number| number.map(|number| number as i32))
}

/// A new embedding of a chunk.
struct NewEmbedding<'a> {
    chunk: &'a Uuid,
    document: &'a Uuid,
    embedding: Box<dyn ToSql + Sync + Send + 'a>,
}

impl NewRow for NewEmbedding<'_> {
    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![self.chunk, self.document, &*self.embedding]
    }
}

async fn write_embeddings(
    transaction: &Transaction<'_>,
    EmbeddingStatements { new, embedding_type, .. }: &EmbeddingStatements,
    documents: &[&DocumentWrite<'_>],
) -> Result<(), Error> {
    let mut writer = new.begin(transaction).await?;
    for document in documents {
        let embedded = document.chunks.iter().filter_map(|chunk| Some((chunk, chunk.embedding?)));
        let rows: Vec<_> = embedded
            .map(|(chunk, embedding)| NewEmbedding {
                chunk: &chunk.id,
                document: &document.id,
                embedding: if new.is_copy {
                    vector_value(embedding_type, embedding)
                } else {
                    Box::new(embedding)
                },
            })
            .collect();
        writer.write(&rows).await?;
    }
    writer.finish().await
}

/// Returns an embedding as a value of the column's type.
fn vector_value(embedding_type: &Type, embedding: &[f32]) -> Box<dyn ToSql + Sync + Send> {
    match embedding_type.name() {
        "halfvec" => Box::new(HalfVector::from_f32_slice(embedding)),
        _ => Box::new(Vector::from(embedding.to_vec())),
    }
}
