//! A thread pool that shares one model.

use super::embedding::{EmbedJob, PendingEmbedding};
use super::{Error, Model};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Queued texts per thread: enough that no thread is ever idle, few enough that the texts of a large
/// document are not prepared long before they are embedded.
const QUEUE_PER_THREAD: usize = 8;

/// Threads that embed texts with one model, each one sequence at a time.
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
        let threads =
            threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
        let (jobs, queue) = sync_channel(threads * QUEUE_PER_THREAD);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads {
            let (model, queue) = (Arc::clone(model), Arc::clone(&queue));
            std::thread::Builder::new()
                .name(format!("embed-{number}"))
                .spawn(move || work(&model, &queue))
                .map_err(|error| Error::Inference(error.to_string()))?;
        }
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

fn work(model: &Model, queue: &Mutex<Receiver<EmbedJob>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(EmbedJob { text, reply }) = job else { return };
        // The caller may have stopped waiting, as at the end of a cancelled run.
        if !reply.is_closed() {
            let _ = reply.send(model.embed(&text));
        }
    }
}
