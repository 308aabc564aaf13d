//! Requests to an embedding service with retries.

use super::request::{self, Failure};
use super::{ApiKey, ServiceConfig, ServiceError};
use crate::embed::{Embedding, Error};
use crate::http;
use reqwest::{Client, Url};
use std::pin::Pin;
use std::time::Duration;

/// The longest pause that a service may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Bytes below which a text is not cut further.
const MIN_TEXT_BYTES: usize = 32;

/// An HTTP client for one embedding service.
pub(super) struct ServiceClient {
    client: Client,
    url: Url,
    config: ServiceConfig,
}

impl ServiceClient {
    pub(super) fn new(config: ServiceConfig) -> Result<Self, Error> {
        let invalid = |cause: String| Error::Service {
            host: "--embed-url".into(),
            error: ServiceError::InvalidConfig(cause),
        };
        let base = config.url.trim_end_matches('/');
        let url = Url::parse(&format!("{base}/embeddings"))
            .map_err(|error| invalid(error.to_string()))?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err(invalid("the URL must begin with https:// or http://".into()));
        }
        let is_visible = |key: &ApiKey| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if !config.key.as_ref().is_none_or(is_visible) {
            return Err(invalid(
                "the key contains characters that are not allowed in a header".into(),
            ));
        }
        let has_secret = config.key.is_some() || http::has_credentials(&url);
        if has_secret && !http::is_confidential(&url) {
            return Err(Error::Service { host: host(&url), error: ServiceError::KeyOverHttp });
        }
        let is_local = has_secret && url.scheme() == "http";
        let builder = http::builder();
        // A redirect could send the texts, and perhaps the key, to another server.
        let client = if is_local { http::without_proxy(builder) } else { builder }
            .timeout(config.timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { client, url, config })
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
        mut texts: Vec<String>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Embedding>, Error>> + Send + '_>> {
        Box::pin(async move {
            let mut attempts = 1;
            loop {
                match request::request(&self.client, &self.url, &self.config, &texts).await {
                    Ok(embeddings) => return Ok(embeddings),
                    Err(Failure::Final(error)) => return Err(self.error(error)),
                    Err(Failure::TooLong) if texts.len() > 1 => {
                        let second_half = texts.split_off(texts.len() / 2);
                        let mut embeddings = self.embed(texts).await?;
                        embeddings.extend(self.embed(second_half).await?);
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
                        self.back_off(error, retry_after, attempts).await?;
                        attempts += 1;
                    }
                }
            }
        })
    }

    /// Pauses before the next attempt, or returns the error if no attempt is left.
    async fn back_off(
        &self,
        error: ServiceError,
        retry_after: Option<Duration>,
        attempts: u32,
    ) -> Result<(), Error> {
        let error = match (error, retry_after) {
            (ServiceError::Busy(status, _), Some(after)) if after > MAX_RETRY_AFTER => {
                return Err(self.error(ServiceError::RetryLater(status, after.as_secs())));
            }
            (ServiceError::Busy(status, _), _) => ServiceError::Busy(status, attempts),
            (ServiceError::Unreachable(reason, _), _) => {
                ServiceError::Unreachable(reason, attempts)
            }
            (error, _) => error,
        };
        if attempts > self.config.retries {
            return Err(self.error(error));
        }
        tokio::time::sleep(http::backoff(self.config.pause, retry_after, attempts)).await;
        Ok(())
    }

    pub(super) fn error(&self, error: ServiceError) -> Error {
        Error::Service { host: host(&self.url), error }
    }
}

/// Returns the host and port of a URL; its other parts may contain a secret.
fn host(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}
