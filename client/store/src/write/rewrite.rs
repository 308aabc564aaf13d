/*!
Rewriting the chunks of a document from its stored text.

The transaction first locks the document and its chunks, and compares the versions of their rows with
those that were read, so no other write is lost. It removes what the store recorded about the source
(`content_hash`, and the HTTP headers of a fetched page), so that the next ingest compares the
document again, and an ingest that runs at the same time notices the change. The time of the ingest and the
mark of an orphan stay.
*/

use super::super::admin::lock_owned;
use super::super::connection::{Identity, Store, has_identity};
use super::super::error::{Error, is_conflict};
use super::super::query::{ROW_VERSION, StoredDocument};
use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::chunks::{reconcile, write_chunks};
use super::document::{DocumentWrite, WriteOutcome};
use super::statements::{EmbeddingStatements, Statements};
use passage_split::TextMark;
use tokio_postgres::Transaction;
use uuid::Uuid;

/// An expression for a content hash that differs from that of every source and every other write.
pub(crate) const UNKNOWN_HASH: &str = "pg_catalog.uuid_send(pg_catalog.gen_random_uuid())";

impl Store {
    /// Replaces the chunks, embeddings and metadata of a stored document in one transaction; the other
    /// columns of the document stay.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`] if the store belongs to another role, [`Error::StoreReplaced`] if it is
    /// not the expected one, and [`Error::Database`] or [`Error::Lost`] if the transaction fails. The
    /// document is then unchanged.
    pub async fn rewrite(
        &mut self,
        stored: &StoredDocument,
        document: &DocumentWrite<'_>,
    ) -> Result<WriteOutcome, Error> {
        let statements = self.statements(document.with_embeddings).await;
        let statements = statements.map_err(|error| self.error(&error))?;
        let Self { name, schema, expected, .. } = self;
        let (name, schema, expected) = (name.clone(), schema.clone(), *expected);
        let mut owned = self.owned.take();
        let transaction = self.begin().await?;
        // The lock keeps other roles from adding code, such as triggers, between check and write.
        match &owned {
            Some(owned) => owned.lock_again(&transaction).await?,
            None => owned = Some(lock_owned(&transaction, &[&name], "ROW EXCLUSIVE").await?),
        }
        let rewritten =
            try_rewrite(transaction, &name, &schema, &statements, expected, stored, document, None);
        let rewritten = rewritten.await;
        self.owned = owned;
        outcome(rewritten, &name)
    }
}

/// Returns the outcome for the caller.
pub(super) fn outcome(
    rewritten: Result<Option<WriteOutcome>, tokio_postgres::Error>,
    name: &str,
) -> Result<WriteOutcome, Error> {
    match rewritten {
        Ok(Some(outcome)) => Ok(outcome),
        Ok(None) => Err(Error::StoreReplaced(name.to_owned())),
        Err(error) if is_conflict(&error) => Ok(WriteOutcome::Conflict),
        Err(error) => Err(Error::new(name, &error)),
    }
}

/// Returns `None`, and writes nothing, if the store is not the expected one. With a mark, the document gets
/// the content hash of the mark and loses the mark; its metadata are only what the splitter adds.
#[expect(clippy::too_many_arguments, reason = "one transaction")]
pub(super) async fn try_rewrite(
    transaction: Transaction<'_>,
    name: &str,
    schema: &str,
    statements: &Statements,
    expected: Option<Identity>,
    stored: &StoredDocument,
    document: &DocumentWrite<'_>,
    mark: Option<&TextMark>,
) -> Result<Option<WriteOutcome>, tokio_postgres::Error> {
    let sql = format!(
        "SELECT {ROW_VERSION}, chunk_count FROM {schema}.documents WHERE id = $1 FOR UPDATE"
    );
    let row = transaction.query_opt_unnamed(&sql, &[&stored.id]).await?;
    // A policy may hide chunks from a caller who does not own the store.
    let is_whole = |row: &tokio_postgres::Row| {
        mark.is_none() || row.get::<_, Option<i32>>(1) == Some(stored.chunks.len() as i32)
    };
    if row.is_none_or(|row| row.get::<_, &str>(0) != stored.row_version || !is_whole(&row)) {
        transaction.rollback().await?;
        return Ok(Some(WriteOutcome::Conflict));
    }
    let sql = format!(
        "SELECT id, {ROW_VERSION} FROM {schema}.chunks WHERE document_id = $1 ORDER BY ordinal FOR UPDATE"
    );
    let rows = transaction.query_unnamed(&sql, &[&stored.id]).await?;
    let versions = rows.iter().map(|row| (row.get::<_, Uuid>(0), row.get::<_, &str>(1)));
    if !versions.eq(stored.chunks.iter().map(|chunk| (chunk.id, &*chunk.row_version))) {
        transaction.rollback().await?;
        return Ok(Some(WriteOutcome::Conflict));
    }
    if !has_identity(&transaction, name, expected).await? {
        transaction.rollback().await?;
        return Ok(None);
    }

    let count = document.chunks.len() as i32;
    match mark {
        None => {
            // In a query, because Citus rejects a volatile function in UPDATE.
            let sql = format!(
                "UPDATE {schema}.documents SET content_hash = (SELECT {UNKNOWN_HASH}), chunk_count = $2, metadata = $3 WHERE id = $1"
            );
            transaction.execute_unnamed(&sql, &[&stored.id, &count, document.metadata]).await?;
        }
        // The server merges the metadata, because its numbers may have more digits than serde_json keeps.
        Some(mark) => {
            let sql = format!(
                "UPDATE {schema}.documents SET content_hash = $3, chunk_count = $2, \
                 metadata = $4::jsonb || (metadata - $5::text) WHERE id = $1"
            );
            let values: [&dyn Parameter; 5] =
                [&stored.id, &count, &mark.content_hash, document.metadata, &TextMark::KEY];
            transaction.execute_unnamed(&sql, &values).await?;
        }
    }
    reconcile(&transaction, statements, document).await?;
    if let Some(EmbeddingStatements { delete, .. }) = &statements.embeddings {
        // A worker of the command embed may have written an embedding since the chunks were read.
        let embedded = document.chunks.iter().filter(|chunk| chunk.embedding.is_some());
        let ids: Vec<_> = embedded.map(|chunk| chunk.id).collect();
        transaction.execute_unnamed(delete, &[&stored.id, &ids]).await?;
    }
    write_chunks(&transaction, statements, &[document]).await?;
    transaction.commit().await?;
    Ok(Some(WriteOutcome::Written))
}
