//! What a store holds.

use super::{Error, Store};
use serde::Serialize;
use serde_json::Value;

/// What a store holds; counts are exact, and of what the caller may see.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The store.
    pub store: String,
    /// The server's version.
    pub server: String,
    /// The version of the extension in this database.
    pub extension: Option<String>,
    /// Documents.
    pub documents: i64,
    /// Chunks.
    pub chunks: i64,
    /// Embeddings; `None` if the store has no place for them.
    pub embeddings: Option<i64>,
    /// Bytes of its tables with their indexes.
    pub bytes: i64,
    /// Its table `settings`.
    pub settings: Value,
}

impl Store {
    /// Counts what the store holds.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn status(&self) -> Result<Status, Error> {
        let error = |error| self.error(&error);
        self.must_exist().await?;
        let sql = "SELECT current_setting('server_version'), \
                   (SELECT extversion FROM pg_extension WHERE extname = 'pg_passage'), \
                   EXISTS (SELECT FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'embeddings'), \
                   (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class \
                   WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'm')), \
                   coalesce(_passage.store_settings(nspname), '{}') \
                   FROM pg_namespace WHERE nspname = $1";
        let row = self.client.query_one(sql, &[&self.name]).await.map_err(error)?;
        let schema = &self.schema;
        let embeddings = if row.get(2) {
            format!("(SELECT count(*) FROM {schema}.embeddings)")
        } else {
            "NULL".into()
        };
        let sql = format!(
            "SELECT (SELECT count(*) FROM {schema}.documents), (SELECT count(*) FROM {schema}.chunks), {embeddings}::bigint"
        );
        let counts = self.client.query_one(&sql, &[]).await.map_err(error)?;
        Ok(Status {
            store: self.name.clone(),
            server: row.get(0),
            extension: row.get(1),
            documents: counts.get(0),
            chunks: counts.get(1),
            embeddings: counts.get(2),
            bytes: row.get(3),
            settings: row.get(4),
        })
    }
}
