//! The common interface of the local model and the embedding service.

use super::embedding::{Embedding, PendingEmbedding};
use super::{Error, Pool, RemoteEmbedder};
use passage_split::Sizer;
use std::sync::Arc;

/// An embedder of texts: a model in this process or a service.
///
/// Callers submit texts one by one; the embedder forms batches where they help.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::{Embedder, Model, Pool};
/// use std::{path::Path, sync::Arc};
///
/// # async fn example() -> Result<(), passage_embed::Error> {
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// let embedder = Arc::new(Embedder::from(Pool::new(&model, None)?));
/// let embedding = embedder.embed("How do I configure logging?".into()).await?;
/// assert_eq!(embedding.len(), embedder.dimensions());
/// # Ok(())
/// # }
/// ```
pub enum Embedder {
    /// A model in this process.
    Local(Pool),
    /// A service with the API of `OpenAI`.
    Remote(RemoteEmbedder),
}

impl Embedder {
    /// Returns the model name that a store records.
    pub fn name(&self) -> &str {
        match self {
            Embedder::Local(pool) => pool.model().name(),
            Embedder::Remote(remote) => remote.name(),
        }
    }

    /// Returns the dimensions of the embeddings.
    pub fn dimensions(&self) -> usize {
        match self {
            Embedder::Local(pool) => pool.model().dimensions(),
            Embedder::Remote(remote) => remote.dimensions(),
        }
    }

    /// Returns the number of wordpieces of a text; `None` for a service, which counts on its own.
    pub fn tokens(&self, text: &str) -> Option<usize> {
        match self {
            Embedder::Local(pool) => Some(pool.model().wordpieces().size(text)),
            Embedder::Remote(_) => None,
        }
    }

    /// Submits a text.
    ///
    /// Blocks the thread while the queue is full; do not call it from an async task.
    pub fn submit(&self, text: String) -> PendingEmbedding {
        match self {
            Embedder::Local(pool) => pool.submit(text),
            Embedder::Remote(remote) => remote.submit(text),
        }
    }

    /// Embeds a text.
    ///
    /// # Errors
    ///
    /// Returns an error if the model fails, or if the service does not respond or rejects the request.
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

impl From<RemoteEmbedder> for Embedder {
    fn from(remote: RemoteEmbedder) -> Self {
        Embedder::Remote(remote)
    }
}
