/*!
Filling: embeddings for chunks that have none, whoever wrote them.

An application that loads by SQL writes text, and a worker that runs this supplies the vectors, once
or for good. Any number of workers may run: each claims chunks before it embeds them, so none does
what another does. What was embedded is written every few chunks, so a worker that ends, in
whatever way, loses little, and the next one goes on from there.
*/

use crate::Error;
use crate::embed::{self, Embedder, Embedding};
use crate::store::{self, ClaimCursor, Store, UnembeddedChunk};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How many chunks are claimed at a time, and written at a time.
const CLAIM: u32 = 32;

/// How long what is embedded may wait to be written.
const UNWRITTEN: Duration = Duration::from_secs(1);

/// How many chunks are under way: several requests of a service, some seconds of a model here.
const UNDER_WAY: usize = 256;

/// A look through a store that finds nothing is not made again before so many times its own time.
const REST: u32 = 20;

/// What to fill, and with what.
#[derive(Clone)]
pub struct Fill {
    /// The server, as libpq takes it.
    pub url: String,
    /// The store.
    pub store: String,
    /// The collection; `None` for all.
    pub collection: Option<String>,
    /// What embeds.
    pub embedder: Arc<Embedder>,
    /// How often to look for new chunks when all are embedded; `None` to end then.
    pub follow: Option<Duration>,
}

/// What happens while a store is filled.
#[derive(Debug)]
pub enum FillEvent {
    /// So many chunks have no embedding.
    Missing(u64),
    /// So many more have one.
    Embedded(u64),
    /// All have one, and new chunks are waited for.
    Waiting,
    /// Something failed that may be otherwise in a while, and that is waited for.
    Interrupted(Error),
}

/// Embeds chunks that have no embedding, until there are none, or with `follow` until `stop`.
/// Returns how many were embedded.
///
/// `stop` is heard at any moment: what was embedded by then is written, and the rest given back.
///
/// # Errors
///
/// A store without embeddings, or of another model; missing rights; and without `follow` a server
/// or a service that does not answer.
pub async fn fill(
    fill: Fill,
    stop: impl Future<Output = ()>,
    report: impl Fn(&FillEvent),
) -> Result<u64, Error> {
    let mut stop = std::pin::pin!(stop);
    let mut written = 0;
    loop {
        let worker = Worker { fill: &fill, report: &report, written: &mut written };
        match worker.run(&mut stop).await {
            Err(error) if is_passing(&error) && fill.follow.is_some() => {
                report(&FillEvent::Interrupted(error));
                let pause = tokio::time::sleep(fill.follow.unwrap_or_default());
                tokio::select! { () = &mut stop => return Ok(written), () = pause => {} }
            }
            Err(error) => return Err(error),
            Ok(()) => return Ok(written),
        }
    }
}

fn is_passing(error: &Error) -> bool {
    match error {
        Error::Model(error) => error.is_transient(),
        Error::Store(error) => error.is_transient(),
        _ => false,
    }
}

struct Worker<'a, R> {
    fill: &'a Fill,
    report: &'a R,
    written: &'a mut u64,
}

/// A chunk, and what its embedding came to.
type Embedded = (UnembeddedChunk, Result<Embedding, embed::Error>);

