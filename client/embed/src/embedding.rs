//! Embeddings, and the handover of a text to a thread or task that embeds it.

use super::error::Error;
use tokio::sync::oneshot;

/// The embedding of a text: a vector with the model's dimensions, of length 1 unless the folder of a
/// local model has no normalization.
pub type Embedding = Vec<f32>;

/// An embedding that is being computed.
pub struct PendingEmbedding(oneshot::Receiver<Result<Embedding, Error>>);

/// A text to embed, with the channel for its embedding.
pub(super) struct EmbedJob {
    pub(super) text: String,
    pub(super) reply: oneshot::Sender<Result<Embedding, Error>>,
}

impl EmbedJob {
    pub(super) fn new(text: String) -> (Self, PendingEmbedding) {
        let (reply, pending) = oneshot::channel();
        (Self { text, reply }, PendingEmbedding(pending))
    }
}

impl PendingEmbedding {
    /// Waits for the embedding.
    ///
    /// # Errors
    ///
    /// Returns the error of the model or service, or [`Error::Inference`] if the embedder has stopped.
    pub async fn wait(self) -> Result<Embedding, Error> {
        self.0.await.unwrap_or_else(|_| Err(Error::Inference("its thread has stopped".into())))
    }
}
