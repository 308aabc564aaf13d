/*!
Reindex of a whole store, through a shadow store.

The shadow store is filled from the store, embedded and indexed. Documents that others write
meanwhile are processed again, until few are left. Then all others wait for one transaction, which
processes the last documents and swaps the names. Their new chunks are embedded after the swap. A
document that cannot be split is copied with its chunks.
*/

use super::AHEAD;
use super::event::{ReindexEvent, ReindexSummary};
use super::outcomes::{Outcomes, ResplitOutcome};
use crate::Error;
use crate::ingest::Job;
use crate::ingest::fill::{Fill, FillEvent, fill};
use crate::split::{SplitPattern, Splitter};
use crate::store::{
    self, OtherSizes, OutdatedDocument, ShadowOptions, ShadowStore, Store, WriteOutcome,
};
use serde_json::{Value, json};
use std::future::pending;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use uuid::Uuid;

/// The maximum number of documents that are processed while others wait.
const FEW: usize = 200;

/// The maximum number of passes that bring the shadow store up to date before others have to wait.
const PASSES: usize = 8;

/// The longest time to wait for the locks of the store.
const LOCK_TIMEOUT: Duration = Duration::from_mins(15);

/// The pause between two attempts to lock the store, in which others can proceed.
const PAUSE: Duration = Duration::from_millis(100);

/// The number of attempts after which the waiting is reported.
const QUIET_ATTEMPTS: usize = 4;

/// A job that reindexes a whole store.
///
/// The model of the job may differ from the store's. Without an embedder, the shadow store keeps
/// the embeddings of unchanged chunks and adds none.
#[derive(Clone)]
pub struct ReindexStore {
    /// The store, the splitter and the model.
    pub job: Job,
    /// `vector`, `halfvec` or `binary`; `None` for the type of the store.
    pub embedding_type: Option<String>,
    /// The text search configuration; `None` for that of the store.
    pub language: Option<String>,
    /// Whether to drop the former store after the swap; otherwise it stays as `STORE_before`.
    pub drop_former: bool,
}

impl ReindexStore {
    fn plan(&self) -> ShadowOptions {
        ShadowOptions {
            model: self.job.model(),
            embedding_type: self.embedding_type.clone(),
            language: self.language.clone(),
            splitting: splitting(&self.job.splitter),
        }
    }
}

/// Returns all settings of a splitter that decide how it splits. A later run resumes an interrupted
/// one only if they are equal, so each field is named here. [`ShadowOptions`] has the version of the format.
fn splitting(splitter: &Splitter) -> Value {
    let limits = splitter.limits();
    json!({
        "unit": splitter.unit().name(),
        "min": limits.min,
        "preferred": limits.preferred,
        "max": limits.max,
        "window": limits.window,
        "overlap": splitter.overlap(),
        "split_at": splitter.split_at().map(SplitPattern::as_str),
        "splitter_version": passage_split::SPLITTER_VERSION,
    })
}

/// Splits and embeds all documents of a store again, into a shadow store that replaces the store.
///
/// # Errors
///
/// Returns an error if the shadow store could not have everything that the store has, or if another
/// reindex is running. Also returns errors that would fail every document: a lost server, missing
/// privileges. The store is then unchanged, and the next run continues with the shadow store.
///
/// # Examples
///
/// ```no_run
/// use passage::ingest::{Job, ReindexStore, reindex_store};
///
/// # async fn run() -> Result<(), passage::Error> {
/// let job = Job::new("postgresql:///library", "rag");
/// let settings = ReindexStore {
///     job,
///     embedding_type: None,
///     language: Some("german".into()),
///     drop_former: false,
/// };
/// reindex_store(settings, |_| {}).await?;
/// # Ok(())
/// # }
/// ```
pub async fn reindex_store(
    mut reindex: ReindexStore,
    report: impl Fn(&ReindexEvent) + Sync,
) -> Result<ReindexSummary, Error> {
    let reader = reindex.job.connect().await?;
    reindex.job = reindex.job.for_store(&reader).await?;
    let plan = reindex.plan();
    let job = &reindex.job;
    if job.dry_run {
        ShadowStore::dry_run(&job.url, &job.store, &plan).await?;
        reader.begin_reading().await?;
        return rehearse(job, &reader, &report).await;
    }
    let mut shadow = ShadowStore::begin(&job.url, &job.store, &plan).await?;
    reader.disable_row_security().await?;
    let store = shadow.store();
    store.in_owned_transaction(job.check_settings(store, OtherSizes::Record)).await?;
    shadow.store().defer_index().await?;
    let run = Run { reindex, reader, shadow: Mutex::new(shadow), report };
    run.replace_store().await
}

/// Returns what would happen to the documents.
async fn rehearse(
    job: &Job,
    reader: &Store,
    report: &(impl Fn(&ReindexEvent) + Sync),
) -> Result<ReindexSummary, Error> {
    let ids = reader.document_ids(None, None).await?;
    report(&ReindexEvent::Found(ids.len()));
    let mut outcomes = Outcomes::default();
    let document = |id| async move {
        let Some(stored) = reader.read_document(id, false).await? else { return Ok(None) };
        Ok::<_, Error>(Some((id, ResplitOutcome::split(&job.splitter, stored).await)))
    };
    let at_a_time = job.parallelism() + AHEAD;
    outcomes.record_all(ids.into_iter().map(document), at_a_time, report).await?;
    Ok(outcomes.summary())
}

