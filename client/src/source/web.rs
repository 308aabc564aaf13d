/*!
Pages: what http and https addresses give, and the sites that sitemaps list.

A page is known by its address, without a fragment and without what it says of users. What its
server told of it when it was last fetched is sent along, so that a page that is as it was costs a
request and nothing else. An address that turns out to be a sitemap stands for the pages it lists;
only those of its own scheme, host and port are fetched, and no redirect leads elsewhere. Some pages
are under way at a time, and none is larger than 64 MB.
*/

mod fetch;
mod network;
mod page;
mod sitemap;

pub use network::Network;

use super::{Error, Filter, Foreign, Found, Item, Validators};
use crate::http;
use fetch::{Answer, Fetched};
use reqwest::Url;
use std::collections::VecDeque;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How many pages are under way.
const UNDER_WAY: usize = 4;

/// Tells what is remembered of the page at an address, so that its server can be asked for changes.
pub type Remembered = Box<dyn FnMut(&str) -> Option<Validators> + Send>;

/// Reads an address, which may hold a name and a password.
///
/// # Errors
///
/// [`Error::Unreachable`] if it is none of http or https.
pub fn address(argument: &str) -> Result<Url, Error> {
    let refused = |reason: String| Error::Unreachable { url: argument.to_owned(), reason };
    let mut url = Url::parse(argument).map_err(|error| refused(error.to_string()))?;
    if !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it is no address of http or https".into()));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Returns an address as documents are known by it: without users and passwords.
pub fn uri(url: &Url) -> String {
    let mut url = url.clone();
    // They can be taken off whatever has a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url.into()
}

/// Returns an address for messages: also without its query, where keys may stand.
fn place(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    uri(&url)
}

/// Tells what two addresses do not have in common of what makes a server.
fn differs(from: &Url, to: &Url) -> Option<&'static str> {
    if from.scheme() != to.scheme() {
        Some("under another scheme")
    } else if from.host_str() != to.host_str() {
        Some("on another host")
    } else {
        (from.port_or_known_default() != to.port_or_known_default()).then_some("on another port")
    }
}

/// Makes an error of a page one of the sitemap that it should be, so that no page is taken for gone.
fn listing(site: Option<Url>, error: Error) -> Error {
    let Some(site) = site else { return error };
    Error::Sitemap { url: uri(&site), reason: error.to_string(), remedy: error.remedy() }
}

/// Tells whether an address is that of a sitemap by its name.
pub(super) fn is_site(url: &Url) -> bool {
    url.path().rsplit('/').next().is_some_and(|name| name.contains("sitemap"))
}

/// Fetches an address, and what it lists if it is a sitemap.
///
/// It has to be made and read where a runtime may be waited for: in one of its threads for
/// blocking.
pub(super) fn pages(
    url: Url,
    network: Network,
    remembered: Remembered,
    filter: Filter,
) -> Box<dyn Iterator<Item = Result<Found, Error>> + Send> {
    if http::has_credentials(&url) && !http::is_confidential(&url) {
        return Box::new(std::iter::once(Err(Error::PlainPassword { url: uri(&url) })));
    }
    let runtime = Handle::try_current().map_err(|error| error.to_string());
    match runtime.and_then(|runtime| Ok((runtime, fetch::client(network, &url)?))) {
        Ok((runtime, client)) => {
            let (sites, under_way) = (Vec::new(), VecDeque::new());
            let mut pages =
                Pages { client, network, runtime, remembered, filter, sites, under_way };
            let is_sitemap = is_site(&url);
            pages.fetch(url, 0, is_sitemap);
            Box::new(pages)
        }
        Err(reason) => {
            Box::new(std::iter::once(Err(Error::Unreachable { url: uri(&url), reason })))
        }
    }
}

/// Pages on their way.
struct Pages {
    client: reqwest::Client,
    network: Network,
    runtime: Handle,
    remembered: Remembered,
    filter: Filter,
    /// The sitemaps that are being read, the innermost last.
    sites: Vec<Site>,
    under_way: VecDeque<UnderWay>,
}

