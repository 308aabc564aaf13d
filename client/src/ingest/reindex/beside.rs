/*!
Reindexing a whole store beside it.

The second store is filled from the first, embedded, indexed, and brought up to date with what others
wrote meanwhile until that is little. Then all wait until the last of it is made, and the names
change; what is new in that is embedded after. A document that cannot be split anew comes along as
it is.
*/

mod anew;

use super::{AHEAD, ReindexEvent, Reindexed};
use crate::Error;
use crate::embed::Embedder;
use crate::ingest::agree::{agree, jobs};
use crate::ingest::fill::{Fill, FillEvent, fill};
use crate::split::Splitter;
use crate::store::{self, OutdatedDocument, ShadowOptions, ShadowStore, Store, WriteOutcome};
use anew::{Anew, Tally};
use serde_json::json;
use std::future::pending;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use uuid::Uuid;

/// So few documents are made while others wait.
const FEW: usize = 200;

/// How often the second store is brought up to date before that.
const LOOKS: usize = 8;

/// How long the first store is waited for.
const PATIENCE: Duration = Duration::from_mins(15);

/// How long others come first between two attempts to replace it.
const PAUSE: Duration = Duration::from_millis(100);

/// So many attempts are nothing to speak of.
const ATTEMPTS: usize = 4;

/// What to reindex, and with what.
#[derive(Clone)]
pub struct Beside {
    /// The server, as libpq takes it.
    pub url: String,
    /// The store.
    pub store: String,
    /// What splits.
    pub splitter: Splitter,
    /// What embeds; its model may be another than the store's. `None` to keep the embeddings that
    /// are there, and to make no others.
    pub embedder: Option<Arc<Embedder>>,
    /// `vector` or `halfvec`; `None` for what the store has.
    pub embedding_type: Option<String>,
    /// The text search configuration; `None` for what the store has.
    pub language: Option<String>,
    /// How many documents are split at a time; by default one on each core.
    pub jobs: Option<NonZero<usize>>,
    /// Whether to remove the former store when it is replaced; else it stays as `STORE_before`.
    pub removes_former: bool,
    /// Whether to find out only what would change; then nothing is embedded or written.
    pub dry_run: bool,
}

impl Beside {
    fn plan(&self) -> ShadowOptions {
        let Self { splitter, embedder, .. } = self;
        ShadowOptions {
            model: embedder.as_ref().map(|model| (model.name().to_owned(), model.dimensions())),
            embedding_type: self.embedding_type.clone(),
            language: self.language.clone(),
            splitting: json!({
                "unit": splitter.unit().name(), "limits": format!("{:?}", splitter.limits()),
                "overlap": splitter.overlap(), "version": passage_core::SPLITTER_VERSION,
            }),
        }
    }
}

/// Splits and embeds all documents of a store anew, in a second store that takes its place.
///
/// # Errors
///
/// What a second store cannot have, or somebody else is at; and what fails for one document as for
/// all: a server that is lost, missing rights. The first store is then in its place, and the next
/// run goes on with the second.
pub async fn reindex_beside(
    job: Beside,
    report: impl Fn(&ReindexEvent) + Sync,
) -> Result<Reindexed, Error> {
    let plan = job.plan();
    let jobs = jobs(job.jobs);
    if job.dry_run {
        ShadowStore::dry_run(&job.url, &job.store, &plan).await?;
        let reader = Store::connect(&job.url, &job.store).await?;
        reader.begin_reading().await?;
        return would(&job, &reader, jobs, &report).await;
    }
    let mut second = ShadowStore::begin(&job.url, &job.store, &plan).await?;
    let reader = Store::connect(&job.url, &job.store).await?;
    reader.disable_row_security().await?;
    let store = second.store();
    store.in_owned_transaction(agree(store, job.embedder.as_deref(), &job.splitter, false)).await?;
    second.store().defer_index().await?;
    let run = Run { job, jobs, reader, second: Mutex::new(second), report };
    run.all().await
}

/// Tells what would become of the documents.
async fn would(
    job: &Beside,
    reader: &Store,
    jobs: usize,
    report: &(impl Fn(&ReindexEvent) + Sync),
) -> Result<Reindexed, Error> {
    let ids = reader.document_ids(None, None).await?;
    report(&ReindexEvent::Found(ids.len()));
    let mut tally = Tally::default();
    let document = |id| async move {
        let Some(stored) = reader.read_document(id, false).await? else { return Ok(None) };
        Ok::<_, Error>(Some((id, Anew::of(&job.splitter, stored).await)))
    };
    tally.take_all(ids.into_iter().map(document), jobs + AHEAD, report).await?;
    Ok(tally.sum())
}

