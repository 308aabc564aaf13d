//! A thread pool that shares one model.

use super::embedding::{EmbedJob, PendingEmbedding};
use super::{Error, Model, workers};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Queued texts per thread: enough that no thread is ever idle, few enough that the texts of a large
/// document are not prepared long before they are embedded.
const QUEUE_PER_THREAD: usize = 8;

/// Bytes of a short text, about as long as a question: its wordpieces are so few that reading the weights takes most of
/// the time.
const SHORT: usize = 160;

/// The maximum number of short texts that a thread embeds together. More gain little, and would leave none for the other
/// threads.
const MAX_BATCH: usize = 8;

/// Threads that embed texts with one model: a long text alone, and short ones together with those that wait.
///
/// Threads that share the work of a single sequence gain nothing at this size, and wait for each other.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::{Model, Pool};
/// use std::path::Path;
///
/// # async fn example() -> Result<(), passage_embed::Error> {
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// let pool = Pool::new(&model, None)?;
/// let pending = pool.submit("How do I configure logging?".into());
/// assert_eq!(pending.wait().await?.len(), 384);
/// # Ok(())
/// # }
/// ```
pub struct Pool {
    jobs: SyncSender<EmbedJob>,
    model: Arc<Model>,
}

impl Pool {
    /// Starts a pool; the default number of threads is the number of cores.
    ///
    /// The threads stop when the pool is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the system cannot start a thread.
    pub fn new(model: &Arc<Model>, threads: Option<NonZero<usize>>) -> Result<Self, Error> {
        let threads = workers::count(threads);
        let (jobs, queue) = sync_channel(threads * QUEUE_PER_THREAD);
        let queue = Arc::new(Mutex::new(Queue { jobs: queue, deferred: None }));
        let shared = Arc::clone(model);
        workers::start("embed", threads, move || work(&shared, &queue))
            .map_err(|error| Error::Inference(error.to_string()))?;
        Ok(Self { jobs, model: Arc::clone(model) })
    }

    /// Returns the model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Submits a text.
    ///
    /// Blocks the thread while the queue is full; do not call it from an async task.
    pub fn submit(&self, text: String) -> PendingEmbedding {
        let (job, pending) = EmbedJob::new(text);
        // If all threads have stopped, the job is dropped with its channel, and `wait` returns the error.
        drop(self.jobs.send(job));
        pending
    }
}

/// The queued texts. Threads take them in their order.
struct Queue {
    jobs: Receiver<EmbedJob>,
    /// A text that did not fit into the last batch.
    deferred: Option<EmbedJob>,
}

impl Queue {
    /// Waits for a text, and takes it with the short ones that wait behind it. Returns `None` at the end.
    ///
    /// The weights are read once for all texts of a batch. A text of more than [`SHORT`] bytes gains nothing from that.
    fn next_batch(&mut self) -> Option<Vec<EmbedJob>> {
        let first = match self.deferred.take() {
            Some(job) => job,
            None => self.jobs.recv().ok()?,
        };
        let is_short = |job: &EmbedJob| job.text.len() <= SHORT;
        let mut batch = vec![first];
        // Only the first one can be long.
        while batch.len() < MAX_BATCH && is_short(&batch[0]) {
            let Ok(job) = self.jobs.try_recv() else { break };
            if !is_short(&job) {
                self.deferred = Some(job);
                break;
            }
            batch.push(job);
        }
        Some(batch)
    }
}

fn work(model: &Model, queue: &Mutex<Queue>) {
    loop {
        let batch = queue.lock().unwrap_or_else(PoisonError::into_inner).next_batch();
        let Some(mut batch) = batch else { return };
        // The caller may have stopped waiting, as at the end of a cancelled run.
        batch.retain(|job| !job.reply.is_closed());
        match &mut batch[..] {
            [] => {}
            [EmbedJob { text, .. }] => {
                let embedding = model.embed(text);
                let _ = batch.remove(0).reply.send(embedding);
            }
            _ => embed_batch(model, batch),
        }
    }
}

/// Embeds several texts together. If that fails, each of them gets its own embedding or error.
fn embed_batch(model: &Model, batch: Vec<EmbedJob>) {
    let (texts, replies): (Vec<_>, Vec<_>) =
        batch.into_iter().map(|EmbedJob { text, reply }| (text, reply)).unzip();
    match model.embed_batch(&texts) {
        Ok(embeddings) => {
            for (reply, embedding) in replies.into_iter().zip(embeddings) {
                let _ = reply.send(Ok(embedding));
            }
        }
        Err(_) => {
            for (reply, text) in replies.into_iter().zip(&texts) {
                let _ = reply.send(model.embed(text));
            }
        }
    }
}
