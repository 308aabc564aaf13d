//! Stored documents with their chunks, which a reindex splits again.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::unnamed_statement::UnnamedStatements;
use passage_split::{Kind, Place, Unit};
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
use tokio_postgres::{GenericClient, Row};
use uuid::Uuid;

/// A document of the store with its chunks.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    /// The id.
    pub id: Uuid,
    /// The collection: the project or library of the document.
    pub collection: String,
    /// The version of the collection.
    pub version: String,
    /// The URL or path.
    pub uri: String,
    /// The title.
    pub title: Option<String>,
    /// The media type of the text, if known.
    pub media_type: Option<String>,
    /// The metadata, a JSON object.
    pub metadata: Value,
    /// The chunks, in document order.
    pub chunks: Vec<StoredChunk>,
    /// The version of the row.
    pub(crate) row_version: String,
}

/// A chunk of the store; `None` means unknown.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct StoredChunk {
    pub id: Uuid,
    pub section: Vec<String>,
    pub level: i32,
    pub kind: Option<Kind>,
    pub unit: Option<Unit>,
    pub content: String,
    pub preamble: Option<String>,
    pub tokens: Option<i32>,
    pub bytes: Option<Range<usize>>,
    pub lines: Option<RangeInclusive<usize>>,
    pub imports: Vec<String>,
    /// The metadata that has its place in a converted document, or null.
    pub place: Value,
    /// Whether the chunk has an embedding.
    pub has_embedding: bool,
    /// The version of the row.
    pub(crate) row_version: String,
}

impl Store {
    /// Returns the ids of a collection's documents, or of all documents, in the order of collections,
    /// versions and uris.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn document_ids(
        &self,
        collection: Option<&str>,
        version: Option<&str>,
    ) -> Result<Vec<Uuid>, Error> {
        self.must_exist().await?;
        let sql = format!(
            "SELECT id FROM {}.documents WHERE ($1::text IS NULL OR collection = $1) \
             AND ($2::text IS NULL OR version = $2) ORDER BY collection, version, uri",
            self.schema
        );
        let rows = self.query(&sql, &[&collection, &version]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Reads a document with its chunks; `None` if it no longer exists.
    ///
    /// `with_embeddings` says whether the store has embeddings.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn read_document(
        &self,
        id: Uuid,
        with_embeddings: bool,
    ) -> Result<Option<StoredDocument>, Error> {
        let document = read_document(&self.client, &self.schema, id, with_embeddings).await;
        document.map_err(|error| self.error(&error))
    }
}

/// Reads a document of a schema with its chunks; `None` if it no longer exists.
pub(crate) async fn read_document(
    client: &impl GenericClient,
    schema: &str,
    id: Uuid,
    with_embeddings: bool,
) -> Result<Option<StoredDocument>, tokio_postgres::Error> {
    let sql = format!(
        "SELECT collection, version, uri, title, media_type, metadata, {ROW_VERSION} \
         FROM {schema}.documents WHERE id = $1"
    );
    let Some(row) = client.query_opt_unnamed(&sql, &[&id]).await? else { return Ok(None) };
    let has_embedding = has_embedding(schema, with_embeddings);
    let sql = format!(
        "SELECT id, section, level, kind, unit, content, preamble, tokens, start_byte, end_byte, \
         first_line, last_line, ARRAY(SELECT jsonb_array_elements_text(CASE jsonb_typeof(metadata -> 'imports') \
         WHEN 'array' THEN metadata -> 'imports' ELSE '[]' END)), {has_embedding}, {ROW_VERSION}, \
         CASE WHEN jsonb_exists_any(metadata, $2) THEN metadata::text END \
         FROM {schema}.chunks WHERE document_id = $1 ORDER BY ordinal"
    );
    let keys = Place::KEYS.map(ToOwned::to_owned).to_vec();
    let chunks = client.query_unnamed(&sql, &[&id, &keys]).await?;
    Ok(Some(StoredDocument {
        id,
        collection: row.get(0),
        version: row.get(1),
        uri: row.get(2),
        title: row.get(3),
        media_type: row.get(4),
        metadata: row.get(5),
        row_version: row.get(6),
        chunks: chunks.iter().map(chunk).collect(),
    }))
}

/// An expression for the version of a row: its location and the transaction that wrote it, which change
/// with each write.
pub(crate) const ROW_VERSION: &str = "xmin::text || ' ' || ctid::text";

/// Returns an expression for whether a chunk of the document `$1` has an embedding.
fn has_embedding(schema: &str, with_embeddings: bool) -> String {
    if !with_embeddings {
        return "false".into();
    }
    format!(
        "EXISTS (SELECT FROM {schema}.embeddings WHERE chunk_id = chunks.id AND document_id = $1)"
    )
}

fn chunk(row: &Row) -> StoredChunk {
    let number =
        |column| row.get::<_, Option<i32>>(column).and_then(|number| usize::try_from(number).ok());
    let name = |column| row.get::<_, Option<&str>>(column);
    // Metadata of others may have numbers that no program reads.
    let place = name(15).and_then(|metadata| serde_json::from_str(metadata).ok());
    StoredChunk {
        id: row.get(0),
        section: row.get(1),
        level: row.get(2),
        kind: name(3).and_then(Kind::from_name),
        unit: name(4).and_then(Unit::from_name),
        content: row.get(5),
        preamble: row.get(6),
        tokens: row.get(7),
        bytes: number(8).zip(number(9)).map(|(start, end)| start..end),
        lines: number(10).zip(number(11)).map(|(first, last)| first..=last),
        imports: row.get(12),
        has_embedding: row.get(13),
        row_version: row.get(14),
        place: place.unwrap_or_default(),
    }
}
