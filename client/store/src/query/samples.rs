//! A sample of chunks, spread over the documents.

use super::super::connection::Store;
use super::super::error::Error;
use tokio_postgres::Row;

/// A chunk of a sample, with the keys of its document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct SampledChunk {
    pub collection: String,
    pub uri: String,
    /// The title of the document.
    pub title: Option<String>,
    pub section: Vec<String>,
    pub content: String,
}

impl Store {
    /// Returns chunks of all documents in turn, in an order that only the seed and the ids decide: first one chunk of each
    /// document, then a second one of each, and so on. Chunks of documents without a uri and of orphaned documents are left
    /// out.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn sample_chunks(
        &self,
        collection: Option<&str>,
        version: Option<&str>,
        seed: u64,
        limit: u32,
    ) -> Result<Vec<SampledChunk>, Error> {
        let (schema, layout) = (&self.schema, self.layout().await?);
        let [own_collection, own_version] =
            ["collection", "version"].map(|column| layout.key("documents", column));
        let sql = format!(
            "WITH listed AS (SELECT documents.id, {own_collection} AS collection, {uri} AS uri, {title} AS title \
                 FROM {documents} WHERE {uri} IS NOT NULL AND {orphaned_at} IS NULL \
                 AND ($1::text IS NULL OR {own_collection} = $1) AND ($2::text IS NULL OR {own_version} = $2)), \
             turns AS (SELECT chunks.id, chunks.document_id, row_number() OVER (PARTITION BY chunks.document_id \
                     ORDER BY md5(chunks.id::text || $3), chunks.id) AS turn \
                 FROM {schema}.chunks AS chunks JOIN listed ON listed.id = chunks.document_id), \
             chosen AS (SELECT * FROM turns ORDER BY turn, md5(document_id::text || $3), document_id LIMIT $4) \
             SELECT listed.collection, listed.uri, listed.title, {section}, chunks.content \
             FROM chosen JOIN {schema}.chunks AS chunks ON chunks.id = chosen.id AND chunks.document_id = chosen.document_id \
             JOIN listed ON listed.id = chosen.document_id \
             ORDER BY chosen.turn, md5(chosen.document_id::text || $3), chosen.document_id",
            uri = layout.text("documents", "uri"),
            title = layout.text("documents", "title"),
            orphaned_at = layout.time("documents", "orphaned_at"),
            documents = layout.documents(schema),
            section = layout.titles(),
        );
        let (seed, limit) = (seed.to_string(), i64::from(limit));
        let rows = self.query(&sql, &[&collection, &version, &seed, &limit]).await?;
        let chunk = |row: &Row| SampledChunk {
            collection: row.get(0),
            uri: row.get(1),
            title: row.get(2),
            section: row.get(3),
            content: row.get(4),
        };
        Ok(rows.iter().map(chunk).collect())
    }
}
