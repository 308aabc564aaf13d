//! Requests to a rerank service with retries.

use super::config::RerankConfig;
use super::error::Error;
use super::provider::{RerankProvider, scores};
use crate::service::{Endpoint, Failure, HttpService, ServiceError};
use std::time::Duration;

/// Bytes below which a text is not cut further.
const MIN_TEXT_BYTES: usize = 128;

/// A client of a rerank service.
pub(super) struct RerankClient {
    service: HttpService,
    provider: RerankProvider,
    model: Option<String>,
}

impl RerankClient {
    /// Makes a client whose requests end after a time; it sends no request.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration is invalid, or if the key would be sent unencrypted.
    pub(super) fn new(config: RerankConfig, timeout: Duration) -> Result<Self, Error> {
        let RerankConfig { url, provider, model, key, retries, pause } = config;
        let url = url.as_deref().or(provider.url()).unwrap_or_default();
        let endpoint = Endpoint { url, path: "rerank", key, timeout, retries, pause };
        let service = HttpService::new(endpoint).map_err(|(host, error)| {
            let host = host.unwrap_or_else(|| "--rerank-url".into());
            Error::Service { host, error }
        })?;
        Ok(Self { service, provider, model })
    }

    /// Returns the score of each text; `None` for a text that the service leaves out.
    ///
    /// # Errors
    ///
    /// Returns an error if the service does not respond, rejects a request, or returns no valid scores.
    pub(super) async fn scores(
        &self,
        question: &str,
        mut texts: Vec<String>,
    ) -> Result<Vec<Option<f64>>, Error> {
        let mut scores = Vec::with_capacity(texts.len());
        let mut batch = self.provider.max_texts();
        while scores.len() < texts.len() {
            let end = texts.len().min(scores.len() + batch);
            let texts = &mut texts[scores.len()..end];
            match self.scores_of_batch(question, texts).await {
                // The server cuts texts, so it may only allow fewer of them.
                Err(Error::Service { error: ServiceError::TooLong, .. })
                    if self.provider.cuts_texts() && texts.len() > 1 =>
                {
                    batch = texts.len().div_ceil(2);
                }
                result => scores.extend(result?),
            }
        }
        Ok(scores)
    }

    /// Sends one request, and repeats it with shorter texts if they are too long for the service.
    async fn scores_of_batch(
        &self,
        question: &str,
        texts: &mut [String],
    ) -> Result<Vec<Option<f64>>, Error> {
        let failed = |error| Error::Service { host: self.service.host(), error };
        let mut attempts = 1;
        loop {
            let content = self.provider.request(self.model.as_deref(), question, texts);
            let answer = match self.service.post(&content).await {
                Ok(body) => scores(&body, texts.len()).map_err(Failure::Final),
                Err(failure) => Err(failure),
            };
            match answer {
                Ok(scores) => return Ok(scores),
                Err(Failure::Final(error)) => return Err(failed(error)),
                Err(Failure::TooLong) => {
                    if self.provider.cuts_texts() || !halve_longest(texts) {
                        return Err(failed(ServiceError::TooLong));
                    }
                }
                Err(Failure::Transient(error, retry_after)) => {
                    self.service.back_off(error, retry_after, attempts).await.map_err(failed)?;
                    attempts += 1;
                }
            }
        }
    }
}

/// Cuts all texts to half of the length of the longest one. Returns `false` if that is too short.
fn halve_longest(texts: &mut [String]) -> bool {
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    if longest < MIN_TEXT_BYTES {
        return false;
    }
    for text in texts {
        text.truncate(text.floor_char_boundary(longest / 2));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_halved_until_they_are_short() {
        let mut texts = vec!["\u{e9}".repeat(200), "short".into()];
        assert!(halve_longest(&mut texts));
        assert_eq!((texts[0].len(), &*texts[1]), (200, "short"));
        assert!(halve_longest(&mut texts));
        assert!(!halve_longest(&mut texts));
    }
}
