//! Threads that score texts with one cross-encoder.

use super::cross_encoder::CrossEncoder;
use super::error::Error;
use super::pairs::Question;
use crate::workers;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// A text to score, with the channel for its score.
struct ScoreJob {
    question: Arc<Question>,
    text: String,
    reply: oneshot::Sender<Result<f64, Error>>,
}

/// Threads that score texts, each one pair at a time.
///
/// The jobs of a call whose future is dropped are skipped, so that a thread computes at most the pair that it
/// has begun.
pub struct CrossEncoderPool {
    jobs: Sender<ScoreJob>,
    model: Arc<CrossEncoder>,
}

impl CrossEncoderPool {
    /// Starts a pool; the default number of threads is the number of cores.
    ///
    /// The threads stop when the pool is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the system cannot start a thread.
    pub fn new(model: &Arc<CrossEncoder>, threads: Option<NonZero<usize>>) -> Result<Self, Error> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let shared = Arc::clone(model);
        workers::start("rerank", workers::count(threads), move || work(&shared, &queue))
            .map_err(|error| Error::Inference(error.to_string()))?;
        Ok(Self { jobs, model: Arc::clone(model) })
    }

    /// Returns the score of each text, in the order of the texts.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the computation fails, or if the threads have stopped.
    pub async fn scores(&self, question: &str, texts: Vec<String>) -> Result<Vec<f64>, Error> {
        let question = Arc::new(self.model.question(question)?);
        let submit = |text| {
            let (reply, score) = oneshot::channel();
            // If all threads have stopped, the job is dropped with its channel, which is an error below.
            drop(self.jobs.send(ScoreJob { question: Arc::clone(&question), text, reply }));
            score
        };
        let pending: Vec<_> = texts.into_iter().map(submit).collect();
        let mut scores = Vec::with_capacity(pending.len());
        for score in pending {
            let stopped = || Err(Error::Inference("its thread has stopped".into()));
            scores.push(score.await.unwrap_or_else(|_| stopped())?);
        }
        Ok(scores)
    }
}

fn work(model: &CrossEncoder, queue: &Mutex<Receiver<ScoreJob>>) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(ScoreJob { question, text, reply }) = job else { return };
        // The caller may have stopped waiting, as after a time limit.
        if !reply.is_closed() {
            let _ = reply.send(model.score_text(&question, &text));
        }
    }
}
