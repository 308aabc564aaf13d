//! The rows of chunks and embeddings: deleting, moving and copying.

use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::document::{ChunkWrite, DocumentWrite};
use super::statements::{EmbeddingStatements, Statements};
use passage_core::{CHUNK_COLUMNS, chunk_metadata};
use pgvector::{HalfVector, Vector};
use serde_json::Value;
use std::pin::pin;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Statement, Transaction};
use uuid::Uuid;

/// The types of [`CHUNK_COLUMNS`], in the same order.
const COLUMN_TYPES: [Type; CHUNK_COLUMNS.len()] = [
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
        let number = |of: fn(usize, &ChunkWrite<'_>) -> usize| -> Vec<i32> {
            kept().map(|(ordinal, chunk)| of(ordinal, chunk) as i32).collect()
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

/// Copies the new chunks and the new embeddings of documents.
pub(in crate::store) async fn copy_chunks(
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
        copy_new_chunks(transaction, statements, documents).await?;
    }
    match &statements.embeddings {
        Some(embeddings) if has_embeddings => {
            copy_embeddings(transaction, embeddings, documents).await
        }
        _ => Ok(()),
    }
}

async fn copy_new_chunks(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&DocumentWrite<'_>],
) -> Result<(), Error> {
    let statement = prepare_copy(transaction, &statements.copy_chunks).await?;
    let sink = transaction.copy_in(&statement).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &COLUMN_TYPES,));
    for document in documents {
        for (ordinal, chunk) in document.chunks.iter().enumerate() {
            if chunk.exists {
                continue;
            }
            // No number exceeds the bytes of the source, at most 2^30.
            let int = |number: usize| number as i32;
            let [start_byte, end_byte, first_line, last_line] = span(chunk);
            writer
                .as_mut()
                .write(&[
                    &chunk.id,
                    &document.id,
                    &int(ordinal),
                    &int(chunk.level as usize),
                    &chunk.section,
                    &chunk.kind.name(),
                    &chunk.unit.name(),
                    &chunk.content,
                    &chunk.preamble,
                    &int(chunk.tokens),
                    &start_byte,
                    &end_byte,
                    &first_line,
                    &last_line,
                    &metadata(chunk),
                ])
                .await?;
        }
    }
    writer.finish().await?;
    Ok(())
}

/// Prepares a COPY, which the driver executes only with a name.
///
/// The caller drops the statement within the transaction, so that the server closes it in the same session.
#[expect(clippy::disallowed_methods, reason = "closed before the transaction ends")]
async fn prepare_copy(transaction: &Transaction<'_>, sql: &str) -> Result<Statement, Error> {
    transaction.prepare(sql).await
}

/// Returns the metadata of a new chunk.
fn metadata(chunk: &ChunkWrite<'_>) -> Value {
    let mut metadata = chunk_metadata(chunk.imports);
    if let (Some(further), Value::Object(metadata)) = (chunk.metadata, &mut metadata) {
        metadata.extend(further.clone());
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

async fn copy_embeddings(
    transaction: &Transaction<'_>,
    EmbeddingStatements { copy, embedding_type, .. }: &EmbeddingStatements,
    documents: &[&DocumentWrite<'_>],
) -> Result<(), Error> {
    let statement = prepare_copy(transaction, copy).await?;
    let sink = transaction.copy_in(&statement).await?;
    let mut writer =
        pin!(BinaryCopyInWriter::new(sink, &[Type::UUID, Type::UUID, embedding_type.clone()]));
    for document in documents {
        for chunk in &document.chunks {
            if let Some(embedding) = chunk.embedding {
                let embedding = vector_value(embedding_type, embedding);
                writer.as_mut().write(&[&chunk.id, &document.id, &*embedding]).await?;
            }
        }
    }
    writer.finish().await?;
    Ok(())
}

/// Returns an embedding as a value of the column's type.
fn vector_value(embedding_type: &Type, embedding: &[f32]) -> Box<dyn ToSql + Sync + Send> {
    match embedding_type.name() {
        "halfvec" => Box::new(HalfVector::from_f32_slice(embedding)),
        _ => Box::new(Vector::from(embedding.to_vec())),
    }
}
