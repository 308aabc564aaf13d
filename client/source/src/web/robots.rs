/*!
The rules of robots.txt, by RFC 9309: which pages of a server programs may fetch, and how often.

The file of a server is read before its first page, and once for a run. A server without one allows all
pages. If the server fails, its rules are unknown, so no page is fetched. Redirects of the file are followed to other
servers, too, unless these are private.
*/

use super::address::{is_web, redirect_target, server};
use super::network::Network;
use super::request::{RequestError, first_bytes, send};
use reqwest::{Client, StatusCode, Url};
use robotxt::{AccessResult, BYTE_LIMIT, Robots};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// The name of this program in robots.txt.
const AGENT: &str = "passage";

/// The maximum number of redirects of robots.txt. Behind more, the file counts as missing.
const MAX_REDIRECTS: usize = 5;

/// The longest time between two requests that a server may ask for by `Crawl-delay`. Some ask for hours.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// The rules of all servers of a run. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RobotsCache(Arc<Mutex<HashMap<String, Arc<Server>>>>);

/// The rules of a server, and its next request.
#[derive(Debug, Default)]
pub(super) struct Server {
    rules: OnceCell<Rules>,
    /// The earliest time of the next request, if the server asks for a delay.
    next_request: Mutex<Option<Instant>>,
}

/// The rules of a server, or why they cannot be read.
type Rules = Result<Robots, RequestError>;

/// Why a page must not be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The rules disallow it.
    Disallowed,
    /// The rules cannot be read.
    Unknown(RequestError),
}

impl RobotsCache {
    /// Returns the server of an address.
    pub(super) fn server(&self, url: &Url) -> Arc<Server> {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(servers.entry(server(url)).or_default())
    }
}

impl Server {
    /// Returns an error if the page at an address of this server must not be fetched.
    pub(super) async fn check(
        &self,
        client: &Client,
        network: Network,
        url: &Url,
    ) -> Result<(), Refused> {
        let rules = self.rules.get_or_init(async || {
            rules(client, network, url).await.map_err(|error| match error {
                RequestError::Failed(reason) => {
                    RequestError::Failed(format!("the robots.txt of its server: {reason}"))
                }
                private @ RequestError::Private(_) => private,
            })
        });
        let rules = rules.await;
        match rules {
            Ok(robots) if robots.is_url_allowed(url) => Ok(()),
            Ok(_) => Err(Refused::Disallowed),
            Err(error) => Err(Refused::Unknown(error.clone())),
        }
    }

    /// Waits until the server accepts the next request.
    pub(super) async fn wait(&self) {
        if let Some(request) = self.reserve(Instant::now()) {
            tokio::time::sleep_until(request).await;
        }
    }

    /// Returns the time of the next request, if the server asks for a delay between requests.
    fn reserve(&self, now: Instant) -> Option<Instant> {
        let delay = self.rules.get()?.as_ref().ok()?.crawl_delay()?;
        let mut next = self.next_request.lock().unwrap_or_else(PoisonError::into_inner);
        let request = next.unwrap_or(now).max(now);
        *next = Some(request + delay.min(MAX_DELAY));
        Some(request)
    }
}

/// Reads the rules of the server of an address.
async fn rules(client: &Client, network: Network, page: &Url) -> Rules {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    for _ in 0..=MAX_REDIRECTS {
        network.check(&url).map_err(RequestError::Private)?;
        let response = send(&client.get(url.clone())).await?;
        let status = response.status();
        if let Some(target) = redirect_target(&url, &response).filter(is_web) {
            url = target;
        } else if status.is_success() {
            let bytes = first_bytes(response, BYTE_LIMIT + 1).await?;
            return Ok(Robots::from_access(AccessResult::Successful(&bytes), AGENT));
        } else if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(RequestError::answered(status));
        } else {
            return Ok(Robots::from_access(AccessResult::Unavailable, AGENT));
        }
    }
    Ok(Robots::from_access(AccessResult::TooManyRedirects, AGENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_as_far_apart_as_the_server_asks_within_reason() {
        for (asked, milliseconds) in [
            ("2", Some(2_000)),
            ("0.5", Some(500)),
            ("86400", Some(10_000)),
            ("1e300", None),
            ("-1", None),
            ("soon", None),
        ] {
            let server = Server::default();
            let file = format!("User-agent: Passage\nCrawl-delay: {asked}\n");
            server.rules.set(Ok(Robots::parse(file.as_bytes(), AGENT))).unwrap();
            let now = Instant::now();
            let times = [server.reserve(now), server.reserve(now), server.reserve(now)];
            let after = |count: u32| Some(now + Duration::from_millis(milliseconds?) * count);
            assert_eq!(times, [after(0), after(1), after(2)], "{asked}");
        }
    }
}
