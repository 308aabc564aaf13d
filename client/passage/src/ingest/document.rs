//! The pipeline of one document: split, embed, write, and try again if others write it too.

use super::event::Reporter;
use super::job::embed_texts;
use super::load::Loader;
use super::prepared::{Prepared, ids_of_chunks};
use super::split_document::{EmbeddedBy, SplitDocument, StoredHash, split_document};
use super::tasks::{acquire_permit, run_blocking};
use super::{Event, Ingest, Outcome};
use crate::Error;
use crate::source::SourceDocument;
use crate::store::{self, DocumentChanges, ExistingDocument, Store, WriteOutcome};
use passage_split::{document_id, is_encoded_data};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Semaphore;
use uuid::Uuid;

/// The maximum number of attempts for a document that others write at the same time, or whose id is in use.
const ATTEMPTS: usize = 32;

/// The state that all documents of a run share.
pub(super) struct Pipeline {
    pub(super) ingest: Arc<Ingest>,
    /// The origin of the stored embeddings, if this run embeds nothing.
    pub(super) embedded_by: Option<EmbeddedBy>,
    /// The connection that reads the stored versions of documents.
    pub(super) reader: Store,
    pub(super) loader: Loader,
    /// One permit for each document that is split at the same time.
    pub(super) splitting: Semaphore,
    /// One permit for each document that is embedded at the same time.
    pub(super) embedding: Semaphore,
    pub(super) reporter: Arc<Reporter>,
}

impl Pipeline {
    /// Ingests a document. `existing` is its stored version, if there is one.
    pub(super) async fn ingest(
        &self,
        document: SourceDocument,
        mut existing: Option<ExistingDocument>,
    ) -> Result<Outcome, Error> {
        let permit = acquire_permit(&self.splitting).await;
        let (ingest, embedded_by) = (Arc::clone(&self.ingest), self.embedded_by.clone());
        let hash = existing.as_ref().and_then(|existing| existing.content_hash.clone());
        let stored = StoredHash { hash, embedded_by };
        let split = run_blocking(move || split_document(&ingest, document, &stored)).await?;
        drop(permit);
        let Some(split) = split else { return self.leave_unchanged(existing.as_ref()).await };
        let split = Arc::new(split);

        let (collection, version) = split.given.collection(&self.ingest);
        self.check_given(&split, existing.as_ref()).await?;
        let mut embeddings = HashMap::new();
        let mut salt = 0;
        for _ in 0..ATTEMPTS {
            let id = if let Some(existing) = &existing {
                existing.id
            } else {
                let derived = || document_id(collection, version, &split.uri, salt);
                split.given.document_id.unwrap_or_else(derived)
            };
            let chunk_ids = ids_of_chunks(id, &split);
            embeddings.extend(split.given.embeddings(&chunk_ids));
            self.check_ids(&split, id).await?;
            let (split, changes) = (Arc::clone(&split), DocumentChanges::default());
            let mut prepared = Prepared { split, existing, id, chunk_ids, changes, embeddings };
            prepared.changes = self.changes(&prepared).await?;
            let outcome = self.outcome(&prepared);
            if self.ingest.job.dry_run {
                return Ok(outcome);
            }
            self.embed(&mut prepared).await?;
            let split = Arc::clone(&prepared.split);
            let (prepared, written) = match self.loader.load(prepared).await {
                Ok(loaded) => loaded,
                Err(error) => {
                    // A document that was written meanwhile can have one of the ids.
                    if error.is_conflict_of_keys() {
                        self.check_ids(&split, id).await?;
                    }
                    return Err(error);
                }
            };
            if written == WriteOutcome::Written {
                return Ok(outcome);
            }
            let Prepared { split, existing: before, .. } = prepared;
            embeddings = prepared.embeddings;
            let (collection, version) = split.given.collection(&self.ingest);
            let mut stored =
                self.reader.existing_documents(collection, version, &[&split.uri]).await?;
            existing = stored.remove(&split.uri);
            let hash = existing.as_ref().and_then(|existing| existing.content_hash.as_ref());
            if hash == Some(&split.content_hash) {
                return Ok(Outcome::Unchanged);
            }
            // Neither version of the document exists, so another document has this id.
            if before.is_none() && existing.is_none() {
                if let Some(id) = split.given.document_id {
                    return Err(split.given.in_use("the document id", id).into());
                }
                salt += 1;
            }
        }
        Err(store::Error::Contended(split.uri.clone()).into())
    }

