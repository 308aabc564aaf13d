//! The documents and chunks that the store already has.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::query::has_embedding;
use std::collections::HashMap;
use uuid::Uuid;

/// A document of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingDocument {
    /// The id, which need not be a derived one.
    pub id: Uuid,
    /// The hash of everything that the chunks depended on.
    pub content_hash: Option<Vec<u8>>,
    /// Whether the document is marked as orphaned: its source no longer exists.
    pub is_orphan: bool,
}

/// A chunk of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingChunk {
    /// The text before the content.
    pub preamble: Option<String>,
    /// Whether the chunk has an embedding.
    pub has_embedding: bool,
}

impl Store {
    /// Returns the documents with one of the uris, by uri, with one statement.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn existing_documents(
        &self,
        collection: &str,
        version: &str,
        uris: &[&str],
    ) -> Result<HashMap<String, ExistingDocument>, Error> {
        let sql = format!(
            "SELECT uri, id, content_hash, orphaned_at IS NOT NULL FROM {}.documents \
             WHERE uri = ANY ($1) AND collection = $2 AND version = $3",
            self.schema
        );
        let rows = self.query(&sql, &[&uris, &collection, &version]).await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let (id, content_hash, is_orphan) = (row.get(1), row.get(2), row.get(3));
                (row.get(0), ExistingDocument { id, content_hash, is_orphan })
            })
            .collect())
    }

    /// Returns the chunks of a document by id, without their content.
    ///
    /// `with_embeddings` says whether the store has embeddings.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn existing_chunks(
        &self,
        document: Uuid,
        with_embeddings: bool,
    ) -> Result<HashMap<Uuid, ExistingChunk>, Error> {
        let schema = &self.schema;
        let has_embedding = has_embedding(schema, with_embeddings);
        let sql = format!(
            "SELECT id, preamble, {has_embedding} FROM {schema}.chunks WHERE document_id = $1"
        );
        let rows = self.query(&sql, &[&document]).await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let (preamble, has_embedding) = (row.get(1), row.get(2));
                (row.get(0), ExistingChunk { preamble, has_embedding })
            })
            .collect())
    }
}
