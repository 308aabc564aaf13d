//! What a store holds, by collection and by document.

use super::{Error, Store};
use serde::Serialize;

/// A collection in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collection {
    /// Its name; may be empty.
    pub collection: String,
    /// Its version; may be empty.
    pub version: String,
    /// Documents.
    pub documents: i64,
    /// Those whose source is gone.
    pub orphaned: i64,
    /// Chunks.
    pub chunks: i64,
    /// Embeddings; `None` if the store has no place for them.
    pub embeddings: Option<i64>,
    /// When one of its documents was last written, by the clock of the server, in UTC.
    pub ingested_at: String,
}

/// A document, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct Listed {
    pub collection: String,
    pub version: String,
    pub uri: String,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub chunks: i64,
    pub embeddings: Option<i64>,
    pub ingested_at: String,
    pub orphaned_at: Option<String>,
}

/// A time as RFC 3339 has it.
const TIME: &str = "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'";

impl Store {
    /// Counts what each collection holds, in the order of their names.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn collections(&self) -> Result<Vec<Collection>, Error> {
        let schema = &self.schema;
        let (embeddings, counted) = self.counted().await?;
        let sql = format!(
            "SELECT collection, version, count(*), count(orphaned_at), coalesce(sum(chunks.count), 0)::bigint, \
             {embeddings}, to_char(max(ingested_at) AT TIME ZONE 'UTC', {TIME}) FROM {schema}.documents \
             LEFT JOIN (SELECT document_id, count(*) FROM {schema}.chunks GROUP BY document_id) AS chunks \
             ON chunks.document_id = documents.id {counted} GROUP BY collection, version ORDER BY collection, version",
            embeddings = if embeddings {
                "coalesce(sum(embeddings.count), 0)::bigint"
            } else {
                "NULL::bigint"
            }
        );
        let rows = self.client.query(&sql, &[]).await.map_err(|error| self.error(&error))?;
        let row = |row: &tokio_postgres::Row| Collection {
            collection: row.get(0),
            version: row.get(1),
            documents: row.get(2),
            orphaned: row.get(3),
            chunks: row.get(4),
            embeddings: row.get(5),
            ingested_at: row.get(6),
        };
        Ok(rows.iter().map(row).collect())
    }

    /// Lists the documents, of a collection or of all, in the order of their uris.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn documents(&self, collection: Option<&str>) -> Result<Vec<Listed>, Error> {
        let schema = &self.schema;
        let (embeddings, counted) = self.counted().await?;
        let sql = format!(
            "SELECT collection, version, uri, title, media_type, coalesce(chunks.count, 0), {embeddings}, \
             to_char(ingested_at AT TIME ZONE 'UTC', {TIME}), to_char(orphaned_at AT TIME ZONE 'UTC', {TIME}) \
             FROM {schema}.documents \
             LEFT JOIN (SELECT document_id, count(*) FROM {schema}.chunks GROUP BY document_id) AS chunks \
             ON chunks.document_id = documents.id {counted} \
             WHERE $1::text IS NULL OR collection = $1 ORDER BY collection, version, uri",
            embeddings = if embeddings { "coalesce(embeddings.count, 0)" } else { "NULL::bigint" }
        );
        let rows =
            self.client.query(&sql, &[&collection]).await.map_err(|error| self.error(&error))?;
        let row = |row: &tokio_postgres::Row| Listed {
            collection: row.get(0),
            version: row.get(1),
            uri: row.get(2),
            title: row.get(3),
            media_type: row.get(4),
            chunks: row.get(5),
            embeddings: row.get(6),
            ingested_at: row.get(7),
            orphaned_at: row.get(8),
        };
        Ok(rows.iter().map(row).collect())
    }

    /// Tells whether there are embeddings to count, and what joins their counts.
    async fn counted(&self) -> Result<(bool, String), Error> {
        let schema = &self.schema;
        if !self.has_embeddings().await? {
            return Ok((false, String::new()));
        }
        let join = format!(
            "LEFT JOIN (SELECT document_id, count(*) FROM {schema}.embeddings GROUP BY document_id) AS embeddings \
             ON embeddings.document_id = documents.id"
        );
        Ok((true, join))
    }
}
