/*!
Rewriting the chunks of a document from its stored text.

The transaction first locks the document and its chunks, and compares the versions of their rows with
those that were read, so no other write is lost. It removes what the store recorded about the source
(`content_hash`, and the HTTP headers of a fetched page), so that the next ingest compares the
document again, and an ingest that runs at the same time notices the change. The time of the ingest and the
mark of an orphan stay.
*/

use super::super::admin::lock_owned;
use super::super::connection::Store;
use super::super::error::{Error, is_conflict};
use super::document::{DocumentWrite, WriteOutcome};

impl Store {
    /// Replaces the chunks, embeddings and metadata of a stored document in one transaction; the other
    /// columns of the document stay.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotOwner`] if the store belongs to another role, [`Error::StoreReplaced`] if it is
    /// not the expected one, and [`Error::Database`] or [`Error::Lost`] if the transaction fails. The
    /// document is then unchanged.
    pub async fn rewrite(&mut self, document: &DocumentWrite<'_>) -> Result<WriteOutcome, Error> {
        let call = self.write_call(&[document]).await?;
        let (name, expected) = (self.name.clone(), self.expected);
        let mut owned = self.owned.take();
        let transaction = self.begin().await?;
        // The lock keeps other roles from adding code, such as triggers, between check and write.
        match &owned {
            Some(owned) => owned.lock_again(&transaction).await?,
            None => owned = Some(lock_owned(&transaction, &[&name], "ROW EXCLUSIVE").await?),
        }
        let rewritten = call.write(transaction, &name, expected).await;
        self.owned = owned;
        outcome(rewritten, &name)
    }
}

/// Returns the outcome of the only document of a call.
pub(super) fn outcome(
    rewritten: Result<Option<Vec<WriteOutcome>>, tokio_postgres::Error>,
    name: &str,
) -> Result<WriteOutcome, Error> {
    match rewritten {
        Ok(Some(outcomes)) => Ok(outcomes[0]),
        Ok(None) => Err(Error::StoreReplaced(name.to_owned())),
        Err(error) if is_conflict(&error) => Ok(WriteOutcome::Conflict),
        Err(error) => Err(Error::new(name, &error)),
    }
}
