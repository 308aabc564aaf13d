//! Embeddings, and the handover of a text to a thread or task that embeds it.

use super::error::Error;
use tokio::sync::oneshot;

/// The embedding of a text: a vector with the model's dimensions, of length 1 unless the folder of a
/// local model has no normalization.
pub type Embedding = Vec<f32>;

/// An embedding that is being computed.
pub struct PendingEmbedding {
    reply: oneshot::Receiver<Result<Embedding, Error>>,
    /// The dimensions to keep; `None` for all.
    dimensions: Option<usize>,
}

/// A text to embed, with the channel for its embedding.
pub(super) struct EmbedJob {
    pub(super) text: String,
    pub(super) reply: oneshot::Sender<Result<Embedding, Error>>,
}

impl EmbedJob {
    pub(super) fn new(text: String) -> (Self, PendingEmbedding) {
        let (reply, pending) = oneshot::channel();
        (Self { text, reply }, PendingEmbedding { reply: pending, dimensions: None })
    }
}

impl PendingEmbedding {
    /// Keeps only the first dimensions.
    pub(super) fn truncated(self, dimensions: usize) -> Self {
        Self { dimensions: Some(dimensions), ..self }
    }

    /// Waits for the embedding.
    ///
    /// # Errors
    ///
    /// Returns the error of the model or service, or [`Error::Inference`] if the embedder has stopped.
    pub async fn wait(self) -> Result<Embedding, Error> {
        let stopped = || Error::Inference("its thread has stopped".into());
        let embedding = self.reply.await.unwrap_or_else(|_| Err(stopped()))?;
        Ok(match self.dimensions {
            Some(dimensions) => truncate(embedding, dimensions),
            None => embedding,
        })
    }
}

/// Returns the first dimensions of an embedding, normalized to length 1.
///
/// A model that is trained for it (Kusupati et al. 2022, arXiv:2205.13147) has the coarse meaning in its first
/// dimensions.
pub fn truncate(mut embedding: Embedding, dimensions: usize) -> Embedding {
    if dimensions < embedding.len() {
        embedding.truncate(dimensions);
        normalize(&mut embedding);
    }
    embedding
}

/// Scales an embedding to length 1. Returns `false` if it is zero or not finite.
pub(super) fn normalize(embedding: &mut [f32]) -> bool {
    let length = embedding.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_normal() {
        return false;
    }
    for value in embedding {
        *value = (f64::from(*value) / length) as f32;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_embedding_has_length_1() {
        assert_eq!(truncate(vec![3.0, 4.0, 12.0], 2), [0.6, 0.8]);
        assert_eq!(truncate(vec![0.6, 0.8], 3), [0.6, 0.8]);
    }
}
