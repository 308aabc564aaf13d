//! One request without redirects, which is retried while the server is busy for a moment.

use super::network::{Network, Refusal};
use passage_http as http;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use std::fmt;
use std::time::{Duration, SystemTime};

/// The longest time without data, and the longest time for a whole page.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
const TOTAL_TIMEOUT: Duration = Duration::from_mins(5);

/// The number of retries if a server is busy, and the pause before the first one.
const RETRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause that a server may request.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestError {
    /// The server must not be reached.
    Private(Refusal),
    /// The network or the server has failed, for this reason.
    Failed(String),
}

impl fmt::Display for RequestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Private(refusal) => refusal.fmt(formatter),
            Self::Failed(reason) => formatter.write_str(reason),
        }
    }
}

impl RequestError {
    /// Returns the error of an answer that has no content.
    pub(super) fn answered(status: StatusCode) -> Self {
        Self::Failed(format!("the server answered {status}"))
    }

    /// Returns the error of a request or of the rest of an answer.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        match refusal(error) {
            Some(refusal) => Self::Private(refusal),
            None => Self::Failed(reason(error)),
        }
    }
}

/// Returns an HTTP client for pages, or the cause of a failure.
pub(super) fn client(network: Network, url: &Url) -> Result<Client, String> {
    let builder =
        network.restrict(http::builder(), url).read_timeout(READ_TIMEOUT).timeout(TOTAL_TIMEOUT);
    // Each redirect is checked before the next request.
    builder.redirect(Policy::none()).build().map_err(|error| reason(&error))
}

/// Sends a request without a body. Retries while the server is busy for a moment.
pub(super) async fn send(request: &RequestBuilder) -> Result<Response, RequestError> {
    let mut tries = 1;
    loop {
        // An address without a host makes no request.
        let invalid = || RequestError::Failed("its address is not valid".into());
        let request = request.try_clone().ok_or_else(invalid)?;
        let response = request.send().await.map_err(|error| RequestError::of(&error))?;
        let after = http::retry_after(response.headers(), SystemTime::now());
        if tries > RETRIES || !is_temporary(response.status()) || after > Some(MAX_PAUSE) {
            return Ok(response);
        }
        tokio::time::sleep(http::backoff(FIRST_PAUSE, after, tries)).await;
        tries += 1;
    }
}

/// Reads the beginning of an answer.
pub(super) async fn first_bytes(
    mut response: Response,
    limit: usize,
) -> Result<Vec<u8>, RequestError> {
    let mut bytes = Vec::new();
    while bytes.len() < limit {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return Err(RequestError::of(&error)),
        }
    }
    Ok(bytes)
}

/// Returns the refusal of the server's address, if this is the cause.
pub(super) fn refusal(error: &reqwest::Error) -> Option<Refusal> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref() {
            return Some(*refusal);
        }
        cause = error.source();
    }
    None
}

/// Returns whether a status is temporary, such as that of a busy server.
fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// Returns the innermost cause. It is the most specific one, and does not have the address, which
/// may contain a password.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the server did not answer in time".into();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if std::ptr::addr_eq(cause, error) { "the request failed".into() } else { cause.to_string() }
}
