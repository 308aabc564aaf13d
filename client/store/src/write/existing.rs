//! The documents and chunks that the store already has.

use super::super::connection::Store;
use super::super::error::Error;
use super::super::query::has_embedding;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
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
    /// The values that a derived id implies, if they were requested.
    pub identity: Option<ChunkIdentity>,
}

/// The values of a chunk that do not change while it keeps its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkIdentity {
    section: Vec<String>,
    /// The SHA-256 of the content.
    content: Vec<u8>,
    /// The metadata without the imports.
    metadata: Value,
}

impl ChunkIdentity {
    /// Returns whether the stored chunk has these values.
    pub fn is_of(
        &self,
        section: &[String],
        content: &str,
        metadata: Option<&Map<String, Value>>,
    ) -> bool {
        let has_metadata = match (self.metadata.as_object(), metadata) {
            (Some(stored), Some(metadata)) => stored == metadata,
            (Some(stored), None) => stored.is_empty(),
            (None, _) => false,
        };
        has_metadata && self.section == section && self.content[..] == Sha256::digest(content)[..]
    }
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

    /// Returns one of the ids that a chunk of another document has.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn chunk_of_other_document(
        &self,
        ids: &[Uuid],
        document: Uuid,
    ) -> Result<Option<Uuid>, Error> {
        if ids.is_empty() {
            return Ok(None);
        }
        let sql = format!(
            "SELECT id FROM {}.chunks WHERE id = ANY ($1) AND document_id <> $2 LIMIT 1",
            self.schema
        );
        Ok(self.query_opt(&sql, &[&ids, &document]).await?.map(|row| row.get(0)))
    }

    /// Returns the chunks of a document by id, without their content.
    ///
    /// `with_embeddings` says whether the store has embeddings, `with_identity` whether to compare the chunks
    /// with others of the same ids.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn existing_chunks(
        &self,
        document: Uuid,
        with_embeddings: bool,
        with_identity: bool,
    ) -> Result<HashMap<Uuid, ExistingChunk>, Error> {
        let schema = &self.schema;
        let has_embedding = has_embedding(schema, with_embeddings);
        let identity = if with_identity {
            "section, pg_catalog.sha256(pg_catalog.convert_to(content, 'UTF8')), metadata - 'imports'"
        } else {
            "NULL::text[], NULL::bytea, NULL::jsonb"
        };
        let sql = format!(
            "SELECT id, preamble, {has_embedding}, {identity} FROM {schema}.chunks WHERE document_id = $1"
        );
        let rows = self.query(&sql, &[&document]).await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                let (preamble, has_embedding) = (row.get(1), row.get(2));
                let identity = with_identity.then(|| ChunkIdentity {
                    section: row.get(3),
                    content: row.get(4),
                    metadata: row.get(5),
                });
                (row.get(0), ExistingChunk { preamble, has_embedding, identity })
            })
            .collect())
    }
}
