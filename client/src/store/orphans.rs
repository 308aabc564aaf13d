//! Documents whose sources are gone: marked, and after a while removed.

use super::{Error, Store};
use serde_json::Value;
use std::time::Duration;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// A document of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Its id.
    pub id: Uuid,
    /// Its uri.
    pub uri: String,
    /// Whether its source is marked as gone.
    pub is_orphan: bool,
    /// Whether that was so for longer than it is given.
    pub is_expired: bool,
    /// Whether it was last written before a moment.
    pub is_older: bool,
}

impl Store {
    /// Returns the server's time, as it writes it.
    ///
    /// # Errors
    ///
    /// If the server goes away.
    pub async fn now(&self) -> Result<String, Error> {
        let row = self.client.query_one("SELECT pg_catalog.now()::text", &[]).await;
        Ok(row.map_err(|error| self.error(&error))?.get(0))
    }

    /// Lists documents of a collection in the order of their uris, from behind one on.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn present(
        &self,
        collection: &str,
        version: &str,
        after: Option<&str>,
        grace: Duration,
        begun: &str,
        most: i64,
    ) -> Result<Vec<Present>, Error> {
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
            self.client.query(&sql, &[&collection, &version, &after, &grace, &begun, &most]).await;
        Ok(rows
            .map_err(|error| self.error(&error))?
            .into_iter()
            .map(|row| Present {
                id: row.get(0),
                uri: row.get(1),
                is_orphan: row.get(2),
                is_expired: row.get(3),
                is_older: row.get(4),
            })
            .collect())
    }

    /// Marks documents whose sources are gone, unless they were written since a moment.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn orphan(&self, ids: &[Uuid], begun: &str) -> Result<(), Error> {
        let set = "UPDATE {store}.documents SET orphaned_at = now() \
                   WHERE id = ANY ($1) AND orphaned_at IS NULL AND ingested_at < $2::text::timestamptz";
        self.change(set, &[&ids, &begun]).await
    }

    /// Takes the mark off a document whose source is back.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn restore(&self, id: Uuid) -> Result<(), Error> {
        self.change("UPDATE {store}.documents SET orphaned_at = NULL WHERE id = $1", &[&id]).await
    }

    /// Removes documents with their chunks and embeddings, unless they were written since a moment,
    /// or have lost the mark of having been gone for as long as they are given.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn remove(&self, ids: &[Uuid], begun: &str, grace: Duration) -> Result<(), Error> {
        let grace = grace.as_secs_f64();
        let delete = "DELETE FROM {store}.documents WHERE id = ANY ($1) \
            AND ingested_at < $2::text::timestamptz \
            AND ($3::float8 = 0 OR orphaned_at <= now() - make_interval(secs => $3::float8))";
        self.change(delete, &[&ids, &begun, &grace]).await
    }

    /// Returns what a document's metadata says of how it was fetched, if it is there and was.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn http(
        &self,
        collection: &str,
        version: &str,
        uri: &str,
    ) -> Result<Option<Value>, Error> {
        let sql = format!(
            "SELECT metadata -> 'http' FROM {}.documents \
             WHERE collection = $1 AND version = $2 AND uri = $3",
            self.schema
        );
        let row = self.client.query_opt(&sql, &[&collection, &version, &uri]).await;
        Ok(row.map_err(|error| self.error(&error))?.and_then(|row| row.get(0)))
    }

    async fn change(&self, sql: &str, of: &[&(dyn ToSql + Sync)]) -> Result<(), Error> {
        let sql = sql.replace("{store}", &self.schema);
        self.client.execute(&sql, of).await.map_err(|error| self.error(&error)).map(drop)
    }
}
