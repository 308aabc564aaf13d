//! Reading all documents and chunks of a store in one snapshot, for an export.
//!
//! A cursor returns the documents. The chunks of a document are a stream of rows, so that no document has to fit into
//! memory.

use super::super::connection::{Store, begin_snapshot};
use super::super::error::Error;
use super::super::unnamed_statement::UnnamedStatements;
use futures_util::TryStreamExt;
use passage_split::{Kind, MediaType, Unit};
use serde_json::{Map, Value};
use std::pin::pin;
use tokio_postgres::{Row, Statement, Transaction};
use uuid::Uuid;

/// The number of documents that the cursor returns at a time.
const DOCUMENTS: usize = 100;

/// The documents to export.
#[derive(Clone, Debug, Default)]
pub struct ExportFilter {
    /// The collection; `None` for all.
    pub collection: Option<String>,
    /// The version of the collection; `None` for all.
    pub version: Option<String>,
    /// Whether to export documents whose source no longer exists.
    pub include_orphaned: bool,
    /// Whether to read embeddings.
    pub with_embeddings: bool,
}

/// A document, with values instead of those that a store of views may lack.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct ExportedDocument {
    pub id: Uuid,
    pub collection: String,
    pub version: String,
    pub uri: String,
    pub title: Option<String>,
    pub media_type: MediaType,
    pub source_media_type: Option<MediaType>,
    pub metadata: Map<String, Value>,
    /// The number of chunks.
    pub chunks: i64,
    /// Whether each chunk has its bytes in the source, in the order of chunks.
    pub has_spans: bool,
    /// Whether these bytes touch, so that the contents form the text.
    pub is_whole: bool,
}

/// A chunk of a document.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns are described with the tables of a store")]
pub struct ExportedChunk {
    pub id: Uuid,
    pub section: Vec<String>,
    pub level: Option<i64>,
    pub kind: Option<Kind>,
    pub unit: Option<Unit>,
    pub content: String,
    pub preamble: Option<String>,
    pub tokens: Option<i64>,
    pub bytes: Option<(i32, i32)>,
    pub lines: Option<(i32, i32)>,
    pub metadata: Map<String, Value>,
    /// The embedding as a JSON array.
    pub embedding: Option<String>,
}

/// A snapshot of a store that is being read.
pub struct Export<'a> {
    /// The query for the chunks of a document, planned once. It is dropped, and so closed in this session, before
    /// the transaction ends.
    chunks: Statement,
    transaction: Transaction<'a>,
    store: &'a str,
}

impl Store {
    /// Begins to read the documents of the store, in the order of collections, versions and uris.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    #[expect(clippy::disallowed_methods, reason = "closed before the transaction ends")]
    pub async fn export(&mut self, filter: &ExportFilter) -> Result<Export<'_>, Error> {
        let layout = self.layout().await?;
        let (schema, text) = (self.schema.clone(), |column| layout.text("documents", column));
        let chunk = |column| layout.text("chunks", column);
        let [start, end] =
            ["start_byte", "end_byte"].map(|column| format!("{}::integer", chunk(column)));
        let documents = format!(
            "DECLARE passage_export NO SCROLL CURSOR FOR \
             SELECT documents.id, coalesce({collection}, ''), coalesce({version}, ''), coalesce({uri}, documents.id::text), \
             {title}, {media_type}, {source_media_type}, {metadata}, counted.* FROM {documents} CROSS JOIN LATERAL (\
             SELECT count(*), coalesce(bool_and(end_byte - start_byte = bytes AND start_byte >= 0 \
             AND start_byte >= coalesce(before, 0)), false), \
             coalesce(bool_and(start_byte = coalesce(end_before, 0) AND end_byte - start_byte = bytes), true) FROM (\
             SELECT {start} AS start_byte, {end} AS end_byte, octet_length(content) AS bytes, \
             lag({start}) OVER (ORDER BY ordinal) AS before, lag({end}) OVER (ORDER BY ordinal) AS end_before \
             FROM {schema}.chunks WHERE chunks.document_id = documents.id) AS spans) AS counted \
             WHERE ({filter_collection}) AND ({filter_version}) AND ({orphaned} IS NULL OR {include_orphaned}) \
             ORDER BY coalesce({collection}, '') COLLATE \"C\", coalesce({version}, '') COLLATE \"C\", \
             coalesce({uri}, documents.id::text) COLLATE \"C\", documents.id",
            collection = text("collection"),
            version = text("version"),
            uri = text("uri"),
            title = text("title"),
            media_type = text("media_type"),
            source_media_type = text("source_media_type"),
            metadata = text("metadata"),
            documents = layout.documents(&schema),
            filter_collection = condition(&text("collection"), filter.collection.as_deref())?,
            filter_version = condition(&text("version"), filter.version.as_deref())?,
            orphaned = layout.time("documents", "orphaned_at"),
            include_orphaned = filter.include_orphaned,
        );
        let (embedding, join) = if filter.with_embeddings {
            let join = format!(
                "LEFT JOIN {schema}.embeddings AS embeddings ON embeddings.chunk_id = chunks.id{}",
                if layout.has("embeddings", "document_id") {
                    " AND embeddings.document_id = $1"
                } else {
                    ""
                }
            );
            ("embeddings.embedding::text", join)
        } else {
            ("NULL::text", String::new())
        };
        let chunks = format!(
            "SELECT chunks.id, {section}, {level}::bigint, {kind}, {unit}, chunks.content, {preamble}, \
             {tokens}::bigint, {start}, {end}, {first}::integer, {last}::integer, {metadata}, {embedding} \
             FROM {schema}.chunks AS chunks {join} WHERE chunks.document_id = $1 ORDER BY chunks.ordinal",
            section = layout.titles(),
            level = chunk("level"),
            kind = chunk("kind"),
            unit = chunk("unit"),
            preamble = chunk("preamble"),
            tokens = chunk("tokens"),
            first = chunk("first_line"),
            last = chunk("last_line"),
            metadata = chunk("metadata"),
        );
        let Self { client, name, .. } = self;
        let error = |error| Error::new(name, &error);
        let transaction = begin_snapshot(client).await.map_err(error)?;
        transaction.batch_execute(&documents).await.map_err(error)?;
        let chunks = transaction.prepare(&chunks).await.map_err(error)?;
        Ok(Export { chunks, transaction, store: name })
    }
}

