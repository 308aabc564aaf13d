/*!
Documents that SQL split as plain text, because the server's library lacks their grammar.

They have a mark in their metadata (`passage_split::TextMark`). A worker that splits one again claims it with an
advisory lock, which ends with the worker's transaction and blocks no other writer.
*/

use super::super::connection::{Identity, Store};
use super::super::error::Error;
use super::super::query::{ROW_VERSION, StoredDocument, read_document};
use super::super::unnamed_statement::UnnamedStatements;
use super::document::{DocumentWrite, WriteOutcome};
use super::rewrite::outcome;
use super::write_documents::WriteCall;
use crate::postgres_text::quote_literal;
use passage_split::TextMark;
use tokio_postgres::Transaction;
use uuid::Uuid;

/// A document with a mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MarkedDocument {
    /// The id.
    pub id: Uuid,
    /// The version of the row, which changes with each write.
    row_version: String,
}

/// A document that a worker has claimed until its transaction ends.
pub struct MarkedClaim<'a> {
    transaction: Transaction<'a>,
    name: String,
    schema: String,
    expected: Option<Identity>,
    id: Uuid,
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

    /// Claims a document; `None` if another worker has claimed it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the server fails.
    pub async fn claim_marked(
        &mut self,
        document: &MarkedDocument,
    ) -> Result<Option<MarkedClaim<'_>>, Error> {
        let (name, schema, expected) = (self.name.clone(), self.schema.clone(), self.expected);
        let sql = format!("SELECT pg_catalog.pg_try_advisory_xact_lock({})", self.mark_lock());
        let transaction = self.begin().await?;
        let claimed = transaction.query_one_unnamed(&sql, &[&document.id]).await;
        let is_claimed = claimed.map_err(|error| Error::new(&name, &error))?.get(0);
        let id = document.id;
        let claim = MarkedClaim { transaction, name, schema, expected, id };
        Ok(Some(claim).filter(|_| is_claimed))
    }

    /// Returns an expression for the key of a document's advisory lock.
    fn mark_lock(&self) -> String {
        let prefix = quote_literal(&format!("passage split {} ", self.name));
        format!("pg_catalog.hashtextextended({prefix} || $1::uuid::text, 0)")
    }
}

impl MarkedClaim<'_> {
    /// Reads the document; `None` if it no longer exists.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the caller may not read the store.
    pub async fn read(&self) -> Result<Option<StoredDocument>, Error> {
        let document = read_document(&self.transaction, &self.schema, self.id, true).await;
        document.map_err(|error| Error::new(&self.name, &error))
    }

    /// Replaces the chunks of the document, and removes its mark. The document gets the content hash that the
    /// mark records, so an ingest by SQL finds it unchanged.
    ///
    /// It executes the triggers of the store with the caller's privileges, as an ingest does.
    ///
    /// # Errors
    ///
    /// Returns [`Error::StoreReplaced`] if the store is not the expected one, and [`Error::Database`] or
    /// [`Error::Lost`] if the transaction fails. The document is then unchanged.
    pub async fn rewrite(self, document: &DocumentWrite<'_>) -> Result<WriteOutcome, Error> {
        let Self { transaction, name, expected, .. } = self;
        let call = WriteCall::without_embeddings(&[document]);
        outcome(call.write(transaction, &name, expected).await, &name)
    }
}
