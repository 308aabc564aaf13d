/*!
Documents that SQL split as plain text, because the server's library lacks their grammar.

They have a mark in their metadata (`passage_core::TextMark`). A worker that splits one again claims it with an
advisory lock, which ends with the worker's connection and blocks no other writer.
*/

use super::super::connection::Store;
use super::super::error::Error;
use super::super::query::ROW_VERSION;
use crate::postgres_text::quote_literal;
use passage_core::TextMark;
use uuid::Uuid;

/// A document with a mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MarkedDocument {
    /// The id.
    pub id: Uuid,
    /// The version of the row, which changes with each write.
    row_version: String,
}

impl Store {
    /// Returns the documents with a mark in a collection, or in all collections. Adopted stores have none.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn marked_documents(
        &self,
        collection: Option<&str>,
    ) -> Result<Vec<MarkedDocument>, Error> {
        // Only tables with metadata can have been written by `ingest`.
        let sql = "SELECT FROM pg_catalog.pg_attribute AS a \
                   JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid \
                   JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
                   WHERE n.nspname = $1 AND c.relname = 'documents' AND c.relkind IN ('r', 'p') \
                   AND a.attname = 'metadata' AND a.atttypid = 'pg_catalog.jsonb'::pg_catalog.regtype";
        if self.query_opt(sql, &[&self.name]).await?.is_none() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT id, {ROW_VERSION} FROM {}.documents \
             WHERE metadata ? $1 AND ($2::text IS NULL OR collection = $2) ORDER BY id",
            self.schema
        );
        let rows = self.query(&sql, &[&TextMark::KEY, &collection]).await?;
        let document =
            |row: &tokio_postgres::Row| MarkedDocument { id: row.get(0), row_version: row.get(1) };
        Ok(rows.iter().map(document).collect())
    }

    /// Claims a document. Returns whether no other worker has claimed it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the server fails.
    pub async fn claim_marked(&self, document: &MarkedDocument) -> Result<bool, Error> {
        let sql = format!("SELECT pg_catalog.pg_try_advisory_lock({})", self.mark_lock());
        Ok(self.query_one(&sql, &[&document.id]).await?.get(0))
    }

    /// Releases a claimed document.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the server fails.
    pub async fn release_marked(&self, document: &MarkedDocument) -> Result<(), Error> {
        let sql = format!("SELECT pg_catalog.pg_advisory_unlock({})", self.mark_lock());
        self.query_one(&sql, &[&document.id]).await.map(drop)
    }

    /// Returns an expression for the key of a document's advisory lock.
    fn mark_lock(&self) -> String {
        let prefix = quote_literal(&format!("passage split {} ", self.name));
        format!("pg_catalog.hashtextextended({prefix} || $1::uuid::text, 0)")
    }
}
