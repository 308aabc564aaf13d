/*!
Writing documents: one transaction, in which each is wholly old or wholly new.

Their rows are taken first and stand for locks, and each must still be as it was when the caller
looked: otherwise nothing of it is written and the caller looks again. Chunks that are the same as
before stay as they are, with their embeddings and whatever else refers to them; where one only
moved, its place is updated. The others go, and new ones come by binary COPY, those of all
documents together.

Whoever writes several documents takes new ones before known ones, both in one order, so that two
who write the same ones wait for each other and never in a circle.
*/

use super::connect::begin;
use super::error::is_contended;
use super::identity::is_same;
use super::{Error, Known, Store, chunks, documents};
use passage_core::{Kind, Unit};
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
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
    /// Makes this connection one that writes many documents.
    ///
    /// Its commits return before they are on disk: a document stays wholly old or wholly new if the
    /// server goes down; only those of the last moment may be old again. [`flush`](Self::flush) ends
    /// that. And its statements are planned for their values: a plan that was made while the store
    /// was small may go through a whole document for each chunk that moved.
    ///
    /// Each transaction sets that for itself: the connection keeps nothing of it.
    pub fn write_many(&mut self) {
        self.local =
            "SET LOCAL synchronous_commit = off; SET LOCAL plan_cache_mode = force_custom_plan";
    }

    /// Waits until all that was committed is as safe as the server makes it.
    ///
    /// # Errors
    ///
    /// If the server goes away; what was committed may then be lost.
    pub async fn flush(&self) -> Result<(), Error> {
        // A commit waits for all log before it, and it has to write some itself to wait at all.
        let sql = "SELECT pg_catalog.pg_logical_emit_message(true, 'passage', 'ingested')";
        self.client.batch_execute(sql).await.map_err(|error| self.error(&error))
    }

    /// Writes documents with their chunks and embeddings, all in one transaction, and tells of each
    /// what became of it.
    ///
    /// Either all or none of them are to be written with embeddings.
    ///
    /// # Errors
    ///
    /// If the server refuses or goes away; the store is then as it was.
    pub async fn write(&mut self, documents: &[Document<'_>]) -> Result<Vec<Written>, Error> {
        match self.try_write(documents).await {
            Ok(Some(written)) => Ok(written),
            Ok(None) => Err(Error::Replaced(self.name.clone())),
            // One alone is looked at again; of several nobody can say which it was.
            Err(error) if documents.len() == 1 && is_contended(&error) => {
                Ok(vec![Written::Changed])
            }
            Err(error) => Err(self.error(&error)),
        }
    }

    /// `None` if the store is not the one any more that is expected; nothing is written then.
    async fn try_write(
        &mut self,
        documents: &[Document<'_>],
    ) -> Result<Option<Vec<Written>>, tokio_postgres::Error> {
        let with_embeddings = documents.first().is_some_and(|document| document.with_embeddings);
        let statements = self.statements(with_embeddings).await?;
        let transaction = begin(&mut self.client, self.local).await?;

        let mut ordered: Vec<usize> = (0..documents.len()).collect();
        ordered.sort_by_key(|&place| {
            let Document { uri, collection, version, .. } = documents[place];
            (uri, collection, version)
        });
        let (known, new): (Vec<usize>, Vec<usize>) =
            ordered.into_iter().partition(|&place| documents[place].known.is_some());
        let mut written = vec![Written::Changed; documents.len()];
        if !new.is_empty() {
            let new_documents: Vec<_> = new.iter().map(|&place| &documents[place]).collect();
            let mut taken = documents::insert(&transaction, &statements, &new_documents).await?;
            for place in new {
                // Of two whose ids are the same, the first was taken.
                if taken.remove(&documents[place].id) {
                    written[place] = Written::Done;
                }
            }
        }
        for place in known {
            let document = &documents[place];
            if documents::update(&transaction, &statements, document).await? {
                written[place] = Written::Done;
                chunks::reconcile(&transaction, &statements, document).await?;
            }
        }
        let taken: Vec<_> = documents
            .iter()
            .zip(&written)
            .filter_map(|(document, written)| (*written == Written::Done).then_some(document))
            .collect();
        if taken.is_empty() {
            transaction.rollback().await?;
        } else {
            chunks::copy(&transaction, &statements, &taken).await?;
            if !is_same(&transaction, &self.name, self.expected).await? {
                transaction.rollback().await?;
                return Ok(None);
            }
            transaction.commit().await?;
        }
        Ok(Some(written))
    }
}
