/*!
Marked documents: source code that SQL stored as plain text, split again by its syntax.

A worker of `fill` splits them before it embeds, so that it embeds the chunks of the right structure. Each
document is claimed, read, split and written in one transaction, and only if it is still the document that
was read. A document that cannot be split again, because others have changed its chunks or because writing it
fails, keeps its chunks, and its mark. This worker tries it again only after it has changed.
*/

use super::resplit::resplit;
use super::tasks::run_blocking;
use crate::Error;
use crate::split::Splitter;
use crate::store::{self, MarkedClaim, MarkedDocument, Store, WriteOutcome};
use passage_split::{TextMark, document_metadata};
use serde_json::Map;
use std::collections::HashMap;

/// The maximum number of attempts for a version of a document whose chunks others write at the same time.
const ATTEMPTS: u32 = 3;

/// The marked documents of a store, as one worker sees them.
#[derive(Default)]
pub(super) struct MarkedDocuments {
    /// The number of failed attempts for each version of a document.
    attempts: HashMap<MarkedDocument, u32>,
    /// Whether the role lacks a privilege, so that no document can be written.
    is_denied: bool,
}

/// The result for a document.
enum Outcome {
    /// It has the chunks of its structure.
    Split,
    /// Another worker splits it, or has split it.
    Claimed,
    /// It was written meanwhile.
    Changed,
    /// Its chunks are not its whole text, or its mark is invalid.
    Left,
}

impl MarkedDocuments {
    /// Splits all marked documents of a collection again. Returns the number of documents that were
    /// written. Passes the uri and the error of a document that could not be written to `fail`.
    pub(super) async fn split_all(
        &mut self,
        store: &mut Store,
        collection: Option<&str>,
        fail: impl Fn(String, Error),
    ) -> Result<u64, Error> {
        let mut written = 0;
        if self.is_denied {
            return Ok(written);
        }
        let marked = store.marked_documents(collection).await?;
        // Forgets versions that no longer exist.
        self.attempts.retain(|document, _| marked.contains(document));
        for document in marked {
            if self.attempts.get(&document).is_some_and(|attempts| *attempts >= ATTEMPTS) {
                continue;
            }
            let mut uri = String::new();
            let failed = match self.claim_and_split(store, &document, &mut uri).await {
                Ok(Outcome::Split) => {
                    written += 1;
                    continue;
                }
                Ok(Outcome::Claimed) => continue,
                Ok(Outcome::Changed) => 1,
                Ok(Outcome::Left) => ATTEMPTS,
                Err(Error::Store(
                    error @ (store::Error::Lost | store::Error::StoreReplaced(_)),
                )) => {
                    return Err(error.into());
                }
                Err(error) => {
                    self.is_denied = matches!(&error, Error::Store(error) if error.is_denied());
                    fail(uri, error);
                    ATTEMPTS
                }
            };
            *self.attempts.entry(document).or_default() += failed;
            if self.is_denied {
                break;
            }
        }
        Ok(written)
    }

    async fn claim_and_split(
        &self,
        store: &mut Store,
        document: &MarkedDocument,
        uri: &mut String,
    ) -> Result<Outcome, Error> {
        match store.claim_marked(document).await? {
            Some(claim) => split(claim, uri).await,
            None => Ok(Outcome::Claimed),
        }
    }
}

async fn split(claim: MarkedClaim<'_>, uri: &mut String) -> Result<Outcome, Error> {
    let Some(stored) = claim.read().await? else {
        return Ok(Outcome::Claimed);
    };
    stored.uri.clone_into(uri);
    if stored.metadata.get(TextMark::KEY).is_none() {
        return Ok(Outcome::Claimed);
    }
    let Some(mark) = TextMark::of_metadata(&stored.metadata) else { return Ok(Outcome::Left) };
    let splitter = Splitter::by_characters()
        .with_limits(mark.limits)?
        .with_overlap(mark.overlap)
        .with_split_at(mark.split_at.clone())
        .with_split_offsets(mark.split_offsets.clone());
    let resplit = run_blocking(move || resplit(&splitter, stored, true)).await?;
    let Some(resplit) = resplit else { return Ok(Outcome::Left) };
    let metadata = document_metadata(&Map::new(), resplit.syntax_error());
    let mut document = resplit.document(&HashMap::new(), Some(&mark));
    document.metadata = &metadata;
    match claim.rewrite(&document).await? {
        WriteOutcome::Written => Ok(Outcome::Split),
        WriteOutcome::Conflict => Ok(Outcome::Changed),
    }
}
