/*!
Fill: embeds chunks that have no embedding, whoever wrote them.

An application that loads by SQL writes the text, and a worker that runs [`fill`] adds the
embeddings, once or continuously. Any number of workers may run. Each claims chunks before it embeds
them, so no chunk is embedded twice. A worker writes embeddings every few chunks. If it ends or
crashes, little work is lost, and another worker continues: a worker ends only when no chunk is missing, also
none that another worker has claimed.

Before each scan, a worker splits source code by its syntax that SQL stored as plain text (`marked`).
*/

use super::Job;
use super::marked::MarkedDocuments;
use crate::Error;
use crate::embed::{self, Embedder, Embedding, EmbeddingKind};
use crate::serve::embedding_model;
use crate::store::{self, Changed, ClaimCursor, Notice, Store, UnembeddedChunk};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use uuid::Uuid;

/// The number of chunks that are claimed at a time, and written at a time.
const CLAIM: u32 = 32;

/// The longest time between embedding a chunk and writing it.
const WRITE_DELAY: Duration = Duration::from_secs(1);

/// The maximum number of claimed chunks: several requests of a service, or some seconds of a model in this
/// process.
const CLAIMED: usize = 256;

/// The maximum number of claimed chunks behind a busy pooler. They are written together, because other workers may take claimed
/// chunks while this one waits for a connection to the server.
const CLAIMED_IF_BUSY: usize = 64;

/// The longest time that a worker behind a pooler keeps its claims, and with them a connection to the server.
const CLAIM_TIME: Duration = Duration::from_secs(1);

/// The shortest pause of a worker while other workers embed the last chunks.
const OTHERS_PAUSE: Duration = Duration::from_millis(200);

/// After a scan that found nothing, the next one waits for at least this many times its duration.
const REST: u32 = 20;

/// A job that embeds stored chunks without embeddings.
#[derive(Clone)]
pub struct Fill {
    /// The store and the model. The splitter is not used: a document is split with its own sizes.
    pub job: Job,
    /// The collection; `None` for all.
    pub collection: Option<String>,
    /// The time between two scans for new chunks when all are embedded; `None` to end then.
    pub follow: Option<Duration>,
}

/// An event of [`fill`].
#[derive(Debug)]
pub enum FillEvent {
    /// The number of chunks without an embedding.
    Missing(u64),
    /// The number of documents that SQL stored as plain text, and that have just been split by their
    /// syntax.
    Split(u64),
    /// A document that keeps the chunks of plain text: its uri and the error.
    NotSplit(String, Error),
    /// The number of chunks that have just been written with an embedding.
    Embedded(u64),
    /// All chunks are embedded, and the worker waits for new ones.
    Waiting,
    /// The planner's statistics are not updated after many new embeddings: the cause and the remedy.
    NotAnalyzed(Notice),
    /// A temporary error. The worker tries again after the `follow` interval.
    Interrupted(Error),
}

/// Embeds chunks that have no embedding until there are none, or with `follow` until `stop`.
/// Returns the number of chunks embedded.
///
/// `stop` may complete at any moment: `fill` then writes the finished embeddings, releases its
/// claims and returns. A job without an embedder embeds nothing. A dry run only reports
/// [`FillEvent::Missing`].
///
/// # Errors
///
/// Returns an error for a store without embeddings or of another model, and for missing privileges.
/// Without `follow`, also for a server or a service that does not answer.
///
/// # Examples
///
/// ```no_run
/// use passage::embed::{Model, Pool};
/// use passage::ingest::{Fill, Job, fill};
/// use std::{future, path::Path, sync::Arc};
///
/// # async fn run() -> Result<(), passage::Error> {
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// let embedder = Some(Arc::new(Pool::new(&model, None)?.into()));
/// let job = Job { embedder, ..Job::new("postgresql:///library", "rag") };
/// let settings = Fill { job, collection: None, follow: None };
/// let embedded = fill(settings, future::pending(), |_| {}).await?;
/// println!("{embedded} chunks embedded");
/// # Ok(())
/// # }
/// ```
pub async fn fill(
    fill: Fill,
    stop: impl Future<Output = ()>,
    report: impl Fn(&FillEvent),
) -> Result<u64, Error> {
    if fill.job.embedder.is_none() {
        return Ok(0);
    }
    let mut stop = std::pin::pin!(stop);
    let mut written = 0;
    loop {
        match run(&fill, &report, &mut written, &mut stop).await {
            Err(error) if is_temporary(&error) && fill.follow.is_some() => {
                report(&FillEvent::Interrupted(error));
                let pause = tokio::time::sleep(fill.follow.unwrap_or_default());
                tokio::select! { () = &mut stop => return Ok(written), () = pause => {} }
            }
            Err(error) => return Err(error),
            Ok(()) => return Ok(written),
        }
    }
}

