//! Documents as a store holds them, read back so that they can be split again.

use super::documents::is_embedded;
use super::{Error, Store};
use passage_core::{Kind, Unit};
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
use tokio_postgres::{GenericClient, Row};
use uuid::Uuid;

/// A document with its chunks.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its id.
    pub id: Uuid,
    /// The project or library it belongs to.
    pub collection: String,
    /// The version of that.
    pub version: String,
    /// Its url or path.
    pub uri: String,
    /// Its title for people.
    pub title: Option<String>,
    /// What its text is, where that is known.
    pub media_type: Option<String>,
    /// Whatever else is known of it.
    pub metadata: Value,
    /// Its chunks, in document order.
    pub chunks: Vec<StoredChunk>,
    /// What tells whether its row is still the same.
    pub(super) row: String,
}

/// A chunk as a store holds it; what is `None` is unknown.
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
    /// Whether it has an embedding.
    pub embedded: bool,
    /// What tells whether its row is still the same.
    pub(super) row: String,
}

impl Store {
    /// Returns the ids of a collection's documents or of all, in the order of collections, versions
    /// and uris.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn ids(
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
        let rows = self.client.query(&sql, &[&collection, &version]).await;
        Ok(rows.map_err(|error| self.error(&error))?.iter().map(|row| row.get(0)).collect())
    }

    /// Reads a document with its chunks; `None` if it is gone.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn stored(&self, id: Uuid, with_embeddings: bool) -> Result<Option<Stored>, Error> {
        let stored = stored(&self.client, &self.schema, id, with_embeddings).await;
        stored.map_err(|error| self.error(&error))
    }

    /// Returns what the sizes of a store's chunks were last counted in, if it remembers that.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn sizer(&self) -> Result<Option<String>, Error> {
        self.must_exist().await?;
        let sql = "SELECT _passage.store_settings($1::text::name) ->> 'sizer'";
        let row = self.client.query_one(sql, &[&self.name]).await;
        Ok(row.map_err(|error| self.error(&error))?.get(0))
    }
}

/// Reads a document of a schema with its chunks; `None` if it is gone.
pub(super) async fn stored(
    client: &impl GenericClient,
    schema: &str,
    id: Uuid,
    with_embeddings: bool,
) -> Result<Option<Stored>, tokio_postgres::Error> {
    let sql = format!(
        "SELECT collection, version, uri, title, media_type, metadata, {ROW} \
         FROM {schema}.documents WHERE id = $1"
    );
    let Some(row) = client.query_opt(&sql, &[&id]).await? else { return Ok(None) };
    let embedded = is_embedded(schema, with_embeddings);
    let sql = format!(
        "SELECT id, section, level, kind, unit, content, preamble, tokens, start_byte, end_byte, \
         first_line, last_line, ARRAY(SELECT jsonb_array_elements_text(CASE jsonb_typeof(metadata -> 'imports') \
         WHEN 'array' THEN metadata -> 'imports' ELSE '[]' END)), {embedded}, {ROW} \
         FROM {schema}.chunks WHERE document_id = $1 ORDER BY ordinal"
    );
    let chunks = client.query(&sql, &[&id]).await?;
    Ok(Some(Stored {
        id,
        collection: row.get(0),
        version: row.get(1),
        uri: row.get(2),
        title: row.get(3),
        media_type: row.get(4),
        metadata: row.get(5),
        row: row.get(6),
        chunks: chunks.iter().map(chunk).collect(),
    }))
}

/// A row's place and its writer, which are others after each write.
pub(super) const ROW: &str = "xmin::text || ' ' || ctid::text";

fn chunk(row: &Row) -> StoredChunk {
    let number =
        |place| row.get::<_, Option<i32>>(place).and_then(|number| usize::try_from(number).ok());
    let name = |place| row.get::<_, Option<&str>>(place);
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
        embedded: row.get(13),
        row: row.get(14),
    }
}
