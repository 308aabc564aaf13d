/*!
Reindex of a collection, in place.

A document that others change during its reindex is read again. A document whose chunks are the same
as before is not written.
*/

use super::AHEAD;
use super::event::{ReindexEvent, ReindexOutcome, ReindexSummary};
use crate::Error;
use crate::ingest::Job;
use crate::ingest::job::embed_texts;
use crate::ingest::resplit::resplit;
use crate::ingest::tasks::run_blocking;
use crate::store::{self, OtherSizes, Store, WriteOutcome};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;
use uuid::Uuid;

/// The maximum number of attempts for a document that others write at the same time.
const ATTEMPTS: usize = 32;

/// A job that reindexes one collection.
#[derive(Clone)]
pub struct ReindexCollection {
    /// The store, the splitter and the model.
    pub job: Job,
    /// The collection; may be empty.
    pub collection: String,
    /// The version; `None` for all.
    pub version: Option<String>,
}

/// Splits and embeds the documents of a collection again, each of them in place and in one
/// transaction.
///
/// # Errors
///
/// Returns an error for a store of another role or another model, and for a collection without
/// documents. Also returns errors that would fail every document: a lost server, missing
/// privileges. Documents that were written before the error stay.
///
/// # Examples
///
/// ```no_run
/// use passage::ingest::{Job, ReindexCollection, reindex_collection};
///
/// # async fn run() -> Result<(), passage::Error> {
/// let job = Job::new("postgresql:///library", "rag");
/// let settings = ReindexCollection { job, collection: "handbook".into(), version: None };
/// let summary = reindex_collection(settings, |_| {}).await?;
/// println!("{} documents rewritten", summary.rewritten);
/// # Ok(())
/// # }
/// ```
pub async fn reindex_collection(
    reindex: ReindexCollection,
    report: impl Fn(&ReindexEvent) + Sync,
) -> Result<ReindexSummary, Error> {
    let ReindexCollection { job, collection, version } = reindex;
    let mut reader = job.connect().await?;
    reader.must_be_owned().await?;
    let identity = reader.identity().await?;
    let ids = reader.document_ids(Some(&collection), version.as_deref()).await?;
    if ids.is_empty() {
        return Err(store::Error::NoCollection(collection).into());
    }
    let job = job.for_store(&reader).await?;
    let settings = job.check_settings(&reader, OtherSizes::Record);
    let with_embeddings = reader.in_owned_transaction(settings).await?;
    let mut writer = job.connect().await?;
    writer.expect_identity(identity);
    writer.enable_bulk_writes();
    report(&ReindexEvent::Found(ids.len()));

    let at_a_time = job.parallelism() + AHEAD;
    let run = Run { job, with_embeddings, reader, writer: Mutex::new(writer), report };
    let mut summary = ReindexSummary::default();
    let mut finished =
        stream::iter(ids).map(|id| run.reindex_document(id)).buffer_unordered(at_a_time);
    while let Some(document) = finished.next().await {
        let Finished { uri, embedded, outcome } = document;
        summary.embedded += embedded;
        match outcome {
            Ok(Some(outcome)) => {
                summary.count(outcome);
                (run.report)(&ReindexEvent::Done { uri: uri.unwrap_or_default(), outcome });
            }
            // The document has been removed.
            Ok(None) => {}
            Err(error) if error.is_fatal() => return Err(error),
            Err(error) => {
                summary.failed += 1;
                (run.report)(&ReindexEvent::Failed { uri, error });
            }
        }
    }
    drop(finished);
    if summary.rewritten > 0 && !run.job.dry_run {
        run.writer.into_inner().flush().await?;
    }
    Ok(summary)
}

/// The result for a document.
struct Finished {
    uri: Option<String>,
    embedded: usize,
    outcome: Result<Option<ReindexOutcome>, Error>,
}

struct Run<R> {
    job: Job,
    with_embeddings: bool,
    reader: Store,
    writer: Mutex<Store>,
    report: R,
}

impl<R: Fn(&ReindexEvent)> Run<R> {
    async fn reindex_document(&self, id: Uuid) -> Finished {
        let (mut uri, mut embedded) = (None, 0);
        let outcome = self.rewrite(id, &mut uri, &mut embedded).await;
        Finished { uri, embedded, outcome }
    }

    /// Splits, embeds and writes a document. Returns `None` if it does not exist any more.
    async fn rewrite(
        &self,
        id: Uuid,
        uri: &mut Option<String>,
        embedded: &mut usize,
    ) -> Result<Option<ReindexOutcome>, Error> {
        // Embeddings by text, because another attempt may need the same ones.
        let mut embeddings = HashMap::new();
        for _ in 0..ATTEMPTS {
            let Some(stored) = self.reader.read_document(id, self.with_embeddings).await? else {
                return Ok(None);
            };
            *uri = Some(stored.uri.clone());
            let (splitter, embeds) = (self.job.splitter.clone(), self.job.embedder.is_some());
            let resplit = run_blocking(move || resplit(&splitter, stored, embeds)).await?;
            let Some(resplit) = resplit else { return Ok(Some(ReindexOutcome::Left)) };
            let outcome = ReindexOutcome::of(&resplit);
            if outcome == ReindexOutcome::Unchanged || self.job.dry_run {
                return Ok(Some(outcome));
            }
            if let Some(embedder) = &self.job.embedder {
                let texts: Vec<_> =
                    resplit.missing().filter(|(_, text)| !embeddings.contains_key(text)).collect();
                let text_of: HashMap<usize, String> = texts.iter().cloned().collect();
                embed_texts(Arc::clone(embedder), texts.into_iter(), |number, embedding| {
                    embeddings.insert(text_of[&number].clone(), embedding);
                    *embedded += 1;
                    (self.report)(&ReindexEvent::Embedded(1));
                })
                .await?;
            }
            let new = resplit.missing();
            let new = new.filter_map(|(number, text)| Some((number, &embeddings.get(&text)?[..])));
            let document = resplit.document(&new.collect(), None);
            match self.writer.lock().await.rewrite(&document).await? {
                WriteOutcome::Written => return Ok(Some(outcome)),
                WriteOutcome::Conflict => {}
            }
        }
        Err(store::Error::Contended(uri.take().unwrap_or_default()).into())
    }
}