/// Connects to the store, and scans it with an embedder that embeds as its chunks were embedded.
async fn run(
    fill: &Fill,
    report: &impl Fn(&FillEvent),
    written: &mut u64,
    stop: &mut (impl Future<Output = ()> + Unpin),
) -> Result<(), Error> {
    let mut store = fill.job.connect().await?;
    store.expect_identity(store.identity().await?);
    store.must_take_embeddings().await?;
    let job = fill.job.clone().for_store(&store).await?;
    let Some(embedder) = &job.embedder else { return Ok(()) };
    Worker { fill, embedder, report, written }.run(store, stop).await
}

fn is_temporary(error: &Error) -> bool {
    match error {
        Error::Model(error) => error.is_transient(),
        Error::Store(error) => error.is_transient(),
        _ => false,
    }
}

struct Worker<'a, R> {
    fill: &'a Fill,
    embedder: &'a Arc<Embedder>,
    report: &'a R,
    written: &'a mut u64,
}

/// The first chunks that a scan of the store finds.
enum First {
    /// They are claimed now.
    Claimed(ClaimCursor, Vec<UnembeddedChunk>),
    /// Other workers have claimed all.
    OfOthers,
    /// Each chunk has an embedding.
    None,
}

/// When a scan claims and writes.
struct Pace {
    /// Whether the scan has not reached the end of the store.
    has_more: bool,
    /// Whether it writes all claimed chunks together, and then claims the next ones.
    by_group: bool,
    /// Whether it may claim more chunks now.
    may_claim: bool,
    /// When the transaction with the claims began.
    claimed_at: Instant,
}

impl Pace {
    fn begin(&mut self, store: &Store) {
        self.by_group = store.is_pool_busy();
        self.may_claim = true;
        self.claimed_at = Instant::now();
    }

    /// Returns the maximum number of claimed chunks.
    fn max_claimed(&self) -> usize {
        if self.by_group { CLAIMED_IF_BUSY } else { CLAIMED }
    }
}

/// A chunk, and its embedding or the error.
type Embedded = (UnembeddedChunk, Result<Embedding, embed::Error>);