    /// Checks that the given embeddings are of the store's model, and that the document has the given id.
    async fn check_given(
        &self,
        split: &SplitDocument,
        existing: Option<&ExistingDocument>,
    ) -> Result<(), Error> {
        if let Some(model) = split.given.model() {
            if self.ingest.job.dry_run {
                self.reader.check_model(&model).await?;
            } else {
                self.reader.record_model(&model).await?;
            }
        }
        match split.given.document_id {
            Some(id) if existing.is_some_and(|existing| existing.id != id) => {
                Err(split.given.in_use("the document id", id).into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that no other document has one of the given ids.
    async fn check_ids(&self, split: &SplitDocument, document: Uuid) -> Result<(), Error> {
        let ids = &split.given.ids;
        match self.reader.chunk_of_other_document(ids, document).await? {
            Some(id) => Err(split.given.in_use("the chunk id", id).into()),
            None => Ok(()),
        }
    }

    /// Compares a document with its stored version. Data in base64 needs no embedding.
    async fn changes(&self, prepared: &Prepared) -> Result<DocumentChanges, Error> {
        let mut changes = if prepared.existing.is_some() {
            self.reader.document_changes(&prepared.compared(&self.ingest)).await?
        } else {
            let unembedded = (0..prepared.chunk_ids.len()).collect();
            DocumentChanges { unembedded, ..DocumentChanges::default() }
        };
        let SplitDocument { document, pieces, .. } = &*prepared.split;
        let content = |ordinal: usize| &document.text[pieces[ordinal].bytes.clone()];
        changes.unembedded.retain(|&ordinal| !is_encoded_data(content(ordinal)));
        Ok(changes)
    }

    /// Returns the result of writing a document.
    ///
    /// After a reindex, the store does not know the content hash of the source. The document is then written
    /// for its hash, and is unchanged if nothing else differs.
    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let Prepared { existing, chunk_ids, changes, embeddings, .. } = prepared;
        let chunks = chunk_ids.len();
        let Some(existing) = existing else { return Outcome::Added { chunks } };
        let is_embedded = self.ingest.job.embedder.is_none() || changes.unembedded.is_empty();
        let has_new_embedding = chunk_ids.iter().any(|id| embeddings.contains_key(id));
        if changes.is_same && is_embedded && !has_new_embedding {
            let outcomes = [Outcome::Unchanged, Outcome::Restored];
            return outcomes[usize::from(existing.is_orphan)];
        }
        Outcome::Replaced { chunks, kept: changes.kept.len() }
    }

    /// Removes the mark of an orphaned document, and changes nothing else.
    async fn leave_unchanged(&self, existing: Option<&ExistingDocument>) -> Result<Outcome, Error> {
        match existing {
            Some(existing) if existing.is_orphan => {
                if !self.ingest.job.dry_run {
                    self.reader.unmark_orphaned(existing.id).await?;
                }
                Ok(Outcome::Restored)
            }
            _ => Ok(Outcome::Unchanged),
        }
    }

    /// Embeds the chunks that have no embedding, neither in the document nor in the store.
    async fn embed(&self, prepared: &mut Prepared) -> Result<(), Error> {
        let Some(embedder) = self.ingest.job.embedder.clone() else { return Ok(()) };
        let Prepared { split, chunk_ids, changes, embeddings, .. } = prepared;
        let _permit = acquire_permit(&self.embedding).await;
        let unembedded = changes.unembedded.iter().copied();
        let missing: Vec<usize> =
            unembedded.filter(|&ordinal| !embeddings.contains_key(&chunk_ids[ordinal])).collect();

        let split = Arc::clone(split);
        let text = move |ordinal: usize| {
            (ordinal, split.pieces[ordinal].embedded_text(&split.document.text))
        };
        embed_texts(embedder, missing.into_iter().map(text), |ordinal, embedding| {
            embeddings.insert(chunk_ids[ordinal], embedding);
            self.reporter.report(&Event::Embedded);
        })
        .await
    }
}
