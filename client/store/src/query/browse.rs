//! Documents page by page, the chunks of a document, and the lines of a document.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::layout::Layout;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_postgres::Row;
use uuid::Uuid;

/// The documents to list.
#[derive(Clone, Debug, Default)]
pub struct DocumentFilter {
    /// The uri, or the id as a text; `None` for all.
    pub uri: Option<String>,
    /// The id; `None` for all.
    pub id: Option<Uuid>,
    /// The collection; `None` for all.
    pub collection: Option<String>,
    /// The version of the collection; `None` for all.
    pub version: Option<String>,
    /// The last document of the page before; `None` for the first page.
    pub after: Option<DocumentKey>,
    /// Whether to read the metadata.
    pub with_metadata: bool,
    /// The maximum number of documents.
    pub limit: u32,
}

/// The key by which documents are listed: uri, collection, version and id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentKey(String, String, String, Uuid);

/// A document in a list.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct ListedDocument {
    pub id: Uuid,
    pub collection: String,
    pub version: String,
    pub uri: Option<String>,
    pub title: Option<String>,
    pub media_type: Option<String>,
    /// Not parsed, because `jsonb` allows numbers and a depth that a parser rejects.
    pub metadata: Option<Box<RawValue>>,
    /// The number of chunks.
    pub chunks: i64,
    /// The number of the last line, if the chunks have lines.
    pub last_line: Option<i32>,
}

impl ListedDocument {
    /// Returns the key after which the next page begins.
    pub fn key(&self) -> DocumentKey {
        let uri = self.uri.clone().unwrap_or_default();
        DocumentKey(uri, self.collection.clone(), self.version.clone(), self.id)
    }
}

/// A chunk of a document, in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct DocumentChunk {
    pub id: Uuid,
    /// A view may have chunks without an ordinal.
    pub ordinal: Option<i64>,
    pub section: Vec<String>,
    pub level: Option<i64>,
    pub kind: Option<String>,
    pub unit: Option<String>,
    pub tokens: Option<i64>,
    pub first_line: Option<i64>,
    pub last_line: Option<i64>,
    pub content: String,
}

/// The key by which the chunks of a document are ordered: ordinal and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkKey(Option<i64>, Uuid);

impl DocumentChunk {
    /// Returns the key after which the next chunk comes.
    pub fn key(&self) -> ChunkKey {
        ChunkKey(self.ordinal, self.id)
    }
}

