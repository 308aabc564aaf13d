//! The common interface of the local model and the rerank service.

use super::client::RerankClient;
use super::config::RerankConfig;
use super::cross_encoder::CrossEncoder;
use super::error::Error;
use super::pool::CrossEncoderPool;
use std::sync::Arc;
use std::time::Duration;

/// The time by which a request may outlast the time limit, so that the limit ends it.
const MARGIN: Duration = Duration::from_secs(1);

/// A scorer of texts, with a time limit.
pub struct Reranker {
    source: Source,
    timeout: Duration,
}

enum Source {
    Local(CrossEncoderPool),
    Service(RerankClient),
}

impl Reranker {
    /// Makes a reranker with a model in this process, which uses all cores.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the system cannot start a thread.
    pub fn local(model: &Arc<CrossEncoder>, timeout: Duration) -> Result<Self, Error> {
        let pool = CrossEncoderPool::new(model, None)?;
        Ok(Self { source: Source::Local(pool), timeout })
    }

    /// Makes a reranker that uses a service; it sends no request.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Service`] if the configuration is invalid, or if the key would be sent unencrypted.
    pub fn service(config: RerankConfig, timeout: Duration) -> Result<Self, Error> {
        let client = RerankClient::new(config, timeout + MARGIN)?;
        Ok(Self { source: Source::Service(client), timeout })
    }

    /// Returns the score of each text, higher for a better answer to the question; `None` for a text that
    /// a service leaves out. Scores depend on the model: compare only those of one call.
    ///
    /// If the texts are too long for the model, it reads the beginning of each.
    ///
    /// # Errors
    ///
    /// Returns [`Error::TimedOut`] after the time limit, after which nothing is computed or sent; and an
    /// error if the model fails, or if the service does not respond, rejects a request, or returns no valid
    /// scores.
    pub async fn scores(
        &self,
        question: &str,
        texts: Vec<String>,
    ) -> Result<Vec<Option<f64>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let scores = async {
            match &self.source {
                Source::Local(pool) => {
                    let scores = pool.scores(question, texts).await?;
                    Ok(scores.into_iter().map(Some).collect())
                }
                Source::Service(client) => client.scores(question, texts).await,
            }
        };
        let limited = tokio::time::timeout(self.timeout, scores).await;
        limited.unwrap_or(Err(Error::TimedOut(self.timeout)))
    }
}
