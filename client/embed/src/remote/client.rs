//! Requests to an embedding service with retries.

use super::ServiceConfig;
use super::address::address;
use super::request;
use crate::service::{Endpoint, Failure, HttpService, ServiceError};
use crate::{Embedding, EmbeddingKind, Error};
use std::pin::Pin;

/// Bytes below which a text is not cut further.
const MIN_TEXT_BYTES: usize = 32;

/// An HTTP client for one embedding service.
pub(super) struct ServiceClient {
    service: HttpService,
    config: ServiceConfig,
}

impl ServiceClient {
    pub(super) fn new(config: ServiceConfig) -> Result<Self, Error> {
        let ServiceConfig { timeout, retries, pause, .. } = config;
        let key = config.key.clone();
        let key = key.map(|key| match config.provider.preset().key_header {
            Some(header) => key.in_header(header),
            None => key,
        });
        let (url, path) = address(&config);
        let endpoint = Endpoint { url: &url, path: &path, key, timeout, retries, pause };
        let service = HttpService::new(endpoint).map_err(|(host, error)| {
            let host = host.unwrap_or_else(|| "--embed-url".into());
            Error::Service { host, error }
        })?;
        Ok(Self { service, config })
    }

    pub(super) fn config(&self) -> &ServiceConfig {
        &self.config
    }

    /// Checks that embeddings have the requested dimensions.
    pub(super) fn check_dimensions(&self, actual: usize) -> Result<(), Error> {
        match self.config.dimensions.map(usize::from) {
            Some(expected) if expected != actual => {
                Err(self.error(ServiceError::Dimensions { expected, actual }))
            }
            _ => Ok(()),
        }
    }

    /// Embeds texts, with as many requests as that needs, and returns the embeddings in the same order.
    pub(super) fn embed(
        &self,
        kind: EmbeddingKind,
        mut texts: Vec<String>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Embedding>, Error>> + Send + '_>> {
        Box::pin(async move {
            let mut attempts = 1;
            loop {
                match request::request(&self.service, &self.config, kind, &texts).await {
                    Ok(embeddings) => return Ok(embeddings),
                    Err(Failure::Final(error)) => return Err(self.error(error)),
                    Err(Failure::TooLong) if texts.len() > 1 => {
                        let second_half = texts.split_off(texts.len() / 2);
                        let mut embeddings = self.embed(kind, texts).await?;
                        embeddings.extend(self.embed(kind, second_half).await?);
                        return Ok(embeddings);
                    }
                    Err(Failure::TooLong) => {
                        if texts[0].len() < MIN_TEXT_BYTES {
                            return Err(self.error(ServiceError::TooLong));
                        }
                        let half = texts[0].floor_char_boundary(texts[0].len() / 2);
                        texts[0].truncate(half);
                    }
                    Err(Failure::Transient(error, retry_after)) => {
                        let paused = self.service.back_off(error, retry_after, attempts).await;
                        paused.map_err(|error| self.error(error))?;
                        attempts += 1;
                    }
                }
            }
        })
    }

    pub(super) fn error(&self, error: ServiceError) -> Error {
        Error::Service { host: self.service.host(), error }
    }
}
