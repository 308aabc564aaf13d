//! The documents that the store already has.

use super::super::connection::Store;
use super::super::error::Error;
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
        let sql = "SELECT uri, id, content_hash, is_orphan \
             FROM _passage.stored_documents($1::text, 'load', $2, ARRAY[$3::text], ARRAY[$4::text])";
        let rows = self.query(sql, &[&self.name, &uris, &collection, &version]).await?;
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
}