/// Returns a condition on the collection or the version.
fn condition(column: &str, value: Option<&str>) -> Result<String, Error> {
    Ok(match value {
        Some(value) if value.contains('\0') => return Err(Error::Nul("collection".into())),
        Some(value) => {
            format!("coalesce({column}, '') = {}", crate::postgres_text::quote_literal(value))
        }
        None => "true".into(),
    })
}

impl Export<'_> {
    /// Reads the next documents; none at the end.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store, and the first error of `take`.
    pub async fn next_documents(&mut self) -> Result<Vec<ExportedDocument>, Error> {
        let sql = format!("FETCH {DOCUMENTS} FROM passage_export");
        let rows = self.transaction.query_unnamed(&sql, &[]).await;
        let rows = rows.map_err(|error| Error::new(self.store, &error))?;
        Ok(rows.iter().map(document).collect())
    }

    /// Reads the chunks of a document in their order, and passes each to `take`, until it returns an error.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    #[expect(clippy::disallowed_methods, reason = "the statement is prepared")]
    pub async fn chunks<E: From<Error>>(
        &self,
        document: &ExportedDocument,
        mut take: impl FnMut(ExportedChunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let error = |error| Error::new(self.store, &error);
        let rows = self.transaction.query_raw(&self.chunks, [document.id]).await.map_err(error)?;
        let mut rows = pin!(rows);
        while let Some(row) = rows.try_next().await.map_err(error)? {
            take(chunk(&row, document))?;
        }
        Ok(())
    }
}

/// Returns the media type of a document; text/plain if it has none.
fn media_type(name: Option<&str>) -> MediaType {
    let media_type = name.map(MediaType::new).filter(|media_type| media_type.name().contains('/'));
    media_type.unwrap_or_else(|| MediaType::new("text/plain"))
}

/// Returns a JSON object. Anything else counts as an empty one.
fn object(text: Option<&str>) -> Map<String, Value> {
    match text.map(serde_json::from_str) {
        Some(Ok(Value::Object(object))) => object,
        _ => Map::new(),
    }
}

fn document(row: &Row) -> ExportedDocument {
    let uri: String = row.get(3);
    let name = || uri.rsplit('/').next().filter(|name| !name.is_empty()).map(ToOwned::to_owned);
    ExportedDocument {
        id: row.get(0),
        collection: row.get(1),
        version: row.get(2),
        // Ingest takes the same title for a document without one.
        title: row.get::<_, Option<String>>(4).or_else(name),
        media_type: media_type(row.get(5)),
        source_media_type: row.get::<_, Option<&str>>(6).map(|name| media_type(Some(name))),
        metadata: object(row.get(7)),
        chunks: row.get(8),
        has_spans: row.get(9),
        is_whole: row.get(10),
        uri,
    }
}

fn chunk(row: &Row, document: &ExportedDocument) -> ExportedChunk {
    let name = |column| row.get::<_, Option<&str>>(column);
    let range = |first, last| row.get::<_, Option<i32>>(first).zip(row.get::<_, Option<i32>>(last));
    ExportedChunk {
        id: row.get(0),
        section: row.get(1),
        level: row.get(2),
        kind: name(3).and_then(Kind::from_name),
        unit: name(4).and_then(Unit::from_name),
        content: row.get(5),
        preamble: row.get(6),
        tokens: row.get(7),
        bytes: range(8, 9).filter(|_| document.has_spans),
        lines: range(10, 11).filter(|(first, last)| 1 <= *first && first <= last),
        metadata: object(row.get(12)),
        embedding: row.get(13),
    }
}
