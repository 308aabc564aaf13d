//! An HTTP client for one service, with retries.

use super::address::address;
use super::error::ServiceError;
use super::request::{ApiKey, Failure, post};
use passage_http as http;
use reqwest::{Client, Url};
use serde::Serialize;
use std::time::Duration;

/// The longest pause that a service may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// The address of a service, and how the client uses it.
pub(crate) struct Endpoint<'a> {
    /// The URL of the service.
    pub(crate) url: &'a str,
    /// The last part of the path, such as `embeddings`. A URL whose path ends with it stays unchanged.
    pub(crate) path: &'a str,
    /// The API key.
    pub(crate) key: Option<ApiKey>,
    /// The time limit of a request.
    pub(crate) timeout: Duration,
    /// How often a request is retried after a transient failure.
    pub(crate) retries: u32,
    /// The pause before the first retry.
    pub(crate) pause: Duration,
}

/// A service that takes requests as JSON.
pub(crate) struct HttpService {
    client: Client,
    url: Url,
    key: Option<ApiKey>,
    retries: u32,
    pause: Duration,
}

impl HttpService {
    /// Makes a client. An error has the host if the URL is valid.
    pub(crate) fn new(endpoint: Endpoint<'_>) -> Result<Self, (Option<String>, ServiceError)> {
        let Endpoint { url, path, key, timeout, retries, pause } = endpoint;
        let invalid = |cause: String| (None, ServiceError::InvalidConfig(cause));
        let url = address(url, path).map_err(invalid)?;
        let is_visible = |key: &ApiKey| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if !key.as_ref().is_none_or(is_visible) {
            return Err(invalid(
                "the key contains characters that are not allowed in a header".into(),
            ));
        }
        let has_secret = key.is_some() || http::has_credentials(&url);
        if has_secret && !http::is_confidential(&url) {
            return Err((Some(host(&url)), ServiceError::KeyOverHttp));
        }
        let is_local = has_secret && url.scheme() == "http";
        let builder = http::builder();
        // A redirect could send the texts, and perhaps the key, to another server.
        let client = if is_local { http::without_proxy(builder) } else { builder }
            .timeout(timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { client, url, key, retries, pause })
    }

    /// Sends one request, and returns the body of the response.
    pub(crate) async fn post(&self, content: &impl Serialize) -> Result<Vec<u8>, Failure> {
        post(&self.client, &self.url, self.key.as_ref(), content).await
    }

    /// Pauses before the next attempt, or returns the error if no attempt is left.
    pub(crate) async fn back_off(
        &self,
        error: ServiceError,
        retry_after: Option<Duration>,
        attempts: u32,
    ) -> Result<(), ServiceError> {
        let error = match (error, retry_after) {
            (ServiceError::Busy(status, _), Some(after)) if after > MAX_RETRY_AFTER => {
                return Err(ServiceError::RetryLater(status, after.as_secs()));
            }
            (ServiceError::Busy(status, _), _) => ServiceError::Busy(status, attempts),
            (ServiceError::Unreachable(reason, _), _) => {
                ServiceError::Unreachable(reason, attempts)
            }
            (error, _) => error,
        };
        if attempts > self.retries {
            return Err(error);
        }
        tokio::time::sleep(http::backoff(self.pause, retry_after, attempts)).await;
        Ok(())
    }

    /// Returns the host and port; the other parts of the URL may contain a secret.
    pub(crate) fn host(&self) -> String {
        host(&self.url)
    }
}

fn host(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}
