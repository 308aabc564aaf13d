//! The contents of a store by collection and by document.

use super::super::connection::Store;
use super::super::error::Error;
use serde::Serialize;
use uuid::Uuid;

/// One version of a collection, with its counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collection {
    /// The name, which may be empty.
    pub collection: String,
    /// The version, which may be empty.
    pub version: String,
    /// The number of documents.
    pub documents: i64,
    /// The number of documents whose source no longer exists.
    pub orphaned: i64,
    /// The number of chunks.
    pub chunks: i64,
    /// The number of embeddings; `None` if the store was created without embeddings.
    pub embeddings: Option<i64>,
    /// The time of the last write to one of the documents, in UTC, by the server's clock, if it is known.
    pub ingested_at: Option<String>,
}

/// A document without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct DocumentRow {
    pub id: Uuid,
    pub collection: String,
    pub version: String,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    pub chunks: i64,
    pub embeddings: Option<i64>,
    pub ingested_at: Option<String>,
    pub orphaned_at: Option<String>,
}

/// The format of a time in RFC 3339, for `to_char`.
const TIME_FORMAT: &str = "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'";

impl Store {
    /// Counts the contents of each collection, in the order of their names.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn collections(&self) -> Result<Vec<Collection>, Error> {
        let (schema, layout) = (&self.schema, self.layout().await?);
        let (embeddings, join) = self.embedding_counts().await?;
        let sql = format!(
            "SELECT coalesce({collection}, ''), coalesce({version}, ''), count(*), count({orphaned}), \
             coalesce(sum(counted.count), 0)::bigint, {embeddings}, \
             to_char(max({ingested}) AT TIME ZONE 'UTC', {TIME_FORMAT}) FROM {documents} \
             LEFT JOIN (SELECT document_id, count(*) FROM {schema}.chunks GROUP BY document_id) AS counted \
             ON counted.document_id = documents.id {join} GROUP BY 1, 2 ORDER BY 1, 2",
            collection = layout.text("documents", "collection"),
            version = layout.text("documents", "version"),
            orphaned = layout.time("documents", "orphaned_at"),
            ingested = layout.time("documents", "ingested_at"),
            documents = layout.documents(schema),
            embeddings = if embeddings {
                "coalesce(sum(embedded.count), 0)::bigint"
            } else {
                "NULL::bigint"
            }
        );
        let rows = self.query(&sql, &[]).await?;
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

    /// Lists the documents of a collection, or of all collections, in the order of their uris.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn documents(&self, collection: Option<&str>) -> Result<Vec<DocumentRow>, Error> {
        let (schema, layout) = (&self.schema, self.layout().await?);
        let (embeddings, join) = self.embedding_counts().await?;
        let text = |column| layout.text("documents", column);
        let sql = format!(
            "SELECT documents.id, coalesce({of_collection}, ''), coalesce({version}, ''), {uri}, {title}, {media_type}, \
             coalesce(counted.count, 0), {embeddings}, to_char({ingested} AT TIME ZONE 'UTC', {TIME_FORMAT}), \
             to_char({orphaned} AT TIME ZONE 'UTC', {TIME_FORMAT}) FROM {documents} \
             LEFT JOIN (SELECT document_id, count(*) FROM {schema}.chunks GROUP BY document_id) AS counted \
             ON counted.document_id = documents.id {join} \
             WHERE $1::text IS NULL OR coalesce({of_collection}, '') = $1 ORDER BY 2, 3, 4, 1",
            of_collection = text("collection"),
            version = text("version"),
            uri = text("uri"),
            title = text("title"),
            media_type = text("media_type"),
            ingested = layout.time("documents", "ingested_at"),
            orphaned = layout.time("documents", "orphaned_at"),
            documents = layout.documents(schema),
            embeddings = if embeddings { "coalesce(embedded.count, 0)" } else { "NULL::bigint" }
        );
        let rows = self.query(&sql, &[&collection]).await?;
        let row = |row: &tokio_postgres::Row| DocumentRow {
            id: row.get(0),
            collection: row.get(1),
            version: row.get(2),
            uri: row.get(3),
            title: row.get(4),
            media_type: row.get(5),
            chunks: row.get(6),
            embeddings: row.get(7),
            ingested_at: row.get(8),
            orphaned_at: row.get(9),
        };
        Ok(rows.iter().map(row).collect())
    }

    /// Returns whether the store has embeddings, and the join that adds their counts.
    async fn embedding_counts(&self) -> Result<(bool, String), Error> {
        let schema = &self.schema;
        if !self.has_embeddings().await? {
            return Ok((false, String::new()));
        }
        let join = format!(
            "LEFT JOIN (SELECT document_id, count(*) FROM {schema}.embeddings GROUP BY document_id) AS embedded \
             ON embedded.document_id = documents.id"
        );
        Ok((true, join))
    }
}