/// A page that is being fetched.
struct UnderWay {
    fetched: JoinHandle<Result<Fetched, Error>>,
    /// How many sitemaps it was found through.
    depth: usize,
    /// Its address, if it should be a sitemap.
    site: Option<Url>,
}

/// What a sitemap lists.
struct Site {
    url: Url,
    /// How many sitemaps its pages were found through.
    depth: usize,
    entries: std::vec::IntoIter<sitemap::Entry>,
}

impl Pages {
    fn fetch(&mut self, url: Url, depth: usize, is_sitemap: bool) {
        let site = is_sitemap.then(|| url.clone());
        let validators = (self.remembered)(&uri(&url));
        let fetched =
            self.runtime.spawn(fetch::fetch(self.client.clone(), self.network, url, validators));
        self.under_way.push_back(UnderWay { fetched, depth, site });
    }

    /// Takes the next address of the innermost sitemap, or returns what is to be said of it.
    fn list(&mut self) -> Option<Result<Option<Found>, Error>> {
        let site = self.sites.last_mut()?;
        let Some(entry) = site.entries.next() else {
            self.sites.pop();
            return Some(Ok(None));
        };
        let Ok(mut url) = site.url.join(&entry.address) else {
            let reason = format!("{} is no address", entry.address.escape_debug());
            return Some(Err(Error::bad_sitemap(uri(&site.url), reason)));
        };
        if let Some(differs) = differs(&site.url, &url) {
            return Some(Ok(Some(Found::Foreign(Foreign {
                page: None,
                target: place(&url),
                differs,
            }))));
        }
        url.set_fragment(None);
        let depth = site.depth;
        if entry.is_sitemap || self.filter.takes(url.path()) {
            self.fetch(url, depth, entry.is_sitemap);
        }
        Some(Ok(None))
    }

    /// Makes a document of what came, or goes on with what a sitemap lists.
    fn take(&mut self, fetched: Fetched, depth: usize) -> Option<Result<Found, Error>> {
        let Fetched { asked, url, answer } = fetched;
        let body = match answer {
            Answer::Unchanged => return Some(Ok(Found::Item(Item::unchanged(uri(&asked))))),
            Answer::Page(body) if sitemap::is_sitemap(&body.bytes) => body,
            Answer::Page(body) => return Some(page::found(&asked, &url, body, depth > 0)),
            Answer::Elsewhere(link) if depth > 0 => return Some(Ok(Found::Foreign(link))),
            Answer::Elsewhere(link) => return Some(Err(Error::Redirect(link))),
        };
        // An index lists sitemaps, and those list pages.
        let entries = match depth {
            0 | 1 => sitemap::entries(&body.bytes),
            _ => Err("it is a sitemap in a sitemap in a sitemap".into()),
        };
        match entries {
            Ok(entries) => {
                let depth = depth + 1;
                self.sites.push(Site { url, depth, entries: entries.into_iter() });
                None
            }
            Err(reason) => Some(Err(Error::bad_sitemap(uri(&asked), reason))),
        }
    }
}

impl Iterator for Pages {
    type Item = Result<Found, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.under_way.len() < UNDER_WAY {
                match self.list() {
                    Some(Ok(None)) => {}
                    Some(Ok(Some(found))) => return Some(Ok(found)),
                    Some(Err(error)) => return Some(Err(error)),
                    None => break,
                }
            }
            let UnderWay { fetched, depth, site } = self.under_way.pop_front()?;
            let found = match self.runtime.block_on(fetched) {
                // Without a sitemap nobody knows which pages there are.
                Ok(Ok(Fetched { answer: Answer::Elsewhere(link), .. })) if site.is_some() => {
                    Some(Err(listing(site, Error::Redirect(link))))
                }
                Ok(Ok(fetched)) => self.take(fetched, depth),
                Ok(Err(error)) => Some(Err(listing(site, error))),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_without_fragments_and_passwords() {
        let known = |argument: &str| uri(&address(argument).unwrap());
        assert_eq!(
            known("https://me:secret@example.org/a.md?b=1#c"),
            "https://example.org/a.md?b=1"
        );
        assert_eq!(known("http://example.org"), "http://example.org/");
        assert!(address("https://").is_err() && address("file:///etc/passwd").is_err());
    }
}
