//! One thread a core over one model.

use super::embedder::Job;
use super::{Error, Model, Pending};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

/// How many texts may wait for each thread: enough that none ever does, little enough that a
/// large document is not turned into texts long before they are embedded.
const QUEUE_PER_THREAD: usize = 8;

/// Threads that embed, each one sequence at a time.
///
/// candle shares the work of a single sequence between threads, which wins nothing at this size
/// and makes threads wait for one another. So each of ours is a rayon pool of one: what candle
/// and gemm would spread stays where it is. What candle keeps outside rayon is turned off by the
/// environment (see [`SINGLE_THREADED`](Pool::SINGLE_THREADED)).
pub struct Pool {
    jobs: SyncSender<Job>,
    model: Arc<Model>,
}

impl Pool {
    /// The environment variable, and its value, under which candle leaves parallelism to its
    /// caller. It is read once per process. A pool works without it too, at about half the speed.
    pub const SINGLE_THREADED: (&str, &str) = ("RAYON_NUM_THREADS", "1");

    /// Starts a pool with a number of threads, by default one for each core.
    ///
    /// The threads end when the pool is dropped.
    ///
    /// # Errors
    ///
    /// If the system gives no thread.
    pub fn new(model: &Arc<Model>, threads: Option<NonZero<usize>>) -> Result<Self, Error> {
        let threads =
            threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
        let (jobs, queue) = sync_channel(threads * QUEUE_PER_THREAD);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads {
            let (model, queue) = (Arc::clone(model), Arc::clone(&queue));
            rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .thread_name(move |_| format!("embed-{number}"))
                .build()
                .map_err(|error| Error::Inference(error.to_string()))?
                .spawn(move || work(&model, &queue));
        }
        Ok(Self { jobs, model: Arc::clone(model) })
    }

    /// Returns the model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Hands a text over; blocks while the queue is full, so call it where blocking is allowed.
    pub fn submit(&self, text: String) -> Pending {
        let (job, pending) = Job::new(text);
        // Without a receiver the reply is dropped with the job, and the error comes from `Pending`.
        drop(self.jobs.send(job));
        pending
    }
}

fn work(model: &Model, queue: &Mutex<Receiver<Job>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { text, reply }) = job else { return };
        // Nobody waits for it any more when a run was broken off.
        if !reply.is_closed() {
            let _ = reply.send(model.embed(&text));
        }
    }
}
