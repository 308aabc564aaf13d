/*!
Writing documents in one transaction, each completely or not at all.

The SQL function `_passage.write_documents` locks the documents, compares them with the store, and writes what differs. If a
document has changed since the caller compared it, nothing of it is written, and the caller compares again.
*/

use super::super::connection::{Identity, Store, begin, has_identity};
use super::super::error::{Error, is_conflict};
use super::super::unnamed_statement::{Parameter, UnnamedStatements};
use super::arguments::{Arguments, parameters};
use super::document::{DocumentWrite, WriteOutcome};
use super::embedding_array::EmbeddingArray;
use tokio_postgres::Transaction;

/// Documents as the arguments of a call.
pub(super) struct WriteCall<'a> {
    arguments: Arguments<'a>,
    embeddings: Option<EmbeddingArray>,
}

impl Store {
    /// Configures this connection for writing many documents.
    ///
    /// Commits do not wait for the disk. After a crash of the server each document is still either the old
    /// or the new version, but documents of the last moment may be the old version;
    /// [`flush`](Self::flush) ends that.
    ///
    /// Each transaction applies this setting to itself, so the session does not keep it.
    pub fn enable_bulk_writes(&mut self) {
        self.transaction_settings = "SET LOCAL synchronous_commit = off";
    }

    /// Waits until everything committed so far is as durable as the server's settings make it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends; the last commits may then be lost.
    pub async fn flush(&self) -> Result<(), Error> {
        // A synchronous commit waits for the log of earlier ones, but only if it has written to the log.
        self.run("SELECT pg_catalog.pg_logical_emit_message(true, 'passage', 'ingested')").await
    }

    /// Writes documents with their chunks and embeddings in one transaction, and returns the outcome of
    /// each.
    ///
    /// # Errors
    ///
    /// Returns [`Error::StoreReplaced`] if the store is not the expected one, and [`Error::Database`] or
    /// [`Error::Lost`] if the transaction fails. The store is then unchanged.
    pub async fn write(
        &mut self,
        documents: &[DocumentWrite<'_>],
    ) -> Result<Vec<WriteOutcome>, Error> {
        let call = self.write_call(&documents.iter().collect::<Vec<_>>()).await?;
        let Self { client, name, expected, transaction_settings, .. } = self;
        let written = match begin(client, transaction_settings).await {
            Ok(transaction) => call.write(transaction, name, *expected).await,
            Err(error) => Err(error),
        };
        match written {
            Ok(Some(outcomes)) => Ok(outcomes),
            Ok(None) => Err(Error::StoreReplaced(self.name.clone())),
            // With several documents, the error does not show which one has the conflict.
            Err(error) if documents.len() == 1 && is_conflict(&error) => {
                Ok(vec![WriteOutcome::Conflict])
            }
            Err(error) => Err(self.error(&error)),
        }
    }

    /// Prepares the call that writes documents.
    pub(super) async fn write_call<'a>(
        &mut self,
        documents: &[&'a DocumentWrite<'a>],
    ) -> Result<WriteCall<'a>, Error> {
        let arguments = Arguments::of(documents);
        if arguments.embeddings.is_empty() {
            return Ok(WriteCall { arguments, embeddings: None });
        }
        let sql_type = if let Some(sql_type) = &self.embedding_array {
            sql_type.clone()
        } else {
            let sql_type = EmbeddingArray::sql_type(&self.client, &self.schema).await;
            let sql_type = sql_type.map_err(|error| self.error(&error))?;
            self.embedding_array.insert(sql_type).clone()
        };
        let embeddings = Some(EmbeddingArray::new(sql_type, &arguments.embeddings));
        Ok(WriteCall { arguments, embeddings })
    }
}

impl<'a> WriteCall<'a> {
    /// Prepares the call for documents without embeddings.
    pub(super) fn without_embeddings(documents: &[&'a DocumentWrite<'a>]) -> Self {
        Self { arguments: Arguments::of(documents), embeddings: None }
    }

    /// Writes the documents, and ends the transaction. Returns `None`, and writes nothing, if the store is not the expected
    /// one.
    pub(super) async fn write(
        &self,
        transaction: Transaction<'_>,
        name: &str,
        expected: Option<Identity>,
    ) -> Result<Option<Vec<WriteOutcome>>, tokio_postgres::Error> {
        let Self { arguments, embeddings } = self;
        let mut values: Vec<&dyn Parameter> = vec![&name, &arguments.documents];
        values.extend(arguments.chunks_with_places());
        if let Some(embeddings) = embeddings {
            values.extend([&arguments.embedded as &dyn Parameter, embeddings]);
        }
        let sql = format!(
            "SELECT place, outcome FROM _passage.write_documents($1::text::name, {})",
            parameters(2, values.len() - 1)
        );
        let rows = transaction.query_unnamed(&sql, &values).await?;
        let mut outcomes = vec![WriteOutcome::Conflict; rows.len()];
        for row in &rows {
            if matches!(row.get(1), "added" | "replaced") {
                outcomes[row.get::<_, i32>(0) as usize - 1] = WriteOutcome::Written;
            }
        }
        if !outcomes.contains(&WriteOutcome::Written) {
            transaction.rollback().await?;
        } else if has_identity(&transaction, name, expected).await? {
            transaction.commit().await?;
        } else {
            transaction.rollback().await?;
            return Ok(None);
        }
        Ok(Some(outcomes))
    }
}
