//! Chunks and embeddings on their way into their tables.

use super::statements::{Embeddings, Statements};
use super::write::{Chunk, Document};
use passage_core::chunk_metadata;
use pgvector::{HalfVector, Vector};
use std::pin::pin;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Transaction};

/// Removes the chunks that are gone and moves those that stay, in this order, since an ordinal
/// that becomes free may be taken again.
pub(super) async fn reconcile(
    transaction: &Transaction<'_>,
    statements: &Statements,
    document: &Document<'_>,
) -> Result<(), Error> {
    if !document.gone.is_empty() {
        transaction.execute(&statements.delete_chunks, &[&document.id, &document.gone]).await?;
    }
    let kept = || document.chunks.iter().enumerate().filter(|(_, chunk)| chunk.known);
    let stale: Vec<_> = kept().map(|(_, chunk)| chunk).filter(|chunk| chunk.stale).collect();
    if !stale.is_empty() {
        let ids: Vec<_> = stale.iter().map(|chunk| chunk.id).collect();
        let preambles: Vec<_> = stale.iter().map(|chunk| chunk.preamble).collect();
        let arguments: [&(dyn ToSql + Sync); 3] = [&document.id, &ids, &preambles];
        transaction.execute(&statements.reword_chunks, &arguments).await?;
        if let Some(Embeddings { delete, .. }) = &statements.embeddings {
            transaction.execute(delete, &[&document.id, &ids]).await?;
        }
    }
    let number = |of: fn(usize, &Chunk<'_>) -> usize| -> Vec<i32> {
        kept().map(|(ordinal, chunk)| of(ordinal, chunk) as i32).collect()
    };
    let places =
        |which: usize| -> Vec<_> { kept().map(|(_, chunk)| place(chunk)[which]).collect() };
    let ids: Vec<_> = kept().map(|(_, chunk)| chunk.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let kinds: Vec<_> = kept().map(|(_, chunk)| chunk.kind.name()).collect();
    let units: Vec<_> = kept().map(|(_, chunk)| chunk.unit.name()).collect();
    let metadata: Vec<_> = kept().map(|(_, chunk)| chunk_metadata(chunk.imports)).collect();
    transaction
        .execute(
            &statements.move_chunks,
            &[
                &document.id,
                &ids,
                &number(|ordinal, _| ordinal),
                &number(|_, chunk| chunk.level as usize),
                &kinds,
                &units,
                &number(|_, chunk| chunk.tokens),
                &places(0),
                &places(1),
                &places(2),
                &places(3),
                &metadata,
            ],
        )
        .await?;
    Ok(())
}

/// Copies the new chunks and the new embeddings of documents.
pub(super) async fn copy(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&Document<'_>],
) -> Result<(), Error> {
    let has = |wanted: fn(&Chunk<'_>) -> bool| {
        documents.iter().any(|document| document.chunks.iter().any(wanted))
    };
    let (new, embedded) = (has(|chunk| !chunk.known), has(|chunk| chunk.embedding.is_some()));
    if new {
        copy_chunks(transaction, statements, documents).await?;
    }
    match &statements.embeddings {
        Some(embeddings) if embedded => copy_embeddings(transaction, embeddings, documents).await,
        _ => Ok(()),
    }
}

async fn copy_chunks(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&Document<'_>],
) -> Result<(), Error> {
    let sink = transaction.copy_in(&statements.copy_chunks).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(
        sink,
        &[
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
        ],
    ));
    for document in documents {
        for (ordinal, chunk) in document.chunks.iter().enumerate() {
            if chunk.known {
                continue;
            }
            // No number passes the bytes of the source, of which there are at most 2^30.
            let int = |number: usize| number as i32;
            let [start_byte, end_byte, first_line, last_line] = place(chunk);
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
                    &chunk_metadata(chunk.imports),
                ])
                .await?;
        }
    }
    writer.finish().await?;
    Ok(())
}

/// Returns the first and the last byte and line of a chunk, as their columns have them.
fn place(chunk: &Chunk<'_>) -> [Option<i32>; 4] {
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
    Embeddings { copy, embedding_type, .. }: &Embeddings,
    documents: &[&Document<'_>],
) -> Result<(), Error> {
    let sink = transaction.copy_in(copy).await?;
    let mut writer =
        pin!(BinaryCopyInWriter::new(sink, &[Type::UUID, Type::UUID, embedding_type.clone()]));
    for document in documents {
        for chunk in &document.chunks {
            if let Some(embedding) = chunk.embedding {
                let embedding = value(embedding_type, embedding);
                writer.as_mut().write(&[&chunk.id, &document.id, &*embedding]).await?;
            }
        }
    }
    writer.finish().await?;
    Ok(())
}

/// Returns an embedding as the type of the store's column.
pub(super) fn value(embedding_type: &Type, embedding: &[f32]) -> Box<dyn ToSql + Sync + Send> {
    match embedding_type.name() {
        "halfvec" => Box::new(HalfVector::from_f32_slice(embedding)),
        _ => Box::new(Vector::from(embedding.to_vec())),
    }
}