struct Run<R> {
    reindex: ReindexStore,
    /// The connection that reads the store.
    reader: Store,
    shadow: Mutex<ShadowStore>,
    report: R,
}

impl<R: Fn(&ReindexEvent) + Sync> Run<R> {
    async fn replace_store(self) -> Result<ReindexSummary, Error> {
        let mut outcomes = Outcomes::default();
        let shadow = self.shadow.lock().await.name().to_owned();
        for _ in 0..PASSES {
            let count = self.catch_up(&mut outcomes).await?;
            self.embed(&shadow, &mut outcomes).await?;
            if count <= FEW {
                break;
            }
        }
        (self.report)(&ReindexEvent::Indexing);
        self.shadow.lock().await.complete().await?;

        let started = Instant::now();
        let mut attempts = 0;
        while !self.try_swap(&mut outcomes).await? {
            attempts += 1;
            self.pause(started, attempts).await?;
        }
        self.embed(&self.reindex.job.store, &mut outcomes).await?;
        let mut shadow = self.shadow.lock().await;
        if self.reindex.drop_former {
            while !shadow.drop_former().await? {
                attempts += 1;
                self.pause(started, attempts).await?;
            }
        } else {
            (self.report)(&ReindexEvent::Replaced { former: shadow.former_name().to_owned() });
        }
        drop(shadow);
        Ok(outcomes.summary())
    }

    /// Swaps the shadow store in. Returns `false` if the locks are not available or too many
    /// documents have changed.
    async fn try_swap(&self, outcomes: &mut Outcomes) -> Result<bool, Error> {
        self.catch_up(outcomes).await?;
        let mut shadow = self.shadow.lock().await;
        let Some(swap) = shadow.lock_original().await? else { return Ok(false) };
        let differing = swap.outdated().await?;
        if differing.len() > FEW {
            return Ok(false);
        }
        for differing in differing {
            let Some(stored) = swap.read_document(differing.id()).await? else { return Ok(false) };
            let document = ResplitOutcome::split(&self.reindex.job.splitter, stored).await;
            let made = document.shadow_document();
            if swap.make(differing, &made).await? == WriteOutcome::Conflict {
                return Ok(false);
            }
            drop(made);
            outcomes.record(differing.id(), document, &self.report);
        }
        swap.commit().await?;
        Ok(true)
    }

    /// Lets others proceed before the next attempt.
    async fn pause(&self, started: Instant, attempts: usize) -> Result<(), Error> {
        if attempts == QUIET_ATTEMPTS {
            (self.report)(&ReindexEvent::Waiting);
        }
        if started.elapsed() > LOCK_TIMEOUT {
            return Err(store::Error::InUse(self.reindex.job.store.clone()).into());
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    /// Processes the documents that the shadow store lacks or has in an old version. Returns their
    /// number.
    async fn catch_up(&self, outcomes: &mut Outcomes) -> Result<usize, Error> {
        let differing = self.shadow.lock().await.outdated().await?;
        let count = differing.len();
        (self.report)(&ReindexEvent::Found(count));
        let documents = differing.into_iter().map(|differing| self.copy_document(differing));
        let at_a_time = self.reindex.job.parallelism() + AHEAD;
        outcomes.record_all(documents, at_a_time, &self.report).await?;
        Ok(count)
    }

    /// Splits a document and writes it to the shadow store. Returns `None` if the document does not
    /// exist any more or has changed meanwhile.
    async fn copy_document(
        &self,
        differing: OutdatedDocument,
    ) -> Result<Option<(Uuid, ResplitOutcome)>, Error> {
        let id = differing.id();
        let Some(stored) = self.reader.read_document(id, false).await? else { return Ok(None) };
        let document = ResplitOutcome::split(&self.reindex.job.splitter, stored).await;
        let mut shadow = self.shadow.lock().await;
        let written = shadow.make(differing, &document.shadow_document()).await?;
        Ok((written == WriteOutcome::Written).then_some((id, document)))
    }

    /// Embeds the chunks of a store that have no embedding.
    async fn embed(&self, store: &str, outcomes: &mut Outcomes) -> Result<(), Error> {
        let job = Job { store: store.to_owned(), ..self.reindex.job.clone() };
        let number = |chunks: u64| usize::try_from(chunks).unwrap_or(usize::MAX);
        let report = |event: &FillEvent| match event {
            FillEvent::Missing(chunks) => (self.report)(&ReindexEvent::Missing(number(*chunks))),
            FillEvent::Embedded(chunks) => (self.report)(&ReindexEvent::Embedded(number(*chunks))),
            _ => {}
        };
        let lost = self.shadow.lock().await.store().lost();
        let embedded = tokio::select! {
            embedded = fill(Fill { job, collection: None, follow: None }, pending(), report) => embedded?,
            // This connection holds the lock that keeps other runs away. It ends with the
            // connection.
            () = lost => return Err(store::Error::Lost.into()),
        };
        outcomes.embedded += number(embedded);
        Ok(())
    }
}