struct Run<R> {
    job: Beside,
    jobs: usize,
    /// The connection that reads the first store.
    reader: Store,
    second: Mutex<ShadowStore>,
    report: R,
}

impl<R: Fn(&ReindexEvent) + Sync> Run<R> {
    async fn all(self) -> Result<Reindexed, Error> {
        let mut tally = Tally::default();
        let second = self.second.lock().await.name().to_owned();
        for _ in 0..LOOKS {
            let found = self.catch_up(&mut tally).await?;
            self.embed(&second, &mut tally).await?;
            if found <= FEW {
                break;
            }
        }
        (self.report)(&ReindexEvent::Indexing);
        self.second.lock().await.complete().await?;

        let begun = Instant::now();
        let mut attempts = 0;
        while !self.replace(&mut tally).await? {
            attempts += 1;
            self.wait(begun, attempts).await?;
        }
        self.embed(&self.job.store, &mut tally).await?;
        let mut second = self.second.lock().await;
        if self.job.removes_former {
            while !second.drop_former().await? {
                attempts += 1;
                self.wait(begun, attempts).await?;
            }
        } else {
            (self.report)(&ReindexEvent::Replaced { former: second.former_name().to_owned() });
        }
        drop(second);
        Ok(tally.sum())
    }

    /// Puts the second store in the place of the first, unless others keep it from that.
    async fn replace(&self, tally: &mut Tally) -> Result<bool, Error> {
        self.catch_up(tally).await?;
        let mut second = self.second.lock().await;
        let with_embeddings = second.with_embeddings();
        let Some(last) = second.lock_original().await? else { return Ok(false) };
        let differing = last.outdated().await?;
        if differing.len() > FEW {
            return Ok(false);
        }
        for differing in differing {
            let Some(stored) = last.read_document(differing.id()).await? else { return Ok(false) };
            let anew = Anew::of(&self.job.splitter, stored).await;
            if last.make(differing, &anew.made(with_embeddings)).await? == WriteOutcome::Conflict {
                return Ok(false);
            }
            tally.take(differing.id(), anew, &self.report);
        }
        last.commit().await?;
        Ok(true)
    }

    /// Lets others come first.
    async fn wait(&self, begun: Instant, attempts: usize) -> Result<(), Error> {
        if attempts == ATTEMPTS {
            (self.report)(&ReindexEvent::Waiting);
        }
        if begun.elapsed() > PATIENCE {
            return Err(store::Error::InUse(self.job.store.clone()).into());
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    /// Makes the documents that the second store lacks or has as they were; returns how many.
    async fn catch_up(&self, tally: &mut Tally) -> Result<usize, Error> {
        let differing = self.second.lock().await.outdated().await?;
        let found = differing.len();
        (self.report)(&ReindexEvent::Found(found));
        let documents = differing.into_iter().map(|differing| self.document(differing));
        tally.take_all(documents, self.jobs + AHEAD, &self.report).await?;
        Ok(found)
    }

    /// Makes a document in the second store; `None` if it is gone or has to be looked at again.
    async fn document(&self, differing: OutdatedDocument) -> Result<Option<(Uuid, Anew)>, Error> {
        let id = differing.id();
        let Some(stored) = self.reader.read_document(id, false).await? else { return Ok(None) };
        let anew = Anew::of(&self.job.splitter, stored).await;
        let mut second = self.second.lock().await;
        let with_embeddings = second.with_embeddings();
        let written = second.make(differing, &anew.made(with_embeddings)).await?;
        Ok((written == WriteOutcome::Written).then_some((id, anew)))
    }

    /// Embeds the chunks of a store that have no embedding yet.
    async fn embed(&self, store: &str, tally: &mut Tally) -> Result<(), Error> {
        let Some(embedder) = &self.job.embedder else { return Ok(()) };
        let job = Fill {
            url: self.job.url.clone(),
            store: store.to_owned(),
            collection: None,
            embedder: Arc::clone(embedder),
            follow: None,
        };
        let number = |chunks: u64| usize::try_from(chunks).unwrap_or(usize::MAX);
        let report = |event: &FillEvent| match event {
            FillEvent::Missing(chunks) => (self.report)(&ReindexEvent::Missing(number(*chunks))),
            FillEvent::Embedded(chunks) => (self.report)(&ReindexEvent::Embedded(number(*chunks))),
            FillEvent::Waiting | FillEvent::Interrupted(_) => {}
        };
        let lost = self.second.lock().await.store().lost();
        let filled = tokio::select! {
            filled = fill(job, pending(), report) => filled?,
            // So is the lock that keeps others from doing the same.
            () = lost => return Err(store::Error::Lost.into()),
        };
        tally.embedded += number(filled);
        Ok(())
    }
}
