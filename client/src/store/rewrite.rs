/*!
Writing the chunks of a document anew that is in the store already, from what the store has of it.

The document and its chunks are locked first and must be the rows that were read: whatever others
wrote in between, by whatever way, is not lost. What is known of the source is forgotten
(`content_hash`, and what its server told when it was fetched), so that the next ingest compares
honestly, and one that is under way finds that another was here; when the document was ingested, and whether its source is gone, stays.
*/

use super::error::is_contended;
use super::identity::is_same;
use super::ownership::hold;
use super::statements::{Embeddings, Statements};
use super::stored::ROW;
use super::{Document, Error, Identity, Store, Stored, Written, chunks};
use tokio_postgres::Transaction;
use uuid::Uuid;

/// A content hash that no source has, and no two documents nor two writes of one.
pub(super) const UNKNOWN_HASH: &str = "pg_catalog.uuid_send(pg_catalog.gen_random_uuid())";

impl Store {
    /// Writes a document's chunks, embeddings and metadata in place of `stored`, all in one
    /// transaction; of the document itself nothing else is written.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away; the document is then as it was.
    pub async fn rewrite(
        &mut self,
        stored: &Stored,
        document: &Document<'_>,
    ) -> Result<Written, Error> {
        let statements = self.statements(document.with_embeddings).await;
        let statements = statements.map_err(|error| self.error(&error))?;
        let Self { name, schema, expected, .. } = self;
        let (name, schema, expected) = (name.clone(), schema.clone(), *expected);
        let mut held = self.held.take();
        let transaction = self.begin().await?;
        // What writes are to run of others must not come between the asking and the writing.
        match &held {
            Some(held) => held.again(&transaction).await?,
            None => held = Some(hold(&transaction, &[&name], "ROW EXCLUSIVE").await?),
        }
        let rewritten =
            try_rewrite(transaction, &name, &schema, &statements, expected, stored, document);
        let rewritten = rewritten.await;
        self.held = held;
        match rewritten {
            Ok(Some(written)) => Ok(written),
            Ok(None) => Err(Error::Replaced(name)),
            Err(error) if is_contended(&error) => Ok(Written::Changed),
            Err(error) => Err(Error::new(&name, &error)),
        }
    }
}

async fn try_rewrite(
    transaction: Transaction<'_>,
    name: &str,
    schema: &str,
    statements: &Statements,
    expected: Option<Identity>,
    stored: &Stored,
    document: &Document<'_>,
) -> Result<Option<Written>, tokio_postgres::Error> {
    let sql = format!("SELECT {ROW} FROM {schema}.documents WHERE id = $1 FOR UPDATE");
    let row = transaction.query_opt(&sql, &[&stored.id]).await?;
    if row.is_none_or(|row| row.get::<_, &str>(0) != stored.row) {
        transaction.rollback().await?;
        return Ok(Some(Written::Changed));
    }
    let sql = format!(
        "SELECT id, {ROW} FROM {schema}.chunks WHERE document_id = $1 ORDER BY ordinal FOR UPDATE"
    );
    let rows = transaction.query(&sql, &[&stored.id]).await?;
    let there = rows.iter().map(|row| (row.get::<_, Uuid>(0), row.get::<_, &str>(1)));
    if !there.eq(stored.chunks.iter().map(|chunk| (chunk.id, &*chunk.row))) {
        transaction.rollback().await?;
        return Ok(Some(Written::Changed));
    }
    if !is_same(&transaction, name, expected).await? {
        transaction.rollback().await?;
        return Ok(None);
    }

    let sql = format!(
        "UPDATE {schema}.documents SET content_hash = {UNKNOWN_HASH}, chunk_count = $2, metadata = $3 WHERE id = $1"
    );
    let count = document.chunks.len() as i32;
    transaction.execute(&sql, &[&stored.id, &count, document.metadata]).await?;
    chunks::reconcile(&transaction, statements, document).await?;
    if let Some(Embeddings { delete, .. }) = &statements.embeddings {
        // A worker may have embedded it since it was read.
        let embedded = document.chunks.iter().filter(|chunk| chunk.embedding.is_some());
        let ids: Vec<_> = embedded.map(|chunk| chunk.id).collect();
        transaction.execute(delete, &[&stored.id, &ids]).await?;
    }
    chunks::copy(&transaction, statements, &[document]).await?;
    transaction.commit().await?;
    Ok(Some(Written::Done))
}
