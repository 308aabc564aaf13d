//! The outcomes of all documents of a shadow store.

use super::event::{ReindexEvent, ReindexOutcome, ReindexSummary};
use crate::Error;
use crate::ingest::resplit::{Resplit, resplit};
use crate::ingest::tasks::run_blocking;
use crate::split::Splitter;
use crate::store::{ShadowDocument, StoredDocument};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;
use std::pin::pin;
use uuid::Uuid;

/// The result of splitting a stored document for the shadow store.
pub(super) struct ResplitOutcome {
    uri: String,
    /// `None` if the stored chunks are copied.
    resplit: Option<Resplit>,
    /// The error if the document could not be split; then it is copied too.
    outcome: Result<ReindexOutcome, Error>,
}

impl ResplitOutcome {
    /// Splits a stored document.
    pub(super) async fn split(splitter: &Splitter, stored: StoredDocument) -> Self {
        let (uri, splitter) = (stored.uri.clone(), splitter.clone());
        match run_blocking(move || resplit(&splitter, stored, false)).await {
            Err(error) => Self { uri, resplit: None, outcome: Err(error) },
            Ok(None) => Self { uri, resplit: None, outcome: Ok(ReindexOutcome::Left) },
            Ok(Some(resplit)) => {
                let outcome = Ok(ReindexOutcome::of(&resplit));
                Self { uri, resplit: Some(resplit), outcome }
            }
        }
    }

    /// Returns what the shadow store writes for the document.
    pub(super) fn shadow_document(&self) -> ShadowDocument<'_> {
        match &self.resplit {
            Some(resplit) => ShadowDocument::Split {
                document: Box::new(resplit.document(&HashMap::new(), None)),
                reused: resplit.reused(),
                is_same: matches!(self.outcome, Ok(ReindexOutcome::Unchanged)),
            },
            None => ShadowDocument::Copied,
        }
    }
}

/// The outcome of each document. A document that others change is processed more than once, and its
/// last outcome counts.
#[derive(Default)]
pub(super) struct Outcomes {
    /// `None` for a document that failed.
    by_document: HashMap<Uuid, Option<ReindexOutcome>>,
    pub(super) embedded: usize,
}

impl Outcomes {
    /// Processes documents, several at a time, and records them. `None` is a document that was not
    /// written.
    pub(super) async fn record_all<D>(
        &mut self,
        documents: impl Iterator<Item = D>,
        at_a_time: usize,
        report: &impl Fn(&ReindexEvent),
    ) -> Result<(), Error>
    where
        D: Future<Output = Result<Option<(Uuid, ResplitOutcome)>, Error>>,
    {
        let mut finished = pin!(stream::iter(documents).buffer_unordered(at_a_time));
        while let Some(document) = finished.next().await {
            if let Some((id, document)) = document? {
                self.record(id, document, report);
            }
        }
        Ok(())
    }

    /// Records and reports the outcome of a document.
    pub(super) fn record(
        &mut self,
        id: Uuid,
        ResplitOutcome { uri, outcome, .. }: ResplitOutcome,
        report: &impl Fn(&ReindexEvent),
    ) {
        self.by_document.insert(id, outcome.as_ref().ok().copied());
        report(&match outcome {
            Ok(outcome) => ReindexEvent::Done { uri, outcome },
            Err(error) => ReindexEvent::Failed { uri: Some(uri), error },
        });
    }

    pub(super) fn summary(self) -> ReindexSummary {
        let mut summary = ReindexSummary { embedded: self.embedded, ..ReindexSummary::default() };
        for outcome in self.by_document.into_values() {
            match outcome {
                Some(outcome) => summary.count(outcome),
                None => summary.failed += 1,
            }
        }
        summary
    }
}
