//! Removing documents by name.

use super::{Error, Store};
use serde::Serialize;

/// Which documents to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Those of these uris in one version of a collection.
    Uris {
        /// The uris.
        uris: Vec<String>,
        /// The collection, which may be empty.
        collection: String,
        /// The version, which may be empty.
        version: String,
    },
    /// All of a collection, or of one version of it.
    Collection {
        /// The collection, which may be empty.
        collection: String,
        /// The version; `None` for all.
        version: Option<String>,
    },
}

/// What was removed, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Documents.
    pub documents: i64,
    /// Their chunks.
    pub chunks: i64,
    /// The uris that were named and no document has.
    pub missing: Vec<String>,
}

impl Store {
    /// Counts what a removal would take.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to read it.
    pub async fn count_removal(&self, removal: &Removal) -> Result<Removed, Error> {
        self.must_exist().await?;
        self.removal(removal, "SELECT id, uri FROM chosen").await
    }

    /// Removes documents with their chunks and embeddings, all at once or none.
    ///
    /// # Errors
    ///
    /// If there is no such store, or no right to write to it.
    pub async fn remove_all(&self, removal: &Removal) -> Result<Removed, Error> {
        self.must_exist().await?;
        let sql =
            "DELETE FROM {store}.documents WHERE id IN (SELECT id FROM chosen) RETURNING id, uri";
        self.removal(removal, sql).await
    }

    async fn removal(&self, removal: &Removal, taking: &str) -> Result<Removed, Error> {
        let (uris, collection, version) = match removal {
            Removal::Uris { uris, collection, version } => (Some(uris), collection, Some(version)),
            Removal::Collection { collection, version } => (None, collection, version.as_ref()),
        };
        // The chunks are counted as they were before: all of a statement sees the same.
        let sql = "WITH chosen AS MATERIALIZED (SELECT id, uri FROM {store}.documents \
             WHERE collection = $1 AND ($2::text IS NULL OR version = $2) \
             AND ($3::text[] IS NULL OR uri = ANY ($3))), \
             taken AS ({taking}) \
             SELECT (SELECT count(*) FROM taken), \
             (SELECT count(*) FROM {store}.chunks WHERE document_id IN (SELECT id FROM chosen)), \
             ARRAY(SELECT named FROM unnest($3::text[]) AS named EXCEPT SELECT uri FROM chosen ORDER BY 1)";
        let sql = sql.replace("{taking}", taking).replace("{store}", &self.schema);
        let row = self.client.query_one(&sql, &[&collection, &version, &uris]).await;
        let row = row.map_err(|error| self.error(&error))?;
        Ok(Removed { documents: row.get(0), chunks: row.get(1), missing: row.get(2) })
    }
}
