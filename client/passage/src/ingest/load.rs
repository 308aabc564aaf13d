/*!
Writing documents: writers take prepared documents from a queue and share transactions.

A transaction costs the server about as much as the rows of a small document. So documents that are
ready at the same time are written in one transaction. A document never waits for another one to
become ready. If the server refuses a transaction of several documents, each of them is tried alone,
so that only the cause of the error fails.
*/

use super::Ingest;
use super::prepared::Prepared;
use crate::Error;
use crate::store::{self, Store, WriteOutcome};
use std::sync::Arc;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinSet;

/// The maximum number of documents in a transaction. The cost of the transaction is then small beside that of
/// the rows.
const DOCUMENTS: usize = 64;

/// The approximate number of bytes of text after which a transaction takes no more documents.
const BYTES: usize = 1024 * 1024;

/// A document in the queue of the writers, and the channel for its result.
pub(super) struct LoadRequest {
    prepared: Prepared,
    reply: oneshot::Sender<(Prepared, Result<WriteOutcome, Error>)>,
}

/// The sending end of the queue of the writers.
pub(super) struct Loader(Sender<LoadRequest>);

impl Loader {
    /// Makes a queue with room for the documents of one transaction.
    pub(super) fn new() -> (Self, Receiver<LoadRequest>) {
        let (queue, requests) = mpsc::channel(DOCUMENTS);
        (Self(queue), requests)
    }

    /// Writes a document, and returns it with the result.
    pub(super) async fn load(&self, prepared: Prepared) -> Result<(Prepared, WriteOutcome), Error> {
        let (reply, loaded) = oneshot::channel();
        // Without a writer, the reply is dropped with the request.
        drop(self.0.send(LoadRequest { prepared, reply }).await);
        let (prepared, written) = loaded.await.map_err(|_| store::Error::Lost)?;
        Ok((prepared, written?))
    }
}

/// Starts a writer for each connection. Dropping the set ends them.
pub(super) fn start(
    ingest: &Arc<Ingest>,
    stores: Vec<Store>,
    requests: Receiver<LoadRequest>,
) -> JoinSet<()> {
    let requests = Arc::new(Mutex::new(requests));
    let write = |store| write_batches(Arc::clone(ingest), store, Arc::clone(&requests));
    stores.into_iter().map(write).collect()
}

async fn write_batches(
    ingest: Arc<Ingest>,
    mut store: Store,
    requests: Arc<Mutex<Receiver<LoadRequest>>>,
) {
    loop {
        let batch = next_batch(&mut *requests.lock().await).await;
        if batch.is_empty() {
            return;
        }
        let (batch, replies): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|LoadRequest { prepared, reply }| (prepared, reply)).unzip();
        let documents: Vec<_> = batch.iter().map(|prepared| prepared.document(&ingest)).collect();
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
        for ((prepared, reply), written) in batch.into_iter().zip(replies).zip(written) {
            // The receiver is dropped if the run was cancelled.
            let _ = reply.send((prepared, written));
        }
    }
}

/// Waits for a document, and takes those that are ready at the same time.
async fn next_batch(requests: &mut Receiver<LoadRequest>) -> Vec<LoadRequest> {
    let mut batch: Vec<LoadRequest> = requests.recv().await.into_iter().collect();
    let mut bytes = 0;
    while let Some(last) = batch.last() {
        bytes += last.prepared.bytes();
        if batch.len() == DOCUMENTS || bytes >= BYTES {
            break;
        }
        let Ok(next) = requests.try_recv() else { break };
        batch.push(next);
    }
    batch
}
