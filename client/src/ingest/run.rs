//! A run over many documents.

use super::{Event, Ingest, Input, Outcome, Summary, document};
use crate::Error;
use crate::source::{self, Found, Source};
use crate::store::{Settings, Store};
use passage_core::SPLITTER_VERSION;
use std::collections::HashMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{self, Semaphore};
use tokio::task::{self, JoinSet};

/// Connections that write. Two keep a server busy while one of them waits for its commit.
const WRITERS: usize = 2;

/// Documents under way beside those that are split, one on each core, so that the next is ready
/// when one is written.
const DOCUMENTS_PER_WRITER: usize = 2;

/// Kilobytes of text under way; a larger document goes alone.
const KILOBYTES: u32 = 16 * 1024;

/// How many documents the store is asked for at once.
const BATCH: usize = 256;

/// What the documents of a run share.
pub(super) struct Run {
    pub(super) ingest: Ingest,
    pub(super) with_embeddings: bool,
    stores: Vec<sync::Mutex<Store>>,
    kilobytes: Arc<Semaphore>,
    report: Box<dyn Fn(&Event) + Send + Sync>,
    summary: Mutex<Summary>,
}

/// A uri, and what became of its document.
type Finished = (String, Result<Outcome, Error>);

/// One document of a run.
pub(super) enum Item {
    File(Source),
    Bytes { uri: String, bytes: Vec<u8> },
}

/// Ingests files, folders and texts into a store, each document in one transaction.
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
    inputs: Vec<Input>,
    report: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Summary, Error> {
    let settings = Settings {
        model: ingest
            .embedder
            .as_ref()
            .map(|embedder| (embedder.name().to_owned(), embedder.dimensions())),
        sizer: ingest.splitter.unit().name(),
        splitter_version: SPLITTER_VERSION,
    };
    let mut stores = Vec::with_capacity(WRITERS);
    for _ in 0..WRITERS {
        let store = Store::connect(&ingest.url, &ingest.store).await?;
        store.defer_flush().await?;
        stores.push(sync::Mutex::new(store));
    }
    let with_embeddings = stores[0].get_mut().agree(&settings).await?;
    let run = Arc::new(Run {
        with_embeddings,
        ingest,
        stores,
        kilobytes: Arc::new(Semaphore::new(KILOBYTES as usize)),
        report: Box::new(report),
        summary: Mutex::default(),
    });

    let finder = Arc::clone(&run);
    let items = blocking(move || finder.find(inputs)).await;
    run.report(&Event::Found(items.len()));
    run.write_all(items).await?;
    let summary = *run.summary.lock().unwrap_or_else(PoisonError::into_inner);
    // One wait for the disk in place of one for each document.
    if summary.added + summary.replaced > 0 {
        run.store(0).await.flush().await?;
    }
    Ok(summary)
}

impl Run {
    /// Finds all documents, each uri once.
    fn find(&self, inputs: Vec<Input>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut seen: HashMap<String, Option<PathBuf>> = HashMap::new();
        for input in inputs {
            match input {
                Input::Bytes { uri, bytes } => {
                    seen.insert(uri.clone(), None);
                    items.push(Item::Bytes { uri, bytes });
                }
                Input::File(source) => self.take(source, &mut seen, &mut items),
                Input::Path(path) => {
                    for found in source::walk(&path) {
                        match found {
                            Ok(Found::File(source)) => self.take(source, &mut seen, &mut items),
                            Ok(Found::Skipped(path)) => self.report(&Event::Skipped(path)),
                            Err(error) => {
                                self.report(&Event::Failed { uri: None, error: error.into() });
                            }
                        }
                    }
                }
            }
        }
        items
    }

    /// Takes a file unless it was named before; another one of the same uri is an error.
    fn take(
        &self,
        source: Source,
        seen: &mut HashMap<String, Option<PathBuf>>,
        items: &mut Vec<Item>,
    ) {
        let same = |path: &PathBuf| path.canonicalize().ok() == source.path.canonicalize().ok();
        match seen.get(&source.uri) {
            None => {
                seen.insert(source.uri.clone(), Some(source.path.clone()));
                items.push(Item::File(source));
            }
            Some(Some(path)) if same(path) => {}
            Some(_) => {
                let error = source::Error::SameUri { path: source.path, uri: source.uri };
                self.report(&Event::Failed { uri: None, error: error.into() });
            }
        }
    }

    async fn write_all(self: &Arc<Self>, items: Vec<Item>) -> Result<(), Error> {
        let Ingest { collection, version, .. } = &self.ingest;
        let mut tasks = JoinSet::new();
        let mut items = items.into_iter();
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let under_way = (WRITERS * DOCUMENTS_PER_WRITER).max(WRITERS + cores);
        let mut number = 0;
        loop {
            let batch: Vec<Item> = items.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let uris: Vec<&str> = batch.iter().map(Item::uri).collect();
            let mut known = self.store(0).await.known(collection, version, &uris).await?;
            for item in batch {
                while tasks.len() >= under_way {
                    self.finish(tasks.join_next().await)?;
                }
                let known = known.remove(item.uri());
                let run = Arc::clone(self);
                tasks.spawn(async move {
                    let uri = item.uri().to_owned();
                    (uri, document::ingest(&run, number, item, known).await)
                });
                number += 1;
            }
        }
        while !tasks.is_empty() {
            self.finish(tasks.join_next().await)?;
        }
        Ok(())
    }

    /// Reports what became of a document, or ends the run; those still under way are then
    /// dropped, and their transactions rolled back.
    fn finish(&self, joined: Option<Result<Finished, task::JoinError>>) -> Result<(), Error> {
        let Some(joined) = joined else { return Ok(()) };
        match unwound(joined) {
            (uri, Ok(outcome)) => self.report(&Event::Done { uri, outcome }),
            (_, Err(error)) if error.is_fatal() => return Err(error),
            (uri, Err(error)) => self.report(&Event::Failed { uri: Some(uri), error }),
        }
        Ok(())
    }

    /// Returns one of the connections; documents take turns.
    pub(super) async fn store(&self, number: usize) -> sync::MutexGuard<'_, Store> {
        self.stores[number % self.stores.len()].lock().await
    }

    /// Waits until a document of so many bytes may come under way.
    pub(super) async fn room(&self, bytes: u64) -> sync::OwnedSemaphorePermit {
        let kilobytes = u32::try_from(bytes.div_ceil(1024))
            .map_or(KILOBYTES, |kilobytes| kilobytes.min(KILOBYTES));
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

impl Item {
    fn uri(&self) -> &str {
        match self {
            Item::File(source) => &source.uri,
            Item::Bytes { uri, .. } => uri,
        }
    }
}

/// Runs what takes the processor, or waits for a file, where it holds up nothing else.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    unwound(task::spawn_blocking(work).await)
}

/// A panic goes on in whoever waits.
fn unwound<T>(joined: Result<T, task::JoinError>) -> T {
    joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
