/*!
Writing a document: one transaction, in which it is wholly old or wholly new.

Its row is taken first and stands for a lock, and it must still be as it was when the caller looked:
otherwise nothing is written and the caller looks again. Chunks that are the same as before stay as
they are, with their embeddings and whatever else refers to them; where one only moved, its place
is updated. The others go, and new ones come by binary COPY. Statements that do not wait for one
another share a round trip.
*/

use super::{Error, Known, Store, chunks};
use passage_core::{Kind, Unit};
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// A document as it is to be written.
#[derive(Debug)]
pub struct Document<'a> {
    /// Its id: the known one, or the derived one of a new document.
    pub id: Uuid,
    /// As the store had it when its chunks were compared; `None` if it is new.
    pub known: Option<&'a Known>,
    /// The project or library it belongs to.
    pub collection: &'a str,
    /// The version of that.
    pub version: &'a str,
    /// Its url or path.
    pub uri: &'a str,
    /// Its title for people.
    pub title: Option<&'a str>,
    /// What it is.
    pub media_type: &'a str,
    /// What the source is, if the text was converted from it.
    pub source_media_type: Option<&'a str>,
    /// What its chunks are made from.
    pub content_hash: &'a [u8],
    /// Whatever else is known of it, a JSON object.
    pub metadata: &'a Value,
    /// Its chunks, in document order.
    pub chunks: Vec<Chunk<'a>>,
    /// The chunks that it has no more.
    pub gone: Vec<Uuid>,
    /// Whether the store keeps embeddings.
    pub with_embeddings: bool,
}

/// A chunk as it is to be written.
#[derive(Debug)]
pub struct Chunk<'a> {
    /// Its derived id.
    pub id: Uuid,
    /// The titles above it.
    pub section: &'a [String],
    /// The depth that the splitter gives.
    pub level: u32,
    /// What it is made of.
    pub kind: Kind,
    /// The structural unit it belongs to.
    pub unit: Unit,
    /// Its text.
    pub content: &'a str,
    /// What goes before its content.
    pub preamble: &'a str,
    /// Its size in tokens.
    pub tokens: usize,
    /// Its bytes in the source, where they are known.
    pub bytes: Option<Range<usize>>,
    /// The lines that it touches, from 1, where they are known.
    pub lines: Option<RangeInclusive<usize>>,
    /// The names that the imports in it bind.
    pub imports: &'a [String],
    /// Whether the document has it already.
    pub known: bool,
    /// Whether an embedding that it may have is no longer its own.
    pub stale: bool,
    /// A new embedding.
    pub embedding: Option<&'a [f32]>,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is in the store.
    Done,
    /// Nothing was written: since the caller looked, somebody has written, changed or removed it,
    /// or it is new and another document has its id.
    Changed,
}

impl Store {
    /// Lets commits through this connection return before they are on disk.
    ///
    /// A document stays wholly old or wholly new if the server goes down; only those of the last
    /// moment may be old again. [`flush`](Self::flush) ends that.
    ///
    /// # Errors
    ///
    /// If the server goes away.
    pub async fn defer_flush(&self) -> Result<(), Error> {
        let sql = "SET synchronous_commit = off";
        self.client.batch_execute(sql).await.map_err(|error| self.error(&error))
    }

    /// Waits until all that was committed is as safe as the server makes it.
    ///
    /// # Errors
    ///
    /// If the server goes away; what was committed may then be lost.
    pub async fn flush(&self) -> Result<(), Error> {
        // A commit waits for all log before it, and it has to write some itself to wait at all.
        let sql = "RESET synchronous_commit; \
                   SELECT pg_catalog.pg_logical_emit_message(true, 'passage', 'ingested')";
        self.client.batch_execute(sql).await.map_err(|error| self.error(&error))
    }

    /// Writes a document, its chunks and their embeddings, all or nothing.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away; the store is then as it was.
    pub async fn write(&mut self, document: &Document<'_>) -> Result<Written, Error> {
        match self.try_write(document).await {
            Ok(written) => Ok(written),
            Err(error) => match error.code() {
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                    Ok(Written::Changed)
                }
                _ => Err(self.error(&error)),
            },
        }
    }

    async fn try_write(
        &mut self,
        document: &Document<'_>,
    ) -> Result<Written, tokio_postgres::Error> {
        let statements = self.statements(document.with_embeddings).await?;
        let transaction = self.client.transaction().await?;

        let count = document.chunks.len() as i32;
        let hash = document.known.map(|known| known.content_hash.as_deref());
        let taken = match &hash {
            None => {
                let Document {
                    id,
                    collection,
                    version,
                    uri,
                    title,
                    media_type,
                    source_media_type,
                    content_hash,
                    metadata,
                    ..
                } = document;
                transaction
                    .execute(
                        &statements.insert,
                        &[
                            id,
                            collection,
                            version,
                            uri,
                            title,
                            media_type,
                            source_media_type,
                            content_hash,
                            &count,
                            metadata,
                        ],
                    )
                    .await?
            }
            Some(hash) => {
                let Document {
                    id,
                    title,
                    media_type,
                    source_media_type,
                    content_hash,
                    metadata,
                    ..
                } = document;
                transaction
                    .execute(
                        &statements.update,
                        &[
                            id,
                            title,
                            media_type,
                            source_media_type,
                            content_hash,
                            &count,
                            metadata,
                            hash,
                        ],
                    )
                    .await?
            }
        };
        if taken == 0 {
            transaction.rollback().await?;
            return Ok(Written::Changed);
        }
        if document.known.is_some() {
            chunks::reconcile(&transaction, &statements, document).await?;
        }
        chunks::copy(&transaction, &statements, document).await?;
        transaction.commit().await?;
        Ok(Written::Done)
    }
}
