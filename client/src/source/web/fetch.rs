//! One request: conditional, with bounds on size, time and redirects.

use super::network::{Network, Refused};
use super::{differs, place, uri};
use crate::http;
use crate::source::{Error, Foreign, Validators};
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LOCATION,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use std::time::{Duration, SystemTime};

/// The largest page, unpacked.
const MOST_BYTES: usize = 64 << 20;

/// How often a server may send one on.
const MOST_REDIRECTS: usize = 10;

/// How long a server may keep silent, and how long all of a page may take.
const SILENCE: Duration = Duration::from_secs(30);
const ALL: Duration = Duration::from_mins(5);

/// How often a page is asked for again of a server that is busy, and after how long at first.
const RETRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(250);

/// The longest pause that a server may ask for.
const PATIENCE: Duration = Duration::from_mins(1);

/// What came of a request.
pub(super) struct Fetched {
    /// The address that was asked for.
    pub(super) asked: Url,
    /// The address that it led to.
    pub(super) url: Url,
    pub(super) answer: Answer,
}

/// What a server answered.
pub(super) enum Answer {
    /// The page is as it was.
    Unchanged,
    Page(Body),
    /// It is at another server, which is not asked.
    Elsewhere(Foreign),
}

/// A page as it came.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// The Content-Type.
    pub(super) content_type: Option<String>,
    pub(super) validators: Validators,
}

/// Returns what fetches pages, or why nothing can.
pub(super) fn client(network: Network, url: &Url) -> Result<Client, String> {
    let builder = network.bound(http::builder(), url).read_timeout(SILENCE).timeout(ALL);
    builder.redirect(Policy::custom(redirected)).build().map_err(|error| reason(&error))
}

/// Follows a redirect, but not in circles and not to another server.
fn redirected(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let is_elsewhere = |url: &Url| differs(url, attempt.url()).is_some();
    if attempt.previous().len() > MOST_REDIRECTS {
        attempt.error("it redirects more than 10 times")
    } else if attempt.previous().last().is_some_and(is_elsewhere) {
        attempt.stop()
    } else {
        attempt.follow()
    }
}

/// Fetches a page, unless it is as it was when it was last fetched.
pub(super) async fn fetch(
    client: Client,
    network: Network,
    asked: Url,
    validators: Option<Validators>,
) -> Result<Fetched, Error> {
    let refused = |reason: String| Error::Unreachable { url: uri(&asked), reason };
    let private = |why: Refused| Error::Private { url: uri(&asked), reason: why.to_string() };
    network.check(&asked).map_err(private)?;
    let mut request = client.get(asked.clone());
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
        let request = request.try_clone().expect("it has no body");
        let response = request.send().await.map_err(|error| match refusal(&error) {
            Some(why) => private(why),
            None => refused(reason(&error)),
        })?;
        let after = http::retry_after(response.headers(), SystemTime::now());
        if tries > RETRIES || !is_passing(response.status()) || after > Some(PATIENCE) {
            break response;
        }
        tokio::time::sleep(http::backoff(PAUSE, after, tries)).await;
        tries += 1;
    };
    let url = response.url().clone();
    let answer = match response.status() {
        StatusCode::NOT_MODIFIED if validators.is_some() => Answer::Unchanged,
        StatusCode::NOT_FOUND | StatusCode::GONE => return Err(Error::Gone { url: uri(&asked) }),
        status if status.is_success() => Answer::Page(body(response, &asked).await?),
        status => match elsewhere(&response, &asked) {
            Some(link) => Answer::Elsewhere(link),
            None => return Err(refused(format!("the server says {status}"))),
        },
    };
    Ok(Fetched { asked, url, answer })
}

/// Returns where a redirect leads that was not followed.
fn elsewhere(response: &Response, asked: &Url) -> Option<Foreign> {
    let location =
        response.status().is_redirection().then(|| header(response.headers(), &LOCATION))??;
    let target = response.url().join(&location).ok()?;
    let differs = differs(response.url(), &target)?;
    Some(Foreign { page: Some(uri(asked)), target: place(&target), differs })
}

/// Returns why the address of a server was refused, if it was.
pub(super) fn refusal(error: &reqwest::Error) -> Option<Refused> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(refused) = error.downcast_ref() {
            return Some(*refused);
        }
        cause = error.source();
    }
    None
}

/// Tells whether a server is busy, and may be otherwise in a while.
fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// Reads the page to its end, or to where it is too long.
async fn body(mut response: Response, asked: &Url) -> Result<Body, Error> {
    let headers = response.headers();
    let content_type = header(headers, &CONTENT_TYPE);
    let validators =
        Validators { etag: header(headers, &ETAG), last_modified: header(headers, &LAST_MODIFIED) };
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > MOST_BYTES => {
                return Err(Error::LongPage { url: uri(asked) });
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(Body { bytes, content_type, validators }),
            Err(error) => {
                return Err(Error::Unreachable { url: uri(asked), reason: reason(&error) });
            }
        }
    }
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(ToOwned::to_owned)
}

/// The last cause says most, and does not name the address, which may hold a password.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the server takes too long".into();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if std::ptr::addr_eq(cause, error) { "the request failed".into() } else { cause.to_string() }
}
