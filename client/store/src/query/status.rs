//! The versions, size and settings of a store.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::installed::{Edition, Installed};
use serde::Serialize;
use serde_json::Value;

/// The contents of a store. Counts are exact, and cover the rows that the caller may see.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The store's name.
    pub store: String,
    /// The server's version.
    pub server: String,
    /// The version of `pg_passage` in the database.
    pub extension: Option<String>,
    /// The edition of `pg_passage`: `native` or `sql`.
    pub edition: Option<&'static str>,
    /// The parts of the product that the edition lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<&'static str>,
    /// The table from which `passage.adopt` made the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<String>,
    /// The number of documents.
    pub documents: i64,
    /// The number of chunks.
    pub chunks: i64,
    /// The number of embeddings; `None` if the store was created without embeddings.
    pub embeddings: Option<i64>,
    /// The bytes of the tables and indexes.
    pub bytes: i64,
    /// The table `settings` as a JSON object.
    pub settings: Value,
}

impl Store {
    /// Returns the version of the server, and the edition of `pg_passage`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection has ended.
    pub async fn versions(&self) -> Result<(String, Option<Installed>), Error> {
        let row = self.query_one("SELECT current_setting('server_version')", &[]).await?;
        Ok((row.get(0), self.installed().await?))
    }

    /// Counts the contents of the store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn status(&self) -> Result<Status, Error> {
        let layout = self.layout().await?;
        let sql = "SELECT current_setting('server_version'), \
                   (SELECT coalesce(sum(coalesce(_passage.distributed_size(part), pg_total_relation_size(part))), 0)::bigint FROM (\
                   SELECT DISTINCT part FROM pg_class CROSS JOIN LATERAL _passage.relation_tree(pg_class.oid) AS part \
                   WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'p', 'm')) AS parts), \
                   jsonb_strip_nulls(jsonb_build_object('dimensions', facts.dimensions, 'distance', facts.distance, 'language', facts.language)) \
                   || coalesce(_passage.store_settings(nspname), '{}') \
                   FROM pg_namespace, _passage.store_facts(nspname) AS facts WHERE nspname = $1";
        let row = self.query_one(sql, &[&self.name]).await?;
        let schema = &self.schema;
        let embeddings = if layout.has_relation("embeddings") {
            format!("(SELECT count(*) FROM {schema}.embeddings)")
        } else {
            "NULL".into()
        };
        let sql = format!(
            "SELECT (SELECT count(*) FROM {}), (SELECT count(*) FROM {schema}.chunks), {embeddings}::bigint",
            layout.documents(schema)
        );
        let counts = self.query_one(&sql, &[]).await?;
        let installed = self.installed().await?;
        let edition = installed.as_ref().map(|installed| installed.edition);
        Ok(Status {
            store: self.name.clone(),
            server: row.get(0),
            extension: installed.map(|installed| installed.version),
            edition: edition.map(Edition::name),
            lacks: edition.map_or_else(Vec::new, Edition::lacks),
            adopted: layout.source,
            documents: counts.get(0),
            chunks: counts.get(1),
            embeddings: counts.get(2),
            bytes: row.get(1),
            settings: row.get(2),
        })
    }
}
