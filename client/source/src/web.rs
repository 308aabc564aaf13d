/*!
Pages: documents at http and https addresses, and the sites that sitemaps list.

The uri of a page is its address, without user, password and fragment. The client sends the
validators of the last fetch, so an unchanged page costs one request and no content. An address that
turns out to be a sitemap stands for the pages that it lists. Only those of its own scheme, host and
port are fetched, and no redirect to another server is followed. The robots.txt of the server decides which pages
are fetched, and how fast. Several pages are fetched at the same time, and none may be larger than 64 MB.
*/

pub(crate) mod address;
mod fetch;
mod network;
mod page;
mod request;
mod robots;
mod sitemap;

pub use network::Network;
pub(super) use robots::RobotsCache;

use super::{Error, ExternalLink, Selection, SkippedPage, SourceDocument, SourceEntry, Validators};
use address::{redacted, server_difference, uri};
use fetch::{Answer, Fetched, Session};
use passage_http as http;
use reqwest::Url;
use std::collections::VecDeque;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// The number of pages that are fetched at the same time.
const CONCURRENCY: usize = 4;

/// Looks up the validators of the page at an address, so that its server can report that it has not
/// changed.
pub type HttpCache = Box<dyn FnMut(&str) -> Option<Validators> + Send>;

/// Returns an iterator over the page at an address, or over the pages that it lists if it is a
/// sitemap.
///
/// It must be created and read on a thread for blocking work of a tokio runtime.
pub(super) fn pages(
    url: Url,
    network: Network,
    robots: &RobotsCache,
    http_cache: HttpCache,
    selection: Selection,
) -> Box<dyn Iterator<Item = Result<SourceEntry, Error>> + Send> {
    if http::has_credentials(&url) && !http::is_confidential(&url) {
        return Box::new(std::iter::once(Err(Error::PlainPassword { url: uri(&url) })));
    }
    let runtime = Handle::try_current().map_err(|error| error.to_string());
    match runtime.and_then(|runtime| Ok((runtime, request::client(network, &url)?))) {
        Ok((runtime, client)) => {
            let (sitemaps, fetches) = (Vec::new(), VecDeque::new());
            let session = Session { client, network, server: robots.server(&url) };
            let mut pages = Pages { session, runtime, http_cache, selection, sitemaps, fetches };
            let is_sitemap = address::is_sitemap_name(&url);
            pages.fetch(url, 0, is_sitemap);
            Box::new(pages)
        }
        Err(reason) => {
            Box::new(std::iter::once(Err(Error::Unreachable { url: uri(&url), reason })))
        }
    }
}

/// An iterator that fetches pages.
struct Pages {
    session: Session,
    runtime: Handle,
    http_cache: HttpCache,
    selection: Selection,
    /// The sitemaps that are being read, the innermost last.
    sitemaps: Vec<Sitemap>,
    fetches: VecDeque<Fetch>,
}

/// A page that is being fetched.
struct Fetch {
    task: JoinHandle<Result<Fetched, Error>>,
    /// The number of sitemaps that lead to it.
    depth: usize,
    /// Its address, if it should be a sitemap.
    sitemap: Option<Url>,
}

/// A sitemap with the entries that are left.
struct Sitemap {
    url: Url,
    /// The number of sitemaps that lead to its pages.
    depth: usize,
    entries: std::vec::IntoIter<sitemap::Entry>,
}

impl Pages {
    fn fetch(&mut self, url: Url, depth: usize, is_sitemap: bool) {
        let sitemap = is_sitemap.then(|| url.clone());
        let validators = (self.http_cache)(&uri(&url));
        let fetch = self.session.clone().fetch(url, validators);
        self.fetches.push_back(Fetch { task: self.runtime.spawn(fetch), depth, sitemap });
    }

    /// Takes the next address of the innermost sitemap. Returns an entry if it is not fetched, and
    /// `None` if there is no sitemap left.
    fn next_listed(&mut self) -> Option<Result<Option<SourceEntry>, Error>> {
        let sitemap = self.sitemaps.last_mut()?;
        let Some(entry) = sitemap.entries.next() else {
            self.sitemaps.pop();
            return Some(Ok(None));
        };
        let Ok(mut url) = sitemap.url.join(&entry.address) else {
            let reason = format!("invalid address {}", entry.address.escape_debug());
            return Some(Err(Error::bad_sitemap(uri(&sitemap.url), reason)));
        };
        if let Some(difference) = server_difference(&sitemap.url, &url) {
            let link = ExternalLink { page: None, target: redacted(&url), difference };
            return Some(Ok(Some(SourceEntry::SkippedPage(SkippedPage::External(link)))));
        }
        url.set_fragment(None);
        let depth = sitemap.depth;
        if entry.is_sitemap || self.selection.includes(url.path()) {
            self.fetch(url, depth, entry.is_sitemap);
        }
        Some(Ok(None))
    }

    /// Returns the document of a fetched page. Opens a sitemap and returns `None`.
    fn entry(&mut self, fetched: Fetched, depth: usize) -> Option<Result<SourceEntry, Error>> {
        let Fetched { requested, url, answer } = fetched;
        let body = match answer {
            Answer::NotModified => {
                let document = SourceDocument::unchanged(uri(&requested));
                return Some(Ok(SourceEntry::Document(document)));
            }
            Answer::Page(body) if sitemap::is_sitemap(&body.bytes) => body,
            Answer::Page(body) => return Some(page::entry(&requested, &url, body, depth > 0)),
            Answer::Skipped(page) if depth > 0 => return Some(Ok(SourceEntry::SkippedPage(page))),
            Answer::Skipped(page) => return Some(Err(page.into())),
        };
        // A sitemap index lists sitemaps, and these list pages.
        let entries = match depth {
            0 | 1 => sitemap::entries(&body.bytes),
            _ => Err("sitemaps are nested more than twice".into()),
        };
        match entries {
            Ok(entries) => {
                let depth = depth + 1;
                self.sitemaps.push(Sitemap { url, depth, entries: entries.into_iter() });
                None
            }
            Err(reason) => Some(Err(Error::bad_sitemap(uri(&requested), reason))),
        }
    }
}

impl Iterator for Pages {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.fetches.len() < CONCURRENCY {
                match self.next_listed() {
                    Some(Ok(None)) => {}
                    Some(Ok(Some(entry))) => return Some(Ok(entry)),
                    Some(Err(error)) => return Some(Err(error)),
                    None => break,
                }
            }
            let Fetch { task, depth, sitemap } = self.fetches.pop_front()?;
            let entry = match self.runtime.block_on(task) {
                // Without the sitemap, the list of pages is unknown.
                Ok(Ok(Fetched { answer: Answer::Skipped(page), .. })) if sitemap.is_some() => {
                    Some(Err(sitemap_error(sitemap, page.into())))
                }
                Ok(Ok(fetched)) => self.entry(fetched, depth),
                Ok(Err(error)) => Some(Err(sitemap_error(sitemap, error))),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            };
            if entry.is_some() {
                return entry;
            }
        }
    }
}

/// Turns the error of a page that should be a sitemap into one of the sitemap. A sync then treats
/// no page as missing.
fn sitemap_error(sitemap: Option<Url>, error: Error) -> Error {
    let Some(sitemap) = sitemap else { return error };
    Error::Sitemap { url: uri(&sitemap), reason: error.to_string(), remedy: error.remedy() }
}
