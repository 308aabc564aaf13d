/*!
Writing documents in one transaction, each completely or not at all.

The transaction first writes the rows of the documents, which locks them. If a document has changed since
the caller compared its chunks, nothing of it is written, and the caller compares again. Chunks that are
the same as before keep their rows, their embeddings and the references to them; a chunk that only moved
gets a new position. The other chunks are deleted, and the new chunks of all documents are written together,
by one binary COPY unless policies apply to the role.

The transaction locks new documents before existing ones, each in one order, so that two writers of the
same documents never deadlock.
*/

use super::super::connection::{Store, begin, has_identity};
use super::super::error::{Error, is_conflict};
use super::chunks::{reconcile, write_chunks};
use super::document::{DocumentWrite, WriteOutcome};
use super::documents;
use super::statements::Statements;
use std::sync::Arc;

impl Store {
    /// Configures this connection for writing many documents.
    ///
    /// Commits do not wait for the disk. After a crash of the server each document is still either the old
    /// or the new version, but documents of the last moment may be the old version;
    /// [`flush`](Self::flush) ends that. Statements are planned for their values: a plan from the time when
    /// the store was small may scan a whole document for each moved chunk.
    ///
    /// Each transaction applies these settings to itself, so the session keeps none of them.
    pub fn enable_bulk_writes(&mut self) {
        self.transaction_settings =
            "SET LOCAL synchronous_commit = off; SET LOCAL plan_cache_mode = force_custom_plan";
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
    /// `with_embeddings` must be the same for all documents.
    ///
    /// # Errors
    ///
    /// Returns [`Error::StoreReplaced`] if the store is not the expected one, and [`Error::Database`] or
    /// [`Error::Lost`] if the transaction fails. The store is then unchanged.
    pub async fn write(
        &mut self,
        documents: &[DocumentWrite<'_>],
    ) -> Result<Vec<WriteOutcome>, Error> {
        match self.try_write(documents).await {
            Ok(Some(outcomes)) => Ok(outcomes),
            Ok(None) => Err(Error::StoreReplaced(self.name.clone())),
            // With several documents, the error does not show which one has the conflict.
            Err(error) if documents.len() == 1 && is_conflict(&error) => {
                Ok(vec![WriteOutcome::Conflict])
            }
            Err(error) => Err(self.error(&error)),
        }
    }

    /// Returns `None`, and writes nothing, if the store is not the expected one.
    async fn try_write(
        &mut self,
        documents: &[DocumentWrite<'_>],
    ) -> Result<Option<Vec<WriteOutcome>>, tokio_postgres::Error> {
        let with_embeddings = documents.first().is_some_and(|document| document.with_embeddings);
        let statements = self.statements(with_embeddings).await?;
        let transaction = begin(&mut self.client, self.transaction_settings).await?;

        let mut ordered: Vec<usize> = (0..documents.len()).collect();
        ordered.sort_by_key(|&index| {
            let DocumentWrite { uri, collection, version, .. } = documents[index];
            (uri, collection, version)
        });
        let (existing, new): (Vec<usize>, Vec<usize>) =
            ordered.into_iter().partition(|&index| documents[index].existing.is_some());
        let mut outcomes = vec![WriteOutcome::Conflict; documents.len()];
        if !new.is_empty() {
            let new_documents: Vec<_> = new.iter().map(|&index| &documents[index]).collect();
            let mut inserted = documents::insert(&transaction, &statements, &new_documents).await?;
            for index in new {
                // Of two documents with the same id, the first was inserted.
                if inserted.remove(&documents[index].id) {
                    outcomes[index] = WriteOutcome::Written;
                }
            }
        }
        for index in existing {
            let document = &documents[index];
            if documents::update(&transaction, &statements, document).await? {
                outcomes[index] = WriteOutcome::Written;
                reconcile(&transaction, &statements, document).await?;
            }
        }
        let written: Vec<_> = documents
            .iter()
            .zip(&outcomes)
            .filter_map(|(document, outcome)| {
                (*outcome == WriteOutcome::Written).then_some(document)
            })
            .collect();
        if written.is_empty() {
            transaction.rollback().await?;
        } else {
            write_chunks(&transaction, &statements, &written).await?;
            if !has_identity(&transaction, &self.name, self.expected).await? {
                transaction.rollback().await?;
                return Ok(None);
            }
            transaction.commit().await?;
        }
        Ok(Some(outcomes))
    }

    /// Returns the statements of writing, and composes them at the first call.
    pub(crate) async fn statements(
        &mut self,
        with_embeddings: bool,
    ) -> Result<Arc<Statements>, tokio_postgres::Error> {
        if let Some(composed) = &self.statements
            && composed.embeddings.is_some() == with_embeddings
        {
            return Ok(Arc::clone(composed));
        }
        let statements = Statements::compose(&self.client, &self.schema, with_embeddings).await?;
        let statements = Arc::new(statements);
        self.statements = Some(Arc::clone(&statements));
        Ok(statements)
    }
}
