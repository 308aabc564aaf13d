//! What embeds: a model in this process, or a service.

use super::{Embedding, Error, Pool, Remote};
use std::sync::Arc;
use tokio::sync::oneshot;

/// What embeds. Texts are handed over one by one, wherever they are put together to batches.
pub enum Embedder {
    /// A model in this process.
    Local(Pool),
    /// A service that speaks as `OpenAI` does.
    Remote(Remote),
}

/// An embedding on its way.
pub struct Pending(pub(super) oneshot::Receiver<Result<Embedding, Error>>);

/// A text on its way to be embedded.
pub(super) struct Job {
    pub(super) text: String,
    pub(super) reply: oneshot::Sender<Result<Embedding, Error>>,
}

impl Job {
    pub(super) fn new(text: String) -> (Self, Pending) {
        let (reply, pending) = oneshot::channel();
        (Self { text, reply }, Pending(pending))
    }
}

impl Embedder {
    /// Returns what a store remembers the model by.
    pub fn name(&self) -> &str {
        match self {
            Embedder::Local(pool) => pool.model().name(),
            Embedder::Remote(remote) => remote.name(),
        }
    }

    /// Returns the length of its embeddings.
    pub fn dimensions(&self) -> usize {
        match self {
            Embedder::Local(pool) => pool.model().dimensions(),
            Embedder::Remote(remote) => remote.dimensions(),
        }
    }

    /// Hands a text over; blocks while the queue is full, so call it where blocking is allowed.
    pub fn submit(&self, text: String) -> Pending {
        match self {
            Embedder::Local(pool) => pool.submit(text),
            Embedder::Remote(remote) => remote.submit(text),
        }
    }

    /// Embeds a text.
    ///
    /// # Errors
    ///
    /// If the model fails, or the service does not answer or refuses.
    pub async fn embed(self: &Arc<Self>, text: String) -> Result<Embedding, Error> {
        let embedder = Arc::clone(self);
        let pending = tokio::task::spawn_blocking(move || embedder.submit(text)).await;
        pending.expect("submitting does not panic").wait().await
    }
}

impl From<Pool> for Embedder {
    fn from(pool: Pool) -> Self {
        Embedder::Local(pool)
    }
}

impl From<Remote> for Embedder {
    fn from(remote: Remote) -> Self {
        Embedder::Remote(remote)
    }
}

impl Pending {
    /// Waits for the embedding.
    ///
    /// # Errors
    ///
    /// If the model or the service fails, or what embeds has ended.
    pub async fn wait(self) -> Result<Embedding, Error> {
        self.0.await.unwrap_or_else(|_| Err(Error::Inference("its thread has ended".into())))
    }
}
