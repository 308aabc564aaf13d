//! One conditional request, with limits on size, time and redirects.

use super::address::{redacted, redirect_target, server_difference, uri};
use super::content_type::is_binary;
use super::network::Network;
use super::request::{RequestError, send};
use super::robots::{Refused, Server};
use crate::{BlockedPage, Error, ExternalLink, Validators};
use passage_split::MediaType;
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use std::sync::Arc;

/// The largest page in bytes, uncompressed.
const MAX_BYTES: usize = 64 << 20;

/// The maximum number of redirects of one request.
const MAX_REDIRECTS: usize = 10;

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
    /// The page must not be fetched, or redirects to another server, to which no request is sent.
    Blocked(BlockedPage),
}

/// The content of a page.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    /// The Content-Type.
    pub(super) content_type: Option<String>,
    pub(super) validators: Validators,
}

/// The parts that all requests of a source share.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) network: Network,
    pub(super) server: Arc<Server>,
}

impl Session {
    /// Fetches a page, unless it has not changed since `validators` were received.
    pub(super) async fn fetch(
        self,
        requested: Url,
        validators: Option<Validators>,
    ) -> Result<Fetched, Error> {
        let Self { client, network, server } = self;
        let failed = |error: RequestError| failed(&requested, &error);
        network.check(&requested).map_err(RequestError::Private).map_err(failed)?;
        let mut url = requested.clone();
        for _ in 0..=MAX_REDIRECTS {
            match server.check(&client, network, &url).await {
                Ok(()) => {}
                Err(Refused::Disallowed) => {
                    let answer = Answer::Blocked(BlockedPage::Disallowed(uri(&requested)));
                    return Ok(Fetched { requested, url, answer });
                }
                Err(Refused::Unknown(error)) => return Err(failed(error)),
            }
            server.wait().await;
            let request = conditional(client.get(url.clone()), validators.as_ref());
            let response = send(&request).await.map_err(failed)?;
            let answer = match (redirect_target(&url, &response), response.status()) {
                (Some(target), _) => match server_difference(&url, &target) {
                    None => {
                        url = target;
                        continue;
                    }
                    Some(difference) => {
                        let (page, target) = (Some(uri(&requested)), redacted(&target));
                        let link = ExternalLink { page, target, difference };
                        Answer::Blocked(BlockedPage::External(link))
                    }
                },
                (None, StatusCode::NOT_MODIFIED) if validators.is_some() => Answer::NotModified,
                (None, StatusCode::NOT_FOUND | StatusCode::GONE) => {
                    return Err(Error::Gone { url: uri(&requested) });
                }
                (None, status) if status.is_success() => {
                    Answer::Page(body(response, &requested).await?)
                }
                (None, status) => return Err(failed(RequestError::answered(status))),
            };
            return Ok(Fetched { requested, url, answer });
        }
        Err(failed(RequestError::Failed(format!("more than {MAX_REDIRECTS} redirects"))))
    }
}

/// Returns the error of a page whose request has failed.
fn failed(requested: &Url, error: &RequestError) -> Error {
    let (url, reason) = (uri(requested), error.to_string());
    match error {
        RequestError::Private(_) => Error::Private { url, reason },
        RequestError::Failed(_) => Error::Unreachable { url, reason },
    }
}

/// Adds the conditions under which a server sends a page again.
fn conditional(request: RequestBuilder, validators: Option<&Validators>) -> RequestBuilder {
    let Some(Validators { etag, last_modified }) = validators else { return request };
    [(IF_NONE_MATCH, etag), (IF_MODIFIED_SINCE, last_modified)].into_iter().fold(
        request,
        |request, (name, value)| match value {
            Some(value) => request.header(name, value),
            None => request,
        },
    )
}

/// Returns whether the content of a type need not be downloaded. A sitemap may be compressed.
fn has_no_use(content_type: &str) -> bool {
    let media_type = MediaType::new(content_type);
    is_binary(&media_type) && media_type.name() != "application/gzip"
}

/// Reads a page to its end. Stops with an error if it is too large.
async fn body(mut response: Response, requested: &Url) -> Result<Body, Error> {
    let headers = response.headers();
    let content_type = header(headers, &CONTENT_TYPE);
    let validators =
        Validators { etag: header(headers, &ETAG), last_modified: header(headers, &LAST_MODIFIED) };
    let mut bytes = Vec::new();
    if content_type.as_deref().is_some_and(has_no_use) {
        return Ok(Body { bytes, content_type, validators });
    }
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > MAX_BYTES => {
                return Err(Error::LongPage { url: uri(requested) });
            }
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(Body { bytes, content_type, validators }),
            Err(error) => return Err(failed(requested, &RequestError::of(&error))),
        }
    }
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(ToOwned::to_owned)
}
