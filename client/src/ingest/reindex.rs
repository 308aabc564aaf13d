/*!
Reindexing: the documents of a collection, split and embedded anew from their stored texts.

Each is written in place, in one transaction, under a lock on its rows alone: readers see it as it
was or as it is, and never wait. Chunks that come out the same keep their ids and embeddings. A
document that others change while it is at work is read again, and one that is as it would be made
is not written, so that a run after one that was broken off does what is left.
*/

mod remake;

use super::run::blocking;
use super::vectors;
use crate::Error;
use crate::embed::Embedder;
use crate::split::Splitter;
use crate::store::{self, Settings, Store, Written};
use futures_util::{StreamExt, stream};
use passage_core::SPLITTER_VERSION;
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use tokio::sync::Mutex;
use uuid::Uuid;

/// How often a document is tried when others write it at the same time.
const ATTEMPTS: usize = 32;

/// Documents under way beside the number of jobs, so that the model never waits for the server.
const AHEAD: usize = 2;

/// What to reindex, and with what.
#[derive(Clone)]
pub struct Reindex {
    /// The server, as libpq takes it.
    pub url: String,
    /// The store.
    pub store: String,
    /// The collection, which may be empty.
    pub collection: String,
    /// The version; `None` for all.
    pub version: Option<String>,
    /// What splits.
    pub splitter: Splitter,
    /// What embeds; `None` for text only.
    pub embedder: Option<Arc<Embedder>>,
    /// How many documents are split at a time; by default one on each core.
    pub jobs: Option<NonZero<usize>>,
    /// Whether to find out only what would change; then nothing is embedded or written.
    pub dry_run: bool,
}

/// What happens while a collection is reindexed.
#[derive(Debug)]
pub enum ReindexEvent {
    /// There are so many documents.
    Found(usize),
    /// One more chunk is embedded.
    Embedded,
    /// A document is done.
    Done {
        /// Its uri.
        uri: String,
        /// What became of it.
        remade: Remade,
    },
    /// A document cannot be split or written, and is as it was.
    Failed {
        /// Its uri, where it could be read.
        uri: Option<String>,
        /// Why.
        error: Error,
    },
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remade {
    /// It has other chunks than before, or other embeddings.
    Rewritten {
        /// How many chunks it has.
        chunks: usize,
        /// How many of them it had before.
        kept: usize,
    },
    /// It is as it would be made.
    Unchanged,
    /// Its chunks were loaded as they are, and it is not known that they are the whole text.
    Left,
}

/// What became of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// Documents that were written.
    pub rewritten: usize,
    /// Those that are as they would be made.
    pub unchanged: usize,
    /// Those that keep the chunks that they were loaded with.
    pub left: usize,
    /// Those that could not be written.
    pub failed: usize,
    /// Chunks of the documents that were written.
    pub chunks: usize,
    /// How many of these they had before.
    pub kept: usize,
    /// Chunks that were embedded.
    pub embedded: usize,
}

impl Reindexed {
    fn count(&mut self, remade: Remade) {
        match remade {
            Remade::Rewritten { chunks, kept } => {
                self.rewritten += 1;
                self.chunks += chunks;
                self.kept += kept;
            }
            Remade::Unchanged => self.unchanged += 1,
            Remade::Left => self.left += 1,
        }
    }
}

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
/// A store of another model, a collection without documents, and what fails for one document as
/// for all: a server that is lost, missing rights. What was done by then stays.
pub async fn reindex(
    job: Reindex,
    report: impl Fn(&ReindexEvent) + Sync,
) -> Result<Reindexed, Error> {
    let reader = Store::connect(&job.url, &job.store).await?;
    let ids = reader.ids(&job.collection, job.version.as_deref()).await?;
    if ids.is_empty() {
        return Err(store::Error::NoCollection(job.collection).into());
    }
    let model = job.embedder.as_ref().map(|model| (model.name().to_owned(), model.dimensions()));
    let settings =
        Settings { model, sizer: job.splitter.unit().name(), splitter_version: SPLITTER_VERSION };
    let with_embeddings = match (job.dry_run, &settings.model) {
        (false, _) => reader.agree(&settings).await?,
        (true, Some(model)) => reader.check_model(model).await.map(|_| true)?,
        (true, None) => reader.has_embeddings().await?,
    };
    let writer = Store::connect(&job.url, &job.store).await?;
    writer.write_many().await?;
    let jobs = job.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
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
            let Some(stored) = self.reader.stored(id, self.with_embeddings).await? else {
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
                    (self.report)(&ReindexEvent::Embedded);
                })
                .await?;
            }
            let document = made.document(&embeddings, self.with_embeddings);
            match self.writer.lock().await.rewrite(made.stored(), &document).await? {
                Written::Done => return Ok(Some(Remade::Rewritten { chunks, kept })),
                Written::Changed => {}
            }
        }
        Err(store::Error::Contended(uri.take().unwrap_or_default()).into())
    }
}
