//! A run over many documents.

use super::agree::{agree, jobs};
use super::find::{self, Waiting, kilobytes};
use super::load::{self, Loader};
use super::{Event, Ingest, Outcome, Summary, document, index};
use crate::Error;
use crate::source::{self, Found};
use crate::store::Store;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::task::{self, JoinSet};

/// Connections that write. Two keep a server busy while one of them waits for its commit.
const WRITERS: usize = 2;

/// The most documents under way: enough that those that are ready share transactions.
const DOCUMENTS: usize = 256;

/// Documents that are embedded at a time beside the number of jobs, so that the model never waits.
const EMBEDDED_AHEAD: usize = 2;

/// Kilobytes of text under way; a larger document goes alone.
const KILOBYTES: u32 = 16 * 1024;

/// How many documents the store is asked for at once.
const BATCH: usize = 256;

/// What the documents of a run share.
pub(super) struct Run {
    pub(super) ingest: Ingest,
    pub(super) with_embeddings: bool,
    /// The connection that asks what is there.
    pub(super) reader: Store,
    pub(super) loader: Loader,
    /// Whose turn it is to be split.
    pub(super) splitting: Semaphore,
    /// Whose turn it is to be embedded.
    pub(super) embedding: Semaphore,
    kilobytes: Arc<Semaphore>,
    report: Box<dyn Fn(&Event) + Send + Sync>,
    summary: Mutex<Summary>,
}

/// A uri, and what became of its document.
type Finished = (String, Result<Outcome, Error>);

/// Ingests what sources give into a store, each document wholly or not at all.
///
/// `report` is told what happens while it happens, from several threads. Documents that fail are
/// counted in the summary; the others are in the store.
///
/// # Errors
///
/// What fails for one document as for all: a model that is not the store's, a server that cannot
/// be reached or is lost, missing rights. What was done by then stays, each document wholly.
pub async fn ingest(
    ingest: Ingest,
    sources: impl IntoIterator<Item = Result<Found, source::Error>, IntoIter: Send + 'static>,
    report: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Summary, Error> {
    let reader = Store::connect(&ingest.url, &ingest.store).await?;
    let identity = reader.identity().await?;
    let with_embeddings =
        agree(&reader, ingest.embedder.as_deref(), &ingest.splitter, ingest.dry_run).await?;
    let mut stores = Vec::with_capacity(WRITERS);
    for _ in 0..WRITERS {
        let mut store = Store::connect(&ingest.url, &ingest.store).await?;
        store.expect_identity(identity);
        store.enable_bulk_writes();
        stores.push(store);
    }
    let jobs = jobs(ingest.jobs);
    let (loader, loading) = Loader::new();
    let run = Arc::new(Run {
        with_embeddings,
        ingest,
        reader,
        loader,
        splitting: Semaphore::new(jobs),
        embedding: Semaphore::new(jobs + EMBEDDED_AHEAD),
        kilobytes: Arc::new(Semaphore::new(KILOBYTES as usize)),
        report: Box::new(report),
        summary: Mutex::default(),
    });

    let mut store = Store::connect(&run.ingest.url, &run.ingest.store).await?;
    let deferred =
        !run.ingest.dry_run && run.ingest.embedder.is_some() && store.defer_index().await?;
    // Dropped with the run, and what they have not committed with them.
    let _writers = load::start(&run, stores, loading);
    let waiting = find::start(Arc::clone(&run), sources.into_iter());
    run.take_all(waiting).await?;
    let summary = *run.summary.lock().unwrap_or_else(PoisonError::into_inner);
    // One wait for the disk in place of one for each document.
    if summary.added + summary.replaced + summary.restored > 0 && !run.ingest.dry_run {
        run.reader.flush().await?;
    }
    if deferred {
        index::build(&run, store).await?;
    }
    Ok(summary)
}

impl Run {
    async fn take_all(self: &Arc<Self>, mut waiting: Receiver<Waiting>) -> Result<(), Error> {
        let Ingest { collection, version, .. } = &self.ingest;
        let mut tasks = JoinSet::new();
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            tokio::select! {
                found = waiting.recv_many(&mut batch, BATCH) => if found == 0 { break },
                Some(done) = tasks.join_next() => {
                    self.finish(done)?;
                    continue;
                }
            }
            let uris: Vec<&str> = batch.iter().map(|waiting| &*waiting.item.uri).collect();
            let mut known = self.reader.existing_documents(collection, version, &uris).await?;
            for waiting in batch {
                while tasks.len() >= DOCUMENTS
                    && let Some(done) = tasks.join_next().await
                {
                    self.finish(done)?;
                }
                let known = known.remove(&waiting.item.uri);
                let run = Arc::clone(self);
                tasks.spawn(async move {
                    let room = run.room(waiting.bytes).await;
                    let Waiting { item, .. } = waiting;
                    let uri = item.uri.clone();
                    let done = document::ingest(&run, item, known).await;
                    drop(room);
                    (uri, done)
                });
            }
        }
        while let Some(done) = tasks.join_next().await {
            self.finish(done)?;
        }
        Ok(())
    }

    /// Reports what became of a document, or ends the run; those still under way are then
    /// dropped, and their transactions rolled back.
    fn finish(&self, joined: Result<Finished, task::JoinError>) -> Result<(), Error> {
        match unwound(joined) {
            (uri, Ok(outcome)) => self.report(&Event::Done { uri, outcome }),
            (_, Err(error)) if error.is_fatal() => return Err(error),
            (uri, Err(error)) => self.report(&Event::Failed { uri: Some(uri), error }),
        }
        Ok(())
    }

    /// Waits until a document of so many bytes may come under way.
    async fn room(&self, bytes: u64) -> OwnedSemaphorePermit {
        let kilobytes = kilobytes(bytes, KILOBYTES);
        Arc::clone(&self.kilobytes)
            .acquire_many_owned(kilobytes)
            .await
            .expect("the semaphore is never closed")
    }

    pub(super) fn report(&self, event: &Event) {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner).count(event);
        (self.report)(event);
    }
}

/// Waits for one's turn.
pub(super) async fn turn(turns: &Semaphore) -> SemaphorePermit<'_> {
    turns.acquire().await.expect("the semaphore is never closed")
}

/// Runs what takes the processor, or waits for a file, where it holds up nothing else.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    unwound(task::spawn_blocking(work).await)
}

/// A panic goes on in whoever waits.
fn unwound<T>(joined: Result<T, task::JoinError>) -> T {
    joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
