//! The rows of documents: inserting new ones and updating existing ones, which also locks them.

use super::super::unnamed_statement::UnnamedStatements;
use super::document::DocumentWrite;
use super::statements::Statements;
use std::collections::HashSet;
use tokio_postgres::{Error, Transaction};
use uuid::Uuid;

/// Inserts new documents, and returns the ids of those that were inserted. A document is not inserted if
/// its id or uri exists, or if another transaction is inserting it.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&DocumentWrite<'_>],
) -> Result<HashSet<Uuid>, Error> {
    fn column<'a, T>(
        documents: &[&'a DocumentWrite<'a>],
        value: impl Fn(&'a DocumentWrite<'a>) -> T,
    ) -> Vec<T> {
        documents.iter().map(|document| value(document)).collect()
    }
    let rows = transaction
        .query_unnamed(
            &statements.insert,
            &[
                &column(documents, |document| document.id),
                &column(documents, |document| document.collection),
                &column(documents, |document| document.version),
                &column(documents, |document| document.uri),
                &column(documents, |document| document.title),
                &column(documents, |document| document.media_type),
                &column(documents, |document| document.source_media_type),
                &column(documents, |document| document.content_hash),
                &column(documents, |document| document.chunks.len() as i32),
                &column(documents, |document| document.metadata),
            ],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.get(0)).collect())
}

/// Updates a document and returns true, unless its content hash differs from that of the existing document
/// with which the chunks were compared.
pub(super) async fn update(
    transaction: &Transaction<'_>,
    statements: &Statements,
    document: &DocumentWrite<'_>,
) -> Result<bool, Error> {
    let compared = document.existing.and_then(|existing| existing.content_hash.as_deref());
    let updated = transaction
        .execute_unnamed(
            &statements.update,
            &[
                &document.id,
                &document.title,
                &document.media_type,
                &document.source_media_type,
                &document.content_hash,
                &(document.chunks.len() as i32),
                &document.metadata,
                &compared,
            ],
        )
        .await?;
    Ok(updated > 0)
}
