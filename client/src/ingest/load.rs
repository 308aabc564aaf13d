/*!
Loading: documents that are ready, on their way into the store.

A transaction costs the server about as much as the rows of a small document, so documents that
are ready at the same time share one; a document never waits for another to become ready. What
the server refuses of several is tried again one by one, so that each fails for its own sake.
*/

use super::document::Prepared;
use super::run::Run;
use crate::Error;
use crate::store::{self, Store, WriteOutcome};
use std::sync::Arc;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinSet;

/// The most documents of a transaction: what it costs is then little beside their rows.
const DOCUMENTS: usize = 64;

/// About the most bytes of text in a transaction of several documents.
const BYTES: usize = 1024 * 1024;

/// A document, and who waits for it to be loaded.
pub(super) struct Loading {
    ready: Prepared,
    reply: oneshot::Sender<(Prepared, Result<WriteOutcome, Error>)>,
}

/// Where documents are handed over.
pub(super) struct Loader(Sender<Loading>);

impl Loader {
    /// Makes a queue of as many documents as share a transaction.
    pub(super) fn new() -> (Self, Receiver<Loading>) {
        let (queue, loading) = mpsc::channel(DOCUMENTS);
        (Self(queue), loading)
    }

    /// Loads a document and gives it back, with what became of it.
    pub(super) async fn load(&self, ready: Prepared) -> Result<(Prepared, WriteOutcome), Error> {
        let (reply, loaded) = oneshot::channel();
        // Without a writer the reply is dropped with the document.
        drop(self.0.send(Loading { ready, reply }).await);
        let (ready, written) = loaded.await.map_err(|_| store::Error::Lost)?;
        Ok((ready, written?))
    }
}

/// Starts a writer on each connection; they end when they are dropped.
pub(super) fn start(run: &Arc<Run>, stores: Vec<Store>, loading: Receiver<Loading>) -> JoinSet<()> {
    let loading = Arc::new(Mutex::new(loading));
    let write = |store| write(Arc::clone(run), store, Arc::clone(&loading));
    stores.into_iter().map(write).collect()
}

async fn write(run: Arc<Run>, mut store: Store, loading: Arc<Mutex<Receiver<Loading>>>) {
    loop {
        let batch = next(&mut *loading.lock().await).await;
        if batch.is_empty() {
            return;
        }
        let (batch, replies): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|Loading { ready, reply }| (ready, reply)).unzip();
        let documents: Vec<_> = batch.iter().map(|ready| ready.document(&run)).collect();
        let written: Vec<Result<WriteOutcome, Error>> = match store.write(&documents).await {
            Ok(written) => written.into_iter().map(Ok).collect(),
            Err(error) if documents.len() == 1 => vec![Err(error.into())],
            Err(_) => {
                let mut written = Vec::with_capacity(documents.len());
                for document in &documents {
                    let one = store.write(std::slice::from_ref(document)).await;
                    written.push(one.map(|one| one[0]).map_err(Error::from));
                }
                written
            }
        };
        drop(documents);
        for ((ready, reply), written) in batch.into_iter().zip(replies).zip(written) {
            // Nobody waits for it any more when a run was broken off.
            let _ = reply.send((ready, written));
        }
    }
}

/// Waits for a document, and takes those that are ready too.
async fn next(loading: &mut Receiver<Loading>) -> Vec<Loading> {
    let mut batch: Vec<Loading> = loading.recv().await.into_iter().collect();
    let mut bytes = 0;
    while let Some(last) = batch.last() {
        bytes += last.ready.bytes();
        if batch.len() == DOCUMENTS || bytes >= BYTES {
            break;
        }
        let Ok(next) = loading.try_recv() else { break };
        batch.push(next);
    }
    batch
}