impl Store {
    /// Lists documents in the order of uris, collections and versions, which an index has, with the numbers of their
    /// chunks.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn document_page(
        &self,
        filter: &DocumentFilter,
    ) -> Result<Vec<ListedDocument>, Error> {
        let (schema, layout) = (&self.schema, self.layout().await?);
        let text = |column| layout.text("documents", column);
        let [collection, version, key] =
            ["collection", "version", "uri"].map(|column| layout.key("documents", column));
        let metadata = if filter.with_metadata && layout.has("documents", "metadata") {
            "to_jsonb(documents.metadata)::text"
        } else {
            "NULL::text"
        };
        let sql = format!(
            "SELECT documents.id, {collection}, {version}, {uri}, {title}, {media_type}, {metadata} FROM {documents} \
             WHERE ($1::text IS NULL OR {uri} = $1 OR documents.id = $10) AND ($2::uuid IS NULL OR documents.id = $2) \
             AND ($3::text IS NULL OR {collection} = $3) AND ($4::text IS NULL OR {version} = $4) \
             AND ($5::text IS NULL OR ({key}, {collection}, {version}, documents.id) > ($5, $6::text, $7::text, $8::uuid)) \
             ORDER BY {key}, {collection}, {version}, documents.id LIMIT $9",
            uri = text("uri"),
            title = text("title"),
            media_type = text("media_type"),
            documents = layout.documents(schema),
        );
        let after = filter.after.as_ref();
        let uri_as_id = filter.uri.as_ref().and_then(|uri| uri.parse::<Uuid>().ok());
        let rows = self
            .query(
                &sql,
                &[
                    &filter.uri.as_deref(),
                    &filter.id,
                    &filter.collection.as_deref(),
                    &filter.version.as_deref(),
                    &after.map(|key| key.0.as_str()),
                    &after.map(|key| key.1.as_str()),
                    &after.map(|key| key.2.as_str()),
                    &after.map(|key| key.3),
                    &i64::from(filter.limit),
                    &uri_as_id,
                ],
            )
            .await?;
        let ids: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
        // A statement of its own, which Citus sends only to the shards of these documents.
        let sql = format!(
            "SELECT document_id, count(*), max({last_line}) FROM {schema}.chunks AS chunks WHERE document_id = ANY ($1) GROUP BY 1",
            last_line = column(&layout, "last_line", "integer"),
        );
        let counts = self.query(&sql, &[&ids]).await?;
        let row = |row: &Row| {
            let id: Uuid = row.get(0);
            let count = counts.iter().find(|count| count.get::<_, Uuid>(0) == id);
            ListedDocument {
                id,
                collection: row.get(1),
                version: row.get(2),
                uri: row.get(3),
                title: row.get(4),
                media_type: row.get(5),
                metadata: row
                    .get::<_, Option<String>>(6)
                    .map(|text| RawValue::from_string(text).expect("the server writes JSON")),
                chunks: count.map_or(0, |count| count.get(1)),
                last_line: count.and_then(|count| count.get(2)),
            }
        };
        Ok(rows.iter().map(row).collect())
    }

    /// Returns chunks of a document in document order, those without an ordinal first. They begin after the given
    /// one; with `None`, at the first.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn document_chunks(
        &self,
        document: Uuid,
        after: Option<ChunkKey>,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, Error> {
        let layout = self.layout().await?;
        // The index of a table has no order for NULL first.
        let nulls = if layout.is_not_null("chunks", "ordinal") { "" } else { "NULLS FIRST" };
        let sql = format!(
            "{} AND ($3::uuid IS NULL OR $2::bigint IS NULL AND (ordinal IS NOT NULL OR id > $3) \
             OR (ordinal, id) > ($2, $3)) ORDER BY ordinal {nulls}, id LIMIT $4",
            self.chunk_query(&layout)
        );
        let (ordinal, id) = after.map_or((None, None), |ChunkKey(ordinal, id)| (ordinal, Some(id)));
        let rows = self.query(&sql, &[&document, &ordinal, &id, &i64::from(limit)]).await?;
        Ok(rows.iter().map(chunk).collect())
    }

    /// Returns the chunks that have one of the lines of a document, in document order.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn chunks_of_lines(
        &self,
        document: Uuid,
        first: i32,
        last: i32,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, Error> {
        let layout = self.layout().await?;
        let query = self.chunk_query(&layout);
        let line = |name| column(&layout, name, "integer");
        let sql = format!(
            "{query} AND {} >= $2 AND {} <= $3 ORDER BY ordinal, id LIMIT $4",
            line("last_line"),
            line("first_line")
        );
        let rows = self.query(&sql, &[&document, &first, &last, &i64::from(limit)]).await?;
        Ok(rows.iter().map(chunk).collect())
    }

    /// Returns the query for chunks of the document `$1`. A store of views may lack some of the columns.
    fn chunk_query(&self, layout: &Layout) -> String {
        let value = |name| column(layout, name, "bigint");
        format!(
            "SELECT id, ordinal::bigint AS position, {section}, {level}, {kind}, {unit}, {tokens}, {first_line}, {last_line}, \
             content FROM {schema}.chunks AS chunks WHERE document_id = $1",
            section = layout.titles(),
            level = value("level"),
            kind = layout.text("chunks", "kind"),
            unit = layout.text("chunks", "unit"),
            tokens = value("tokens"),
            first_line = value("first_line"),
            last_line = value("last_line"),
            schema = self.schema,
        )
    }
}

/// Returns an expression for a column of chunks; NULL if the store lacks it.
fn column(layout: &Layout, name: &str, sql_type: &str) -> String {
    if layout.has("chunks", name) {
        format!("chunks.{name}::{sql_type}")
    } else {
        format!("NULL::{sql_type}")
    }
}

fn chunk(row: &Row) -> DocumentChunk {
    DocumentChunk {
        id: row.get(0),
        ordinal: row.get(1),
        section: row.get(2),
        level: row.get(3),
        kind: row.get(4),
        unit: row.get(5),
        tokens: row.get(6),
        first_line: row.get(7),
        last_line: row.get(8),
        content: row.get(9),
    }
}
