//! Embeddings of many texts.

use crate::Error;
use crate::embed::{Embedder, Embedding};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Embeds texts, each behind its number, and hands out each embedding as it comes.
pub(super) async fn embed(
    embedder: Arc<Embedder>,
    texts: impl Iterator<Item = (usize, String)> + Send + 'static,
    mut take: impl FnMut(usize, Embedding),
) -> Result<(), Error> {
    let (sender, mut pending) = mpsc::unbounded_channel();
    // The queue of the model holds this thread back; it ends early when nobody waits any more.
    let submitting = tokio::task::spawn_blocking(move || {
        for (number, text) in texts {
            if sender.send((number, embedder.submit(text))).is_err() {
                break;
            }
        }
    });
    while let Some((number, pending)) = pending.recv().await {
        take(number, pending.wait().await?);
    }
    submitting.await.expect("submitting does not panic");
    Ok(())
}
