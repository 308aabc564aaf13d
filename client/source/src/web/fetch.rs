//! One conditional request, with limits on size, time and redirects.

use super::address::{redacted, server_difference, uri};
use super::network::{Network, Refusal};
use crate::{Error, ExternalLink, Validators};
use passage_http as http;
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LOCATION,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use std::time::{Duration, SystemTime};

/// The largest page in bytes, uncompressed.
const MAX_BYTES: usize = 64 << 20;

/// The maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 10;

/// The longest time without data, and the longest time for a whole page.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
const TOTAL_TIMEOUT: Duration = Duration::from_mins(5);

/// The number of retries if a server is busy, and the pause before the first one.
const RETRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause that a server may request.
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// The result of a request.
pub(super) struct Fetched {
    /// The requested address.
    pub(super) requested: Url,
    /// The address after redirects.
    pub(super) url: Url,
    pub(super) answer: Answer,
}

/// The answer of a server.
pub(super) enum Answer {
    /// The page has not changed.
    NotModified,
    Page(Body),
    /// The page redirects to another server, to which no request is sent.
    External(ExternalLink),
}

/// The content of a page.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// The Content-Type.
    pub(super) content_type: Option<String>,
    pub(super) validators: Validators,
}

/// Returns an HTTP client for pages, or the cause of a failure.
pub(super) fn client(network: Network, url: &Url) -> Result<Client, String> {
    let builder =
        network.restrict(http::builder(), url).read_timeout(READ_TIMEOUT).timeout(TOTAL_TIMEOUT);
    builder.redirect(Policy::custom(follow_redirect)).build().map_err(|error| reason(&error))
}

/// Follows a redirect, unless it leads to another server or is one of too many.
fn follow_redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let is_external = |url: &Url| server_difference(url, attempt.url()).is_some();
    if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("more than 10 redirects")
    } else if attempt.previous().last().is_some_and(is_external) {
        attempt.stop()
    } else {
        attempt.follow()
    }
}

/// Fetches a page, unless it has not changed since `validators` were received.
pub(super) async fn fetch(
    client: Client,
    network: Network,
    requested: Url,
    validators: Option<Validators>,
) -> Result<Fetched, Error> {
    let unreachable = |reason: String| Error::Unreachable { url: uri(&requested), reason };
    let private =
        |refusal: Refusal| Error::Private { url: uri(&requested), reason: refusal.to_string() };
    network.check(&requested).map_err(private)?;
    let mut request = client.get(requested.clone());
    if let Some(Validators { etag, last_modified }) = &validators {
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if let Some(last_modified) = last_modified {
            request = request.header(IF_MODIFIED_SINCE, last_modified);
        }
    }
    let mut tries = 1;
    let response = loop {
        let request = request.try_clone().expect("the request has no body");
        let response = request.send().await.map_err(|error| match refusal(&error) {
            Some(refusal) => private(refusal),
            None => unreachable(reason(&error)),
        })?;
        let after = http::retry_after(response.headers(), SystemTime::now());
        if tries > RETRIES || !is_temporary(response.status()) || after > Some(MAX_PAUSE) {
            break response;
        }
        tokio::time::sleep(http::backoff(FIRST_PAUSE, after, tries)).await;
        tries += 1;
    };
    let url = response.url().clone();
    let answer = match response.status() {
        StatusCode::NOT_MODIFIED if validators.is_some() => Answer::NotModified,
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            return Err(Error::Gone { url: uri(&requested) });
        }
        status if status.is_success() => Answer::Page(body(response, &requested).await?),
        status => match external_redirect(&response, &requested) {
            Some(link) => Answer::External(link),
            None => return Err(unreachable(format!("the server answered {status}"))),
        },
    };
    Ok(Fetched { requested, url, answer })
}

/// Returns the target of a redirect that was not followed.
fn external_redirect(response: &Response, requested: &Url) -> Option<ExternalLink> {
    let location =
        response.status().is_redirection().then(|| header(response.headers(), &LOCATION))??;
    let target = response.url().join(&location).ok()?;
    let difference = server_difference(response.url(), &target)?;
    Some(ExternalLink { page: Some(uri(requested)), target: redacted(&target), difference })
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

/// Reads a page to its end. Stops with an error if it is too large.
async fn body(mut response: Response, requested: &Url) -> Result<Body, Error> {
    let headers = response.headers();
    let content_type = header(headers, &CONTENT_TYPE);
    let validators =
        Validators { etag: header(headers, &ETAG), last_modified: header(headers, &LAST_MODIFIED) };
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > MAX_BYTES => {
                return Err(Error::LongPage { url: uri(requested) });
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(Body { bytes, content_type, validators }),
            Err(error) => {
                return Err(Error::Unreachable { url: uri(requested), reason: reason(&error) });
            }
        }
    }
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(ToOwned::to_owned)
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
