//! A document that is split anew for a second store, and what became of all of them.

use super::super::remake::{self, Made as Remake};
use super::super::{ReindexEvent, Reindexed, Remade};
use crate::Error;
use crate::ingest::run::blocking;
use crate::split::Splitter;
use crate::store::{ShadowDocument, StoredDocument};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;
use std::pin::pin;
use uuid::Uuid;

/// A document that was split anew, or cannot be.
pub(super) struct Anew {
    uri: String,
    /// `None` if it is to be copied.
    made: Option<Remake>,
    remade: Result<Remade, Error>,
}

impl Anew {
    pub(super) async fn of(splitter: &Splitter, stored: StoredDocument) -> Self {
        let (uri, splitter) = (stored.uri.clone(), splitter.clone());
        match blocking(move || remake::remake(&splitter, stored, false)).await {
            Err(error) => Self { uri, made: None, remade: Err(error) },
            Ok(None) => Self { uri, made: None, remade: Ok(Remade::Left) },
            Ok(Some(made)) => {
                let remade = if made.differs() {
                    Remade::Rewritten { chunks: made.chunks(), kept: made.kept() }
                } else {
                    Remade::Unchanged
                };
                Self { uri, made: Some(made), remade: Ok(remade) }
            }
        }
    }

    /// Returns what the second store is to make of it.
    pub(super) fn made(&self, with_embeddings: bool) -> ShadowDocument<'_> {
        match &self.made {
            Some(made) => ShadowDocument::Split {
                document: Box::new(made.new_document(with_embeddings)),
                reused: made.reused(),
                is_same: matches!(self.remade, Ok(Remade::Unchanged)),
            },
            None => ShadowDocument::Copied,
        }
    }
}

/// What became of each document; one that others change is made more than once.
#[derive(Default)]
pub(super) struct Tally {
    /// `None` where it failed.
    remade: HashMap<Uuid, Option<Remade>>,
    pub(super) embedded: usize,
}

impl Tally {
    /// Takes documents as they are done, some at a time; `None` stands for one that was not.
    pub(super) async fn take_all<D>(
        &mut self,
        documents: impl Iterator<Item = D>,
        at_a_time: usize,
        report: &impl Fn(&ReindexEvent),
    ) -> Result<(), Error>
    where
        D: Future<Output = Result<Option<(Uuid, Anew)>, Error>>,
    {
        let mut done = pin!(stream::iter(documents).buffer_unordered(at_a_time));
        while let Some(document) = done.next().await {
            if let Some((id, anew)) = document? {
                self.take(id, anew, report);
            }
        }
        Ok(())
    }

    /// Notes and reports what became of a document.
    pub(super) fn take(
        &mut self,
        id: Uuid,
        Anew { uri, remade, .. }: Anew,
        report: &impl Fn(&ReindexEvent),
    ) {
        self.remade.insert(id, remade.as_ref().ok().copied());
        report(&match remade {
            Ok(remade) => ReindexEvent::Done { uri, remade },
            Err(error) => ReindexEvent::Failed { uri: Some(uri), error },
        });
    }

    pub(super) fn sum(self) -> Reindexed {
        let mut sum = Reindexed { embedded: self.embedded, ..Reindexed::default() };
        for remade in self.remade.into_values() {
            match remade {
                Some(remade) => sum.count(remade),
                None => sum.failed += 1,
            }
        }
        sum
    }
}
