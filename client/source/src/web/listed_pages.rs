//! The pages that a sitemap or an `llms.txt` lists, and single pages.

use super::address::{self, redacted, server_difference, uri};
use super::fetch::{Answer, Fetched};
use super::http_cache::HttpCache;
use super::links::{decoded_text, is_page};
use super::requests::Requests;
use super::{llms, page, sitemap};
use crate::{
    BlockedPage, Error, ExternalLink, Selection, SkippedPage, SourceDocument, SourceEntry,
};
use reqwest::Url;

/// An iterator over a page, or over the pages that it lists if it is a sitemap or an `llms.txt`.
pub(super) struct ListedPages {
    requests: Requests<Listed>,
    http_cache: Box<dyn HttpCache>,
    selection: Selection,
    /// Whether links of the section `Optional` are left out.
    skip_optional: bool,
    /// The lists that are being read, the innermost last.
    lists: Vec<List>,
    /// The pages of an `llms-full.txt`.
    divided: std::vec::IntoIter<SourceEntry>,
}

/// A page that is being fetched.
pub(super) struct Listed {
    /// The number of lists that lead to it.
    depth: usize,
    /// Its address, if it should be a list.
    list: Option<Url>,
}

/// A list of pages with the entries that are left.
struct List {
    url: Url,
    /// The number of lists that lead to its pages.
    depth: usize,
    entries: std::vec::IntoIter<sitemap::Entry>,
}

impl ListedPages {
    /// Returns an iterator that begins with a page or a sitemap.
    pub(super) fn new(
        requests: Requests<Listed>,
        (url, skip_optional): (Url, bool),
        http_cache: Box<dyn HttpCache>,
        selection: Selection,
    ) -> Self {
        let (lists, divided) = (Vec::new(), Vec::new().into_iter());
        let mut pages = Self { requests, http_cache, selection, skip_optional, lists, divided };
        let is_list = address::is_list_name(&url);
        pages.fetch(url, 0, is_list);
        pages
    }

    fn fetch(&mut self, url: Url, depth: usize, is_list: bool) {
        let list = is_list.then(|| url.clone());
        // An unchanged list is needed too, for its pages.
        let validators = if is_list { None } else { self.http_cache.validators(&uri(&url)) };
        self.requests.add(url, validators, Listed { depth, list });
    }

    /// Takes the next address of the innermost list. Returns an entry if it is not fetched, and
    /// `None` if there is no list left.
    fn next_listed(&mut self) -> Option<Result<Option<SourceEntry>, Error>> {
        let list = self.lists.last_mut()?;
        let Some(entry) = list.entries.next() else {
            self.lists.pop();
            return Some(Ok(None));
        };
        let Ok(mut url) = list.url.join(&entry.address) else {
            let reason = format!("invalid address {}", entry.address.escape_debug());
            return Some(Err(Error::bad_list(uri(&list.url), reason)));
        };
        if let Some(difference) = server_difference(&list.url, &url) {
            let link = ExternalLink { page: None, target: redacted(&url), difference };
            return Some(Ok(Some(SourceEntry::SkippedPage(SkippedPage::Blocked(
                BlockedPage::External(link),
            )))));
        }
        url.set_fragment(None);
        let depth = list.depth;
        if entry.is_sitemap || self.selection.includes(url.path()) {
            self.fetch(url, depth, entry.is_sitemap);
        }
        Some(Ok(None))
    }

    /// Returns the document of a fetched page. Opens a list and returns `None`.
    fn entry(&mut self, fetched: Fetched, depth: usize) -> Option<Result<SourceEntry, Error>> {
        let Fetched { requested, url, answer } = fetched;
        let body = match answer {
            Answer::NotModified => {
                let document = SourceDocument::unchanged(uri(&requested));
                return Some(Ok(SourceEntry::Document(document)));
            }
            Answer::Page(body) => body,
            Answer::Blocked(page) if depth > 0 => {
                return Some(Ok(SourceEntry::SkippedPage(SkippedPage::Blocked(page))));
            }
            Answer::Blocked(page) => return Some(Err(page.into())),
        };
        let entries = if sitemap::is_sitemap(&body.bytes) {
            // A sitemap index lists sitemaps, and these list pages.
            match depth {
                0 | 1 => sitemap::entries(&body.bytes),
                _ => Err("sitemaps are nested more than twice".into()),
            }
        } else if depth == 0 && (llms::is_index(&requested) || llms::is_full(&requested)) {
            let text = decoded_text(&body);
            if is_page(&body) {
                Err("the server sent a page of HTML".into())
            } else if llms::is_index(&requested) {
                llms::entries(&url, &text, self.skip_optional)
            } else {
                match llms::full_pages(&url, &text, &self.selection) {
                    Ok(Some(pages)) => {
                        self.divided = pages.into_iter();
                        return None;
                    }
                    Ok(None) => return Some(page::entry(&requested, &url, body, false)),
                    Err(reason) => Err(reason),
                }
            }
        } else {
            return Some(page::entry(&requested, &url, body, depth > 0));
        };
        match entries {
            Ok(entries) => {
                let depth = depth + 1;
                self.lists.push(List { url, depth, entries: entries.into_iter() });
                None
            }
            Err(reason) => Some(Err(Error::bad_list(uri(&requested), reason))),
        }
    }
}

impl Iterator for ListedPages {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.divided.next() {
                return Some(Ok(entry));
            }
            while !self.requests.are_full() {
                match self.next_listed() {
                    Some(Ok(None)) => {}
                    Some(Ok(Some(entry))) => return Some(Ok(entry)),
                    Some(Err(error)) => return Some(Err(error)),
                    None => break,
                }
            }
            let (fetched, Listed { depth, list }) = self.requests.next()?;
            let entry = match fetched {
                // Without the list, its pages are unknown.
                Ok(Fetched { answer: Answer::Blocked(page), .. }) if list.is_some() => {
                    Some(Err(list_error(list, page.into())))
                }
                Ok(fetched) => self.entry(fetched, depth),
                Err(error) => Some(Err(list_error(list, error))),
            };
            if entry.is_some() {
                return entry;
            }
        }
    }
}

/// Turns the error of a page that should be a list into one of the list. A sync then treats
/// no page as missing.
fn list_error(list: Option<Url>, error: Error) -> Error {
    let Some(list) = list else { return error };
    Error::List { url: uri(&list), reason: error.to_string(), remedy: error.remedy() }
}
