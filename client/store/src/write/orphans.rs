//! Orphaned documents, whose source no longer exists: they are marked, and removed after a grace period.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::Parameter;
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// The state of a document in a collection that is synchronized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentState {
    /// The id.
    pub id: Uuid,
    /// The uri.
    pub uri: String,
    /// Whether the document is marked as orphaned.
    pub is_orphan: bool,
    /// Whether it has been marked for longer than the grace period.
    pub is_expired: bool,
    /// Whether it was last written before the synchronization began.
    pub is_older: bool,
}

impl Store {
    /// Returns the server's time, as text in the server's format.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends.
    pub async fn server_time(&self) -> Result<String, Error> {
        Ok(self.query_one("SELECT pg_catalog.now()::text", &[]).await?.get(0))
    }

    /// Lists up to `limit` documents of a collection in the order of their uris, after the uri `after`.
    ///
    /// `begun` is the [`server_time`](Self::server_time) when the synchronization began.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller lacks a privilege on the store.
    pub async fn document_states(
        &self,
        collection: &str,
        version: &str,
        after: Option<&str>,
        grace: Duration,
        begun: &str,
        limit: i64,
    ) -> Result<Vec<DocumentState>, Error> {
        let sql = format!(
            "SELECT id, uri, orphaned_at IS NOT NULL, \
             coalesce(orphaned_at <= now() - make_interval(secs => $4), false), \
             ingested_at < $5::text::timestamptz \
             FROM {}.documents WHERE collection = $1 AND version = $2 AND ($3::text IS NULL OR uri > $3) \
             ORDER BY uri LIMIT $6",
            self.schema
        );
        let grace = grace.as_secs_f64();
        let rows =
            self.query(&sql, &[&collection, &version, &after, &grace, &begun, &limit]).await?;
        Ok(rows
            .into_iter()
            .map(|row| DocumentState {
                id: row.get(0),
                uri: row.get(1),
                is_orphan: row.get(2),
                is_expired: row.get(3),
                is_older: row.get(4),
            })
            .collect())
    }

    /// Marks documents as orphaned, unless they were written since `begun`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller lacks a privilege on the store.
    pub async fn mark_orphaned(&self, ids: &[Uuid], begun: &str) -> Result<(), Error> {
        let update = "UPDATE {store}.documents SET orphaned_at = now() \
                   WHERE id = ANY ($1) AND orphaned_at IS NULL AND ingested_at < $2::text::timestamptz";
        self.change(update, &[&ids, &begun]).await
    }

    /// Removes the mark from a document whose source exists again.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller lacks a privilege on the store.
    pub async fn unmark_orphaned(&self, id: Uuid) -> Result<(), Error> {
        self.change("UPDATE {store}.documents SET orphaned_at = NULL WHERE id = $1", &[&id]).await
    }

    /// Removes documents with their chunks and embeddings, unless they were written since `begun`, or are
    /// no longer marked for longer than the grace period. Returns the number of removed chunks.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller lacks a privilege on the store.
    pub async fn remove_orphans(
        &self,
        ids: &[Uuid],
        begun: &str,
        grace: Duration,
    ) -> Result<usize, Error> {
        let grace = grace.as_secs_f64();
        let delete = format!(
            "WITH removed AS (DELETE FROM {}.documents WHERE id = ANY ($1) \
             AND ingested_at < $2::text::timestamptz \
             AND ($3::float8 = 0 OR orphaned_at <= now() - make_interval(secs => $3::float8)) \
             RETURNING chunk_count) \
             SELECT coalesce(sum(chunk_count), 0)::bigint FROM removed",
            self.schema
        );
        let chunks: i64 = self.query_one(&delete, &[&ids, &begun, &grace]).await?.get(0);
        Ok(usize::try_from(chunks).unwrap_or_default())
    }

    /// Returns the metadata `http` of a document, which describes how the client fetched it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller lacks a privilege on the store.
    pub async fn http_metadata(
        &self,
        collection: &str,
        version: &str,
        uri: &str,
    ) -> Result<Option<Value>, Error> {
        let sql = format!(
            "SELECT coalesce(metadata -> 'http', '{{}}') FROM {}.documents \
             WHERE collection = $1 AND version = $2 AND uri = $3",
            self.schema
        );
        let row = self.query_opt(&sql, &[&collection, &version, &uri]).await?;
        Ok(row.map(|row| row.get(0)))
    }

    /// Executes a statement after replacing `{store}` by the schema.
    async fn change(&self, sql: &str, parameters: &[&dyn Parameter]) -> Result<(), Error> {
        let sql = sql.replace("{store}", &self.schema);
        self.execute(&sql, parameters).await.map(drop)
    }
}