impl<R: Fn(&FillEvent)> Worker<'_, R> {
    /// Scans the store until a scan finds nothing; with `follow`, scans again after each interval.
    async fn run(
        mut self,
        mut store: Store,
        stop: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<(), Error> {
        let Fill { job, collection, follow } = self.fill;
        let model = embedding_model(self.embedder);
        if job.dry_run {
            store.check_model(&model).await?;
        } else {
            store.record_model(&model).await?;
        }
        let mut marked = MarkedDocuments::default();
        if !job.dry_run {
            self.split_marked(&mut store, &mut marked).await?;
        }
        (self.report)(&FillEvent::Missing(store.count_unembedded(collection.as_deref()).await?));
        if job.dry_run {
            return Ok(());
        }
        let mut is_noted = false;
        loop {
            let activity = store.activity().await?;
            let started = Instant::now();
            self.split_marked(&mut store, &mut marked).await?;
            let claimed = tokio::select! {
                biased;
                () = &mut *stop => return Ok(()),
                claimed = self.claim_first(&mut store) => claimed?,
            };
            if let First::Claimed(cursor, chunks) = claimed {
                let before = *self.written;
                if self.scan(&mut store, cursor, chunks, stop).await? {
                    return Ok(());
                }
                let embedded = (*self.written - before) as usize;
                let note = store.analyze_after(Changed::Embeddings, embedded).await?;
                if let Some(note) = note.filter(|_| !is_noted) {
                    (self.report)(&FillEvent::NotAnalyzed(note));
                    is_noted = true;
                }
                continue;
            }
            let Some(interval) = *follow else {
                if let First::None = claimed {
                    return Ok(());
                }
                let pause = tokio::time::sleep(OTHERS_PAUSE.max(started.elapsed() * REST));
                tokio::select! { () = &mut *stop => return Ok(()), () = pause => continue }
            };
            (self.report)(&FillEvent::Waiting);
            let rest_end = Instant::now() + started.elapsed() * REST;
            loop {
                let pause = tokio::time::sleep(interval);
                tokio::select! {
                    biased;
                    () = &mut *stop => return Ok(()),
                    () = store.lost() => return Err(store::Error::Lost.into()),
                    () = pause => {}
                }
                if Instant::now() > rest_end || store.activity().await? != activity {
                    break;
                }
            }
        }
    }

    /// Splits the documents that SQL stored as plain text.
    async fn split_marked(
        &self,
        store: &mut Store,
        marked: &mut MarkedDocuments,
    ) -> Result<(), Error> {
        let fail = |uri, error| (self.report)(&FillEvent::NotSplit(uri, error));
        let split = marked.split_all(store, self.fill.collection.as_deref(), fail).await?;
        if split > 0 {
            (self.report)(&FillEvent::Split(split));
        }
        Ok(())
    }

    /// Claims the first chunks without an embedding.
    async fn claim_first(&self, store: &mut Store) -> Result<First, Error> {
        let mut first = First::None;
        for mut cursor in store.claim_cursors() {
            while let Some(chunks) =
                store.claim(&mut cursor, CLAIM, self.fill.collection.as_deref()).await?
            {
                if !chunks.is_empty() {
                    return Ok(First::Claimed(cursor, chunks));
                }
                first = First::OfOthers;
            }
        }
        store.end_claims().await?;
        Ok(first)
    }

    /// Embeds the first chunks and the rest of the store. Returns whether it was stopped.
    async fn scan(
        &mut self,
        store: &mut Store,
        mut cursor: ClaimCursor,
        first: Vec<UnembeddedChunk>,
        stop: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<bool, Error> {
        let (sender, mut embedded) = mpsc::unbounded_channel();
        let mut claimed: HashSet<Uuid> = first.iter().map(|chunk| chunk.id).collect();
        self.submit(first, &sender);
        let mut done = Vec::new();
        let claimed_at = Instant::now();
        let mut pace = Pace { has_more: true, by_group: false, may_claim: true, claimed_at };
        pace.begin(store);
        let mut first_done = Instant::now();
        loop {
            while pace.has_more && pace.may_claim && claimed.len() < pace.max_claimed() {
                let collection = self.fill.collection.as_deref();
                match store.claim(&mut cursor, CLAIM, collection).await? {
                    Some(chunks) => {
                        claimed.extend(chunks.iter().map(|chunk| chunk.id));
                        self.submit(chunks, &sender);
                    }
                    None => pace.has_more = false,
                }
            }
            if claimed.is_empty() {
                break;
            }
            pace.may_claim = !pace.by_group;
            let next: Option<Embedded> = tokio::select! {
                biased;
                () = &mut *stop => {
                    self.write(store, &mut done).await?;
                    store.end_claims().await?;
                    return Ok(true);
                }
                // The claims end with the connection, so other workers may have these chunks by
                // now.
                () = store.lost() => return Err(store::Error::Lost.into()),
                next = embedded.recv() => next,
                () = tokio::time::sleep_until((first_done + WRITE_DELAY).into()), if !done.is_empty() => None,
                () = tokio::time::sleep_until((pace.claimed_at + CLAIM_TIME).into()), if store.must_renew_claims() => None,
            };
            let Some((chunk, embedding)) = next else {
                self.write_and_renew(store, &mut done, &claimed, &mut pace).await?;
                continue;
            };
            claimed.remove(&chunk.id);
            match embedding {
                Ok(embedding) => done.push((chunk, embedding)),
                Err(error) => {
                    // The caller drops the connection, and with it all other claims.
                    self.write(store, &mut done).await?;
                    return Err(error.into());
                }
            }
            if done.len() == 1 {
                first_done = Instant::now();
            }
            if done.len() >= CLAIM as usize && !pace.by_group || claimed.is_empty() {
                self.write_and_renew(store, &mut done, &claimed, &mut pace).await?;
            }
        }
        store.end_claims().await?;
        Ok(false)
    }

    /// Submits chunks to the embedder. Each one is sent to the channel when it is embedded, whether the others are or not.
    fn submit(&self, chunks: Vec<UnembeddedChunk>, sender: &mpsc::UnboundedSender<Embedded>) {
        let (embedder, sender) = (Arc::clone(self.embedder), sender.clone());
        tokio::task::spawn_blocking(move || {
            for chunk in chunks {
                if sender.is_closed() {
                    return;
                }
                let pending = embedder.submit(EmbeddingKind::Document, chunk.text.clone());
                let sender = sender.clone();
                tokio::spawn(async move {
                    // The receiver is dropped if the scan ended.
                    let _ = sender.send((chunk, pending.wait().await));
                });
            }
        });
    }

    /// Writes the finished embeddings, and renews the claims of the other chunks if a transaction holds them.
    async fn write_and_renew(
        &mut self,
        store: &mut Store,
        done: &mut Vec<(UnembeddedChunk, Embedding)>,
        claimed: &HashSet<Uuid>,
        pace: &mut Pace,
    ) -> Result<(), store::Error> {
        let finished = done.len() as u64;
        let is_shared = self.write(store, done).await? < finished;
        if store.must_renew_claims() {
            let claimed: Vec<Uuid> = claimed.iter().copied().collect();
            store.renew_claims(&claimed).await?;
            // Another worker embeds the same chunks. The next scan begins elsewhere.
            pace.has_more &= !is_shared;
            let waits_for_others = pace.by_group && !claimed.is_empty();
            pace.begin(store);
            pace.may_claim = !waits_for_others;
        }
        Ok(())
    }

    /// Returns the number of embeddings written.
    async fn write(
        &mut self,
        store: &mut Store,
        done: &mut Vec<(UnembeddedChunk, Embedding)>,
    ) -> Result<u64, store::Error> {
        if done.is_empty() {
            return Ok(0);
        }
        let written = store.write_embeddings(done).await?;
        *self.written += written;
        (self.report)(&FillEvent::Embedded(written));
        done.clear();
        Ok(written)
    }
}
