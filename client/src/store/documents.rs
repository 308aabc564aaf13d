//! Rows of documents: what a store knows already, and taking them for writing.

use super::statements::Statements;
use super::{Error, Store, write::Document};
use std::collections::{HashMap, HashSet};
use tokio_postgres::Transaction;
use uuid::Uuid;

/// A document of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its id, which need not be a derived one.
    pub id: Uuid,
    /// What its chunks were made from.
    pub content_hash: Option<Vec<u8>>,
    /// Whether its source is marked as gone.
    pub is_orphan: bool,
}

/// A chunk of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownChunk {
    /// What goes before its content.
    pub preamble: Option<String>,
    /// Whether it has an embedding.
    pub embedded: bool,
}

impl Store {
    /// Returns the documents that have one of the uris, by uri: one round trip for many.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn known(
        &self,
        collection: &str,
        version: &str,
        uris: &[&str],
    ) -> Result<HashMap<String, Known>, Error> {
        let sql = format!(
            "SELECT uri, id, content_hash, orphaned_at IS NOT NULL FROM {}.documents WHERE uri = ANY ($1) AND collection = $2 AND version = $3",
            self.schema
        );
        let rows = self
            .client
            .query(&sql, &[&uris, &collection, &version])
            .await
            .map_err(|error| self.error(&error))?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let (id, content_hash, is_orphan) = (row.get(1), row.get(2), row.get(3));
                (row.get(0), Known { id, content_hash, is_orphan })
            })
            .collect())
    }

    /// Returns the chunks of a document by id, without their content.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub async fn known_chunks(
        &self,
        document: Uuid,
        with_embeddings: bool,
    ) -> Result<HashMap<Uuid, KnownChunk>, Error> {
        let schema = &self.schema;
        let embedded = is_embedded(schema, with_embeddings);
        let sql =
            format!("SELECT id, preamble, {embedded} FROM {schema}.chunks WHERE document_id = $1");
        let rows =
            self.client.query(&sql, &[&document]).await.map_err(|error| self.error(&error))?;
        Ok(rows
            .into_iter()
            .map(|row| (row.get(0), KnownChunk { preamble: row.get(1), embedded: row.get(2) }))
            .collect())
    }
}

/// What is true of a chunk of the document `$1` that has an embedding, in a store that may have some.
pub(super) fn is_embedded(schema: &str, with_embeddings: bool) -> String {
    if !with_embeddings {
        return "false".into();
    }
    format!(
        "EXISTS (SELECT FROM {schema}.embeddings WHERE chunk_id = chunks.id AND document_id = $1)"
    )
}

/// Inserts new documents and returns the ids of those that nobody has or is about to insert.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    statements: &Statements,
    documents: &[&Document<'_>],
) -> Result<HashSet<Uuid>, tokio_postgres::Error> {
    fn column<'a, T>(
        documents: &[&'a Document<'a>],
        value: impl Fn(&'a Document<'a>) -> T,
    ) -> Vec<T> {
        documents.iter().map(|document| value(document)).collect()
    }
    let rows = transaction
        .query(
            &statements.insert,
            &[
                &column(documents, |document| document.id),
                &column(documents, |document| document.collection),
                &column(documents, |document| document.version),
                &column(documents, |document| document.uri),
                &column(documents, |document| document.title),
                &column(documents, |document| document.media_type),
                &column(documents, |document| document.source_media_type),
                &column(documents, |document| document.content_hash),
                &column(documents, |document| document.chunks.len() as i32),
                &column(documents, |document| document.metadata),
            ],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.get(0)).collect())
}

/// Updates a document unless it is no longer what the caller knows of it; tells whether it was.
pub(super) async fn update(
    transaction: &Transaction<'_>,
    statements: &Statements,
    document: &Document<'_>,
) -> Result<bool, tokio_postgres::Error> {
    let known = document.known.and_then(|known| known.content_hash.as_deref());
    let taken = transaction
        .execute(
            &statements.update,
            &[
                &document.id,
                &document.title,
                &document.media_type,
                &document.source_media_type,
                &document.content_hash,
                &(document.chunks.len() as i32),
                &document.metadata,
                &known,
            ],
        )
        .await?;
    Ok(taken > 0)
}
