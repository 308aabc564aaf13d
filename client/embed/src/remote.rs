/*!
Embedding by an HTTP service with the API of `OpenAI` or of another [`Provider`].

A task takes the queued texts in batches, bounded by number and by tokens, whenever fewer requests run
than allowed. Transient failures are retried with exponential back-off and jitter, so that many clients
do not retry at once. A batch that is too long for the service is halved, and so is a single text: like
a local model, the service ignores the text beyond its limit.

The client checks the number of embeddings, their dimensions and their order. It never passes on the
text of a service's error, which may repeat the text or the key of the request.
*/

mod address;
mod client;
mod config;
mod provider;
mod remedy;
mod request;
mod response;

pub use config::ServiceConfig;
pub use provider::Provider;
pub(super) use remedy::remedy;

use super::EmbeddingKind;
use super::embedding::{EmbedJob, Embedding, PendingEmbedding};
use super::error::Error;
use crate::service::ServiceError;
use client::ServiceClient;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// How long a batch that is not full waits for more texts.
const LINGER: Duration = Duration::from_millis(10);

/// An embedder that uses a service.
///
/// When it is dropped, the submitted texts are still embedded.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::{Embedder, RemoteEmbedder, ServiceConfig};
///
/// # async fn example() -> Result<(), passage_embed::Error> {
/// let service = ServiceConfig::new("http://localhost:11434/v1", "all-minilm");
/// let embedder = Embedder::from(RemoteEmbedder::connect(service).await?);
/// println!("{} dimensions", embedder.dimensions());
/// # Ok(())
/// # }
/// ```
pub struct RemoteEmbedder {
    jobs: mpsc::Sender<RemoteJob>,
    client: Arc<ServiceClient>,
    dimensions: usize,
}

/// A text to embed, of a kind. The texts of a request have one kind.
struct RemoteJob {
    kind: EmbeddingKind,
    job: EmbedJob,
}

impl RemoteJob {
    fn tokens(&self) -> usize {
        self.job.text.len().div_ceil(3)
    }
}

impl RemoteEmbedder {
    /// Connects to a service, and reads the dimensions of its embeddings from a first request.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Service`] if the configuration is invalid, if the service does not respond or
    /// rejects the request, or if its embeddings do not have the requested dimensions.
    pub async fn connect(service: ServiceConfig) -> Result<Self, Error> {
        let client = Arc::new(ServiceClient::new(service)?);
        let first = client.embed(EmbeddingKind::Document, vec!["dimensions".into()]).await?;
        let dimensions = first[0].len();
        client.check_dimensions(dimensions)?;
        let config = client.config();
        let capacity = config.batch_texts.get() * config.concurrency.get();
        let (jobs, queue) = mpsc::channel(capacity);
        tokio::spawn(run(Arc::clone(&client), queue, dimensions));
        Ok(Self { jobs, client, dimensions })
    }

    /// Embeds one text with one request; unlike [`connect`](Self::connect) it sends no other request.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](Self::connect).
    pub async fn embed_one(
        service: ServiceConfig,
        kind: EmbeddingKind,
        text: String,
    ) -> Result<Embedding, Error> {
        let client = ServiceClient::new(service)?;
        let embedding = client.embed(kind, vec![text]).await?.swap_remove(0);
        client.check_dimensions(embedding.len())?;
        Ok(embedding)
    }

    /// Returns the service's name of the model.
    pub fn name(&self) -> &str {
        &self.client.config().model
    }

    /// Returns the dimensions of the embeddings.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Submits a text.
    ///
    /// Blocks the thread while the queue is full; do not call it from an async task.
    pub fn submit(&self, kind: EmbeddingKind, text: String) -> PendingEmbedding {
        let (job, pending) = EmbedJob::new(text);
        // If the task has ended, the job is dropped with its channel, and `wait` returns the error.
        drop(self.jobs.blocking_send(RemoteJob { kind, job }));
        pending
    }
}

/// Sends the batches of the queue until the queue is closed.
async fn run(client: Arc<ServiceClient>, mut queue: mpsc::Receiver<RemoteJob>, dimensions: usize) {
    let permits = Arc::new(Semaphore::new(client.config().concurrency.get()));
    let mut deferred = None;
    loop {
        // While all requests run, texts queue up, so that batches are full under load.
        let permit = Arc::clone(&permits).acquire_owned().await.expect("it is never closed");
        let batch = next_batch(client.config(), &mut queue, &mut deferred).await;
        let Some((kind, batch)) = batch else { return };
        let client = Arc::clone(&client);
        tokio::spawn(async move {
            embed_batch(&client, kind, batch, dimensions).await;
            drop(permit);
        });
    }
}

/// Takes the next batch from the queue. A text that does not fit, or is of another kind, is `deferred` to the batch
/// after it.
async fn next_batch(
    service: &ServiceConfig,
    queue: &mut mpsc::Receiver<RemoteJob>,
    deferred: &mut Option<RemoteJob>,
) -> Option<(EmbeddingKind, Vec<EmbedJob>)> {
    let first = match deferred.take() {
        Some(job) => job,
        None => queue.recv().await?,
    };
    let (kind, mut size) = (first.kind, first.tokens());
    let mut batch = vec![first.job];
    while batch.len() < service.batch_texts.get() && size < service.batch_tokens.get() {
        let Ok(Some(job)) = tokio::time::timeout(LINGER, queue.recv()).await else { break };
        size += job.tokens();
        if size > service.batch_tokens.get() || job.kind != kind {
            *deferred = Some(job);
            break;
        }
        batch.push(job.job);
    }
    Some((kind, batch))
}

/// Embeds a batch and replies to each of its jobs.
async fn embed_batch(
    client: &ServiceClient,
    kind: EmbeddingKind,
    batch: Vec<EmbedJob>,
    dimensions: usize,
) {
    // The caller may have stopped waiting, as at the end of a cancelled run.
    let (texts, replies): (Vec<_>, Vec<_>) = batch
        .into_iter()
        .filter(|job| !job.reply.is_closed())
        .map(|EmbedJob { text, reply }| (text, reply))
        .unzip();
    if texts.is_empty() {
        return;
    }
    match client.embed(kind, texts).await {
        Ok(embeddings) => {
            for (embedding, reply) in embeddings.into_iter().zip(replies) {
                let actual = embedding.len();
                let error = ServiceError::Dimensions { expected: dimensions, actual };
                let checked =
                    if actual == dimensions { Ok(embedding) } else { Err(client.error(error)) };
                let _ = reply.send(checked);
            }
        }
        Err(Error::Service { error, .. }) => {
            for reply in replies {
                let _ = reply.send(Err(client.error(error.clone())));
            }
        }
        Err(_) => {}
    }
}
