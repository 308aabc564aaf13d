//! The pages that a sitemap lists, and single pages.

use super::address::{self, redacted, server_difference, uri};
use super::fetch::{Answer, Fetched};
use super::http_cache::HttpCache;
use super::requests::Requests;
use super::{page, sitemap};
use crate::{
    BlockedPage, Error, ExternalLink, Selection, SkippedPage, SourceDocument, SourceEntry,
};
use reqwest::Url;

/// An iterator over a page, or over the pages that it lists if it is a sitemap.
pub(super) struct ListedPages {
    requests: Requests<Listed>,
    http_cache: Box<dyn HttpCache>,
    selection: Selection,
    /// The sitemaps that are being read, the innermost last.
    sitemaps: Vec<Sitemap>,
}

/// A page that is being fetched.
pub(super) struct Listed {
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

impl ListedPages {
    /// Returns an iterator that begins with a page or a sitemap.
    pub(super) fn new(
        requests: Requests<Listed>,
        url: Url,
        http_cache: Box<dyn HttpCache>,
        selection: Selection,
    ) -> Self {
        let mut pages = Self { requests, http_cache, selection, sitemaps: Vec::new() };
        let is_sitemap = address::is_sitemap_name(&url);
        pages.fetch(url, 0, is_sitemap);
        pages
    }

    fn fetch(&mut self, url: Url, depth: usize, is_sitemap: bool) {
        let sitemap = is_sitemap.then(|| url.clone());
        let validators = self.http_cache.validators(&uri(&url));
        self.requests.add(url, validators, Listed { depth, sitemap });
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
            return Some(Ok(Some(SourceEntry::SkippedPage(SkippedPage::Blocked(
                BlockedPage::External(link),
            )))));
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
            Answer::Blocked(page) if depth > 0 => {
                return Some(Ok(SourceEntry::SkippedPage(SkippedPage::Blocked(page))));
            }
            Answer::Blocked(page) => return Some(Err(page.into())),
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

impl Iterator for ListedPages {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while !self.requests.are_full() {
                match self.next_listed() {
                    Some(Ok(None)) => {}
                    Some(Ok(Some(entry))) => return Some(Ok(entry)),
                    Some(Err(error)) => return Some(Err(error)),
                    None => break,
                }
            }
            let (fetched, Listed { depth, sitemap }) = self.requests.next()?;
            let entry = match fetched {
                // Without the sitemap, the list of pages is unknown.
                Ok(Fetched { answer: Answer::Blocked(page), .. }) if sitemap.is_some() => {
                    Some(Err(sitemap_error(sitemap, page.into())))
                }
                Ok(fetched) => self.entry(fetched, depth),
                Err(error) => Some(Err(sitemap_error(sitemap, error))),
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
