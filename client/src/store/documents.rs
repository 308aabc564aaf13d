//! What a store knows of documents already.

use super::{Error, Store};
use std::collections::HashMap;
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
        let embedded = if with_embeddings {
            format!(
                "EXISTS (SELECT FROM {schema}.embeddings WHERE chunk_id = chunks.id AND document_id = $1)"
            )
        } else {
            "false".into()
        };
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
