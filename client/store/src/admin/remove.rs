//! Removal of documents by uri or by collection.

use super::super::connection::Store;
use super::super::error::Error;
use serde::Serialize;

/// The documents to remove.
///
/// # Examples
///
/// ```no_run
/// use passage_store::{Removal, Store};
///
/// # async fn example(store: &Store) -> Result<(), passage_store::Error> {
/// let removal = Removal::Collection { collection: "handbook".into(), version: None };
/// println!("{} documents would be removed", store.count_removal(&removal).await?.documents);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The documents with these uris in one version of a collection.
    Uris {
        /// The uris.
        uris: Vec<String>,
        /// The collection, which may be empty.
        collection: String,
        /// The version, which may be empty.
        version: String,
    },
    /// All documents of a collection, or of one version of it.
    Collection {
        /// The collection, which may be empty.
        collection: String,
        /// The version; `None` for all versions.
        version: Option<String>,
    },
}

/// The result of a removal, or of counting one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RemovalSummary {
    /// The number of documents.
    pub documents: i64,
    /// The number of their chunks.
    pub chunks: i64,
    /// The given uris that no document has.
    pub missing: Vec<String>,
}

impl Store {
    /// Counts the documents and chunks that a removal would delete.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not read it.
    pub async fn count_removal(&self, removal: &Removal) -> Result<RemovalSummary, Error> {
        self.must_be_writable().await?;
        self.removal(removal, "SELECT id, uri FROM chosen").await
    }

    /// Removes documents with their chunks and embeddings in one statement.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the store does not exist or the caller may not write to it.
    pub async fn remove(&self, removal: &Removal) -> Result<RemovalSummary, Error> {
        let layout = self.writable_layout().await?;
        let sql =
            "DELETE FROM {store}.documents WHERE id IN (SELECT id FROM chosen) RETURNING id, uri";
        if !layout.is_distributed {
            return self.removal(removal, sql).await;
        }
        // Citus executes the parts of a statement one after the other, so the chunks are counted before.
        self.run("BEGIN").await?;
        let removed = async {
            let counted = self.removal(removal, "SELECT id, uri FROM chosen").await?;
            let removed = self.removal(removal, sql).await?;
            Ok(RemovalSummary { chunks: counted.chunks, ..removed })
        };
        let removed = removed.await;
        self.end_transaction(removed).await
    }

    /// Executes a removal with the subquery that returns the documents to count.
    async fn removal(&self, removal: &Removal, subquery: &str) -> Result<RemovalSummary, Error> {
        let (uris, collection, version) = match removal {
            Removal::Uris { uris, collection, version } => (Some(uris), collection, Some(version)),
            Removal::Collection { collection, version } => (None, collection, version.as_ref()),
        };
        // The chunks are counted as before the removal: all parts of a statement see the same snapshot.
        let sql = "WITH chosen AS MATERIALIZED (SELECT id, uri FROM {store}.documents \
             WHERE collection = $1 AND ($2::text IS NULL OR version = $2) \
             AND ($3::text[] IS NULL OR uri = ANY ($3))), \
             removed AS ({subquery}) \
             SELECT (SELECT count(*) FROM removed), \
             (SELECT count(*) FROM {store}.chunks WHERE document_id IN (SELECT id FROM chosen)), \
             ARRAY(SELECT named FROM unnest($3::text[]) AS named EXCEPT SELECT uri FROM chosen ORDER BY 1)";
        let sql = sql.replace("{subquery}", subquery).replace("{store}", &self.schema);
        let row = self.query_one(&sql, &[&collection, &version, &uris]).await?;
        Ok(RemovalSummary { documents: row.get(0), chunks: row.get(1), missing: row.get(2) })
    }
}