impl<R: Fn(&FillEvent)> Worker<'_, R> {
    /// Passes through the store until a pass finds nothing, and then again and again if asked to.
    async fn run(mut self, stop: &mut (impl Future<Output = ()> + Unpin)) -> Result<(), Error> {
        let Fill { url, store, collection, embedder, follow } = self.fill;
        let mut store = Store::connect(url, store).await?;
        store.expect_identity(store.identity().await?);
        store.record_model(&(embedder.name().to_owned(), embedder.dimensions())).await?;
        (self.report)(&FillEvent::Missing(store.count_unembedded(collection.as_deref()).await?));
        loop {
            let before = store.activity().await?;
            let begun = Instant::now();
            let found = tokio::select! {
                biased;
                () = &mut *stop => return Ok(()),
                first = self.first(&store) => first?,
            };
            if let Some((place, chunks)) = found {
                if self.pass(&mut store, place, chunks, stop).await? {
                    return Ok(());
                }
                continue;
            }
            let Some(interval) = *follow else { return Ok(()) };
            (self.report)(&FillEvent::Waiting);
            let rested = Instant::now() + begun.elapsed() * REST;
            loop {
                let pause = tokio::time::sleep(interval);
                tokio::select! {
                    biased;
                    () = &mut *stop => return Ok(()),
                    () = store.lost() => return Err(store::Error::Lost.into()),
                    () = pause => {}
                }
                if Instant::now() > rested || store.activity().await? != before {
                    break;
                }
            }
        }
    }

    /// Claims the first chunks that there are to embed.
    async fn first(
        &self,
        store: &Store,
    ) -> Result<Option<(ClaimCursor, Vec<UnembeddedChunk>)>, Error> {
        let mut place = ClaimCursor::default();
        while let Some(chunks) =
            store.claim(&mut place, CLAIM, self.fill.collection.as_deref()).await?
        {
            if !chunks.is_empty() {
                return Ok(Some((place, chunks)));
            }
        }
        Ok(None)
    }

    /// Goes through the rest of the store; tells whether it was stopped.
    async fn pass(
        &mut self,
        store: &mut Store,
        mut place: ClaimCursor,
        first: Vec<UnembeddedChunk>,
        stop: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<bool, Error> {
        let (sender, mut embedded) = mpsc::unbounded_channel();
        let mut under_way = first.len();
        self.submit(first, &sender);
        let mut done = Vec::new();
        let (mut is_more, mut first_done) = (true, Instant::now());
        while under_way > 0 {
            while is_more && under_way < UNDER_WAY {
                let collection = self.fill.collection.as_deref();
                match store.claim(&mut place, CLAIM, collection).await? {
                    Some(chunks) => {
                        under_way += chunks.len();
                        self.submit(chunks, &sender);
                    }
                    None => is_more = false,
                }
            }
            let next: Option<Embedded> = tokio::select! {
                biased;
                () = &mut *stop => {
                    self.write(store, &mut done).await?;
                    return Ok(true);
                }
                // The claims are gone with it: others may have these chunks by now.
                () = store.lost() => return Err(store::Error::Lost.into()),
                next = embedded.recv() => next,
                () = tokio::time::sleep_until((first_done + UNWRITTEN).into()), if !done.is_empty() => {
                    self.write(store, &mut done).await?;
                    continue;
                }
            };
            let (chunk, embedding) = next.expect("this function has a sender, too");
            under_way -= 1;
            match embedding {
                Ok(embedding) => done.push((chunk, embedding)),
                Err(error) => {
                    // The connection is given up, and with it what else is claimed.
                    self.write(store, &mut done).await?;
                    return Err(error.into());
                }
            }
            if done.len() == 1 {
                first_done = Instant::now();
            }
            if done.len() >= CLAIM as usize || under_way == 0 {
                self.write(store, &mut done).await?;
            }
        }
        Ok(false)
    }

    /// Hands chunks over to be embedded, each of which comes back by the channel.
    fn submit(&self, chunks: Vec<UnembeddedChunk>, sender: &mpsc::UnboundedSender<Embedded>) {
        let (embedder, sender) = (Arc::clone(&self.fill.embedder), sender.clone());
        tokio::spawn(async move {
            let submitting = tokio::task::spawn_blocking(move || {
                let submit = |chunk: UnembeddedChunk| {
                    let pending = embedder.submit(chunk.text.clone());
                    (chunk, pending)
                };
                chunks.into_iter().map(submit).collect::<Vec<_>>()
            });
            let Ok(pending) = submitting.await else { return };
            for (chunk, pending) in pending {
                if sender.send((chunk, pending.wait().await)).is_err() {
                    return;
                }
            }
        });
    }

    async fn write(
        &mut self,
        store: &mut Store,
        done: &mut Vec<(UnembeddedChunk, Embedding)>,
    ) -> Result<(), store::Error> {
        if done.is_empty() {
            return Ok(());
        }
        let written = store.write_embeddings(done).await?;
        *self.written += written;
        (self.report)(&FillEvent::Embedded(written));
        done.clear();
        Ok(())
    }
}
