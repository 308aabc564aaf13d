/*!
Reindexing a collection in place.

A document that others change while it is at work is read again, and one that is as it would be
made is not written.
*/

use super::{AHEAD, Reindex, ReindexEvent, Reindexed, Remade, remake};
use crate::Error;
use crate::ingest::agree::{agree, jobs};
use crate::ingest::run::blocking;
use crate::ingest::vectors;
use crate::store::{self, Store, WriteOutcome};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;
use uuid::Uuid;

/// How often a document is tried when others write it at the same time.
const ATTEMPTS: usize = 32;

struct Run<R> {
    job: Reindex,
    with_embeddings: bool,
    reader: Store,
    writer: Mutex<Store>,
    report: R,
}

/// Splits and embeds the documents of a collection anew, each in place and in one transaction.
///
/// # Errors
///
/// A store of another role or another model, a collection without documents, and what fails for one document as
/// for all: a server that is lost, missing rights. What was done by then stays.
pub async fn reindex(
    job: Reindex,
    report: impl Fn(&ReindexEvent) + Sync,
) -> Result<Reindexed, Error> {
    let mut reader = Store::connect(&job.url, &job.store).await?;
    reader.must_be_owned().await?;
    let identity = reader.identity().await?;
    let ids = reader.document_ids(Some(&job.collection), job.version.as_deref()).await?;
    if ids.is_empty() {
        return Err(store::Error::NoCollection(job.collection).into());
    }
    let with_embeddings = reader
        .in_owned_transaction(agree(&reader, job.embedder.as_deref(), &job.splitter, job.dry_run))
        .await?;
    let mut writer = Store::connect(&job.url, &job.store).await?;
    writer.expect_identity(identity);
    writer.enable_bulk_writes();
    let jobs = jobs(job.jobs);
    report(&ReindexEvent::Found(ids.len()));

    let run = Run { job, with_embeddings, reader, writer: Mutex::new(writer), report };
    let mut summary = Reindexed::default();
    let mut done = stream::iter(ids).map(|id| run.document(id)).buffer_unordered(jobs + AHEAD);
    while let Some(document) = done.next().await {
        let Document { uri, embedded, remade } = document;
        summary.embedded += embedded;
        match remade {
            Ok(Some(remade)) => {
                summary.count(remade);
                (run.report)(&ReindexEvent::Done { uri: uri.unwrap_or_default(), remade });
            }
            // Somebody has removed it.
            Ok(None) => {}
            Err(error) if error.is_fatal() => return Err(error),
            Err(error) => {
                summary.failed += 1;
                (run.report)(&ReindexEvent::Failed { uri, error });
            }
        }
    }
    drop(done);
    if summary.rewritten > 0 && !run.job.dry_run {
        run.writer.into_inner().flush().await?;
    }
    Ok(summary)
}

/// A document that is done.
struct Document {
    uri: Option<String>,
    embedded: usize,
    remade: Result<Option<Remade>, Error>,
}

impl<R: Fn(&ReindexEvent)> Run<R> {
    async fn document(&self, id: Uuid) -> Document {
        let (mut uri, mut embedded) = (None, 0);
        let remade = self.remake(id, &mut uri, &mut embedded).await;
        Document { uri, embedded, remade }
    }

    /// Makes a document anew; `None` if it is gone.
    async fn remake(
        &self,
        id: Uuid,
        uri: &mut Option<String>,
        embedded: &mut usize,
    ) -> Result<Option<Remade>, Error> {
        // By what was embedded: another reading may want the same once more.
        let mut embeddings = HashMap::new();
        for _ in 0..ATTEMPTS {
            let Some(stored) = self.reader.read_document(id, self.with_embeddings).await? else {
                return Ok(None);
            };
            *uri = Some(stored.uri.clone());
            let (splitter, embeds) = (self.job.splitter.clone(), self.job.embedder.is_some());
            let made = blocking(move || remake::remake(&splitter, stored, embeds)).await?;
            let Some(made) = made else { return Ok(Some(Remade::Left)) };
            if !made.differs() {
                return Ok(Some(Remade::Unchanged));
            }
            let (chunks, kept) = (made.chunks(), made.kept());
            if self.job.dry_run {
                return Ok(Some(Remade::Rewritten { chunks, kept }));
            }
            if let Some(embedder) = &self.job.embedder {
                let texts: Vec<_> =
                    made.missing().filter(|(_, text)| !embeddings.contains_key(text)).collect();
                let wanted: HashMap<usize, String> = texts.iter().cloned().collect();
                vectors::embed(Arc::clone(embedder), texts.into_iter(), |number, embedding| {
                    embeddings.insert(wanted[&number].clone(), embedding);
                    *embedded += 1;
                    (self.report)(&ReindexEvent::Embedded(1));
                })
                .await?;
            }
            let new = made.missing();
            let new = new.filter_map(|(number, text)| Some((number, &embeddings.get(&text)?[..])));
            let document = made.document(&new.collect(), self.with_embeddings);
            match self.writer.lock().await.rewrite(made.stored(), &document).await? {
                WriteOutcome::Written => return Ok(Some(Remade::Rewritten { chunks, kept })),
                WriteOutcome::Conflict => {}
            }
        }
        Err(store::Error::Contended(uri.take().unwrap_or_default()).into())
    }
}
