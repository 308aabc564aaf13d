//! A run of [`ingest`]: connects the parts of the pipeline and bounds the documents in it.

use super::document::Pipeline;
use super::event::Reporter;
use super::find::{self, QueuedDocument};
use super::given;
use super::load::{self, Loader};
use super::split_document::EmbeddedBy;
use super::tasks::{acquire_kilobytes, resume_panic};
use super::{Event, Ingest, Outcome, Summary};
use crate::Error;
use crate::source::{self, SourceEntry};
use crate::store::{Changed, ExistingDocument, OtherSizes, Store};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;
use tokio::task::{self, JoinSet};

/// The number of connections that write. Two keep a server busy while one of them waits for its
/// commit.
const WRITERS: usize = 2;

/// The maximum number of documents in the pipeline: enough that those that are ready can share transactions.
const DOCUMENTS: usize = 256;

/// Documents that are embedded at the same time beyond the number of jobs, so that the model never
/// waits.
const EMBEDDED_AHEAD: usize = 2;

/// The maximum number of kilobytes of text in the pipeline. A larger document is processed alone.
const KILOBYTES: u32 = 16 * 1024;

/// The number of documents for which one query reads the stored versions.
const BATCH: usize = 256;

/// The time between two reports on the progress of the vector index.
const INDEX_REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// A uri, and the result for its document.
type Finished = (String, Result<Outcome, Error>);

/// Ingests the documents of sources into a store, each of them atomically.
///
/// `report` receives each event when it happens, from several threads. The summary counts failed
/// documents; all others are in the store.
///
/// # Errors
///
/// Returns errors that would fail every document: another model than the store's, a server that
/// cannot be reached or is lost, missing privileges. Documents that were written before the error
/// stay.
pub async fn ingest(
    ingest: Ingest,
    sources: impl IntoIterator<Item = Result<SourceEntry, source::Error>, IntoIter: Send + 'static>,
    report: impl Fn(&Event) + Send + Sync + 'static,
) -> Result<Summary, Error> {
    let reader = ingest.job.connect().await?;
    let job = ingest.job.for_store(&reader).await?;
    let ingest = Ingest { job: job.clone(), ..ingest };
    let identity = reader.identity().await?;
    let with_embeddings = job.check_settings(&reader, OtherSizes::Refuse).await?;
    let embedded_by = match job.embedder {
        None if with_embeddings => EmbeddedBy::of_store(&reader).await?,
        _ => None,
    };
    let mut stores = Vec::with_capacity(WRITERS);
    for _ in 0..WRITERS {
        let mut store = job.connect().await?;
        store.expect_identity(identity);
        store.enable_bulk_writes();
        stores.push(store);
    }
    let parallelism = job.parallelism();
    let (loader, prepared) = Loader::new();
    let ingest = Arc::new(ingest);
    let reporter = Arc::new(Reporter::new(report));
    let pipeline = Arc::new(Pipeline {
        ingest: Arc::clone(&ingest),
        embedded_by,
        reader,
        loader,
        splitting: Semaphore::new(parallelism),
        embedding: Semaphore::new(parallelism + EMBEDDED_AHEAD),
        reporter: Arc::clone(&reporter),
    });

    let mut index_store = job.connect().await?;
    let index_deferred =
        !job.dry_run && job.embedder.is_some() && index_store.defer_index().await?;
    // If the run fails, this drops the writers, and the server rolls their transactions back.
    let _writers = load::start(&ingest, stores, prepared);
    let (queued, finding) = find::start(Arc::clone(&reporter), sources.into_iter());
    process_all(&pipeline, queued).await?;
    // Without this, a sync would treat the documents that were not found as missing.
    resume_panic(finding.await);
    let summary = reporter.summary();
    // The run waits for the disk once, and not once for each document.
    if summary.added + summary.replaced + summary.restored > 0 && !job.dry_run {
        pipeline.reader.flush().await?;
    }
    if index_deferred {
        build_index(&pipeline.reader, index_store, &reporter).await?;
    }
    if summary.chunks > 0
        && !job.dry_run
        && let Some(note) = pipeline.reader.analyze_after(Changed::Chunks, summary.chunks).await?
    {
        reporter.report(&Event::NotAnalyzed(note));
    }
    Ok(summary)
}

