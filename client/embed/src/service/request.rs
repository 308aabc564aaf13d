//! One request to a service with its key, and the classification of its response.

use super::error::ServiceError;
use passage_http as http;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, StatusCode, Url};
use serde::Serialize;
use std::fmt;
use std::time::{Duration, SystemTime};

/// Maximum bytes of a response: more than a thousand embeddings of four thousand dimensions.
const MAX_RESPONSE_BYTES: usize = 128 << 20;

/// An API key. No message, log or debug output contains it.
#[derive(Clone)]
pub struct ApiKey {
    key: String,
    /// The header; `None` for a bearer token.
    header: Option<&'static str>,
}

impl ApiKey {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), header: None }
    }

    /// Sends the key in a header of its own.
    pub(crate) fn in_header(self, header: &'static str) -> Self {
        Self { header: Some(header), ..self }
    }

    pub(crate) fn expose(&self) -> &str {
        &self.key
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(...)")
    }
}

/// The failure of a request.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A retry can succeed; the service may ask for a pause.
    Transient(ServiceError, Option<Duration>),
    /// The texts are too long for the service.
    TooLong,
    /// A retry cannot succeed.
    Final(ServiceError),
}

/// Posts a request as JSON, and returns the body of the response.
pub(super) async fn post(
    client: &Client,
    url: &Url,
    key: Option<&ApiKey>,
    content: &impl Serialize,
) -> Result<Vec<u8>, Failure> {
    let mut request = client.post(url.clone()).json(content);
    if let Some(ApiKey { key, header }) = key {
        request = match header {
            Some(header) => {
                let mut key = HeaderValue::from_str(key).expect("it has visible ASCII alone");
                key.set_sensitive(true);
                request.header(*header, key)
            }
            None => request.bearer_auth(key),
        };
    }
    let response = request.send().await.map_err(|error| connection_failure(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = body(response).await?;
    if status.is_success() { Ok(body) } else { Err(rejection(status, &headers, &body)) }
}

/// Classifies an error of the HTTP client by its kind. Its text may contain the URL, and the URL a key.
fn connection_failure(error: &reqwest::Error) -> Failure {
    let unreachable = |reason| ServiceError::Unreachable(reason, 1);
    Failure::Transient(
        if error.is_timeout() {
            unreachable("timeout")
        } else if error.is_connect() {
            unreachable("connection failed")
        } else {
            unreachable("connection lost")
        },
        None,
    )
}

async fn body(mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| connection_failure(&error))? {
        if body.len() + part.len() > MAX_RESPONSE_BYTES {
            return Err(Failure::Final(ServiceError::InvalidResponse("it is too long")));
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

fn rejection(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
    let number = status.as_u16();
    match number {
        413 => Failure::TooLong,
        // Gemini reports an invalid key like an invalid argument.
        400 if contains(body, "API_KEY_INVALID") => {
            Failure::Final(ServiceError::Unauthorized(number))
        }
        400 | 422 if is_about_length(body) => Failure::TooLong,
        // An account without credit also gets status 429, and a retry cannot succeed.
        429 if contains(body, "insufficient_quota") => {
            Failure::Final(ServiceError::Unauthorized(number))
        }
        408 | 409 | 425 | 429 | 500..=599 => Failure::Transient(
            ServiceError::Busy(number, 1),
            http::retry_after(headers, SystemTime::now()),
        ),
        401 | 403 => Failure::Final(ServiceError::Unauthorized(number)),
        404 | 405 => Failure::Final(ServiceError::NotFound(number)),
        _ => Failure::Final(ServiceError::Rejected(number)),
    }
}

/// Returns whether a response says that a text is too long; services have no common code for it.
fn is_about_length(body: &[u8]) -> bool {
    [
        "context length",
        "context_length",
        "too long",
        "too many tokens",
        "max_tokens",
        "maximum",
        "exceed",
    ]
    .iter()
    .any(|words| contains(body, words))
}

fn contains(body: &[u8], words: &str) -> bool {
    body.windows(words.len()).any(|window| window.eq_ignore_ascii_case(words.as_bytes()))
}