/// Leads all queued documents through the pipeline.
async fn process_all(
    pipeline: &Arc<Pipeline>,
    mut queued: Receiver<QueuedDocument>,
) -> Result<(), Error> {
    let kilobytes = Arc::new(Semaphore::new(KILOBYTES as usize));
    let mut tasks = JoinSet::new();
    loop {
        let mut batch = Vec::with_capacity(BATCH);
        tokio::select! {
            received = queued.recv_many(&mut batch, BATCH) => if received == 0 { break },
            Some(finished) = tasks.join_next() => {
                finish(pipeline, finished)?;
                continue;
            }
        }
        let mut existing = existing_documents(pipeline, &batch).await?;
        for queued in batch {
            while tasks.len() >= DOCUMENTS
                && let Some(finished) = tasks.join_next().await
            {
                finish(pipeline, finished)?;
            }
            let own = queued.document.source_metadata.collection.as_ref();
            let (collection, version) = given::collection(own, &pipeline.ingest);
            let key = (collection.to_owned(), version.to_owned(), queued.document.uri.clone());
            let existing = existing.remove(&key);
            let (pipeline, kilobytes) = (Arc::clone(pipeline), Arc::clone(&kilobytes));
            tasks.spawn(async move {
                let permit = acquire_kilobytes(&kilobytes, queued.bytes, KILOBYTES).await;
                // This frees the document's kilobytes in the queue.
                let QueuedDocument { document, .. } = queued;
                let uri = document.uri.clone();
                let result = pipeline.ingest(document, existing).await;
                drop(permit);
                (uri, result)
            });
        }
    }
    while let Some(finished) = tasks.join_next().await {
        finish(pipeline, finished)?;
    }
    Ok(())
}

/// Reads the stored versions of documents, by collection, version and uri, with one statement for each
/// collection.
async fn existing_documents(
    pipeline: &Pipeline,
    batch: &[QueuedDocument],
) -> Result<HashMap<(String, String, String), ExistingDocument>, Error> {
    let mut collections: HashMap<(&str, &str), Vec<&str>> = HashMap::new();
    for QueuedDocument { document, .. } in batch {
        let own = document.source_metadata.collection.as_ref();
        let key = given::collection(own, &pipeline.ingest);
        collections.entry(key).or_default().push(&document.uri);
    }
    let mut existing = HashMap::new();
    for ((collection, version), uris) in collections {
        let found = pipeline.reader.existing_documents(collection, version, &uris).await?;
        let key = |uri| (collection.to_owned(), version.to_owned(), uri);
        existing.extend(found.into_iter().map(|(uri, document)| (key(uri), document)));
    }
    Ok(existing)
}

/// Reports the result for a document, or ends the run. Then the documents in the pipeline are
/// dropped, and the server rolls their transactions back.
fn finish(pipeline: &Pipeline, joined: Result<Finished, task::JoinError>) -> Result<(), Error> {
    let reporter = &pipeline.reporter;
    match resume_panic(joined) {
        (uri, Ok(outcome)) => reporter.report(&Event::Done { uri, outcome }),
        (_, Err(error)) if error.is_fatal() => return Err(error),
        (uri, Err(error)) => reporter.report(&Event::Failed { uri: Some(uri), error }),
    }
    Ok(())
}

/// Builds the vector index of a first load on a connection of its own, and reports the progress.
async fn build_index(reader: &Store, mut store: Store, reporter: &Reporter) -> Result<(), Error> {
    let total = reader.count_embeddings().await?;
    let report = |done: i64| {
        reporter.report(&Event::Indexing { done: done.min(total) as usize, total: total as usize });
    };
    report(0);
    let mut building = pin!(store.build_index());
    loop {
        tokio::select! {
            built = &mut building => break built?,
            () = tokio::time::sleep(INDEX_REPORT_INTERVAL) => {
                if let Some(done) = reader.index_progress().await? {
                    report(done);
                }
            }
        }
    }
    report(total);
    Ok(())
}
