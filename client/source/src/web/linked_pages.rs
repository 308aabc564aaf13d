/*!
The pages of a site that links lead to, from a start page, within a folder and a depth.

Pages are read by their distance from the start page, each address once. A page that is the same as an earlier one is
skipped: it redirects to it, names it as canonical, or has the same content. So a site with `/docs/` and
`/docs/index.html` becomes one document. The links of a page that cannot be read are unknown, so a sync
then treats no page as missing.
*/

use super::address::{redacted, uri};
use super::fetch::{Answer, Body, Fetched};
use super::http_cache::{HttpCache, PageLinks};
use super::links::page_links;
use super::requests::Requests;
use super::{page, sitemap};
use crate::{Error, LinksError, Selection, SkippedPage, SourceDocument, SourceEntry};
use reqwest::Url;
use std::collections::{HashMap, HashSet, VecDeque};

/// The links that are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowLinks {
    /// The beginning of the paths of pages, such as `/docs/`.
    pub prefix: String,
    /// The maximum number of links from the start page to a page.
    pub depth: usize,
    /// The maximum number of pages.
    pub max_pages: usize,
}

impl FollowLinks {
    /// The default of the maximum number of links from the start page to a page.
    pub const DEPTH: usize = 5;

    /// The default of the maximum number of pages.
    pub const MAX_PAGES: usize = 10_000;
}

/// An iterator over the pages that links lead to.
pub(super) struct LinkedPages {
    requests: Requests<Link>,
    start: Url,
    follow: FollowLinks,
    http_cache: Box<dyn HttpCache>,
    selection: Selection,
    waiting: VecDeque<Link>,
    /// The addresses of all pages so far.
    seen: HashSet<String>,
    /// The addresses by the hashes of contents.
    contents: HashMap<String, String>,
    /// The pages that name another address as their own.
    copies: HashSet<String>,
    /// Whether links are left out because there are too many pages.
    is_cut: bool,
}

/// A link to a page.
pub(super) struct Link {
    url: Url,
    /// The number of links from the start page.
    depth: usize,
    /// The page with the link, or the same page under another address.
    from: String,
    /// The links of the page in an earlier run, whose validators the request has.
    known: Option<PageLinks>,
}

impl LinkedPages {
    /// Returns an iterator that begins with a page.
    pub(super) fn new(
        requests: Requests<Link>,
        start: Url,
        follow: FollowLinks,
        http_cache: Box<dyn HttpCache>,
        selection: Selection,
    ) -> Self {
        let from = uri(&start);
        let first = Link { url: start.clone(), depth: 0, from: from.clone(), known: None };
        Self {
            requests,
            start,
            follow,
            http_cache,
            selection,
            waiting: VecDeque::from([first]),
            seen: HashSet::from([from]),
            contents: HashMap::new(),
            copies: HashSet::new(),
            is_cut: false,
        }
    }

    fn request(&mut self, mut link: Link) {
        let uri = uri(&link.url);
        let validators = self.http_cache.validators(&uri);
        // Without its links, the content of the page is needed.
        link.known = validators.as_ref().and_then(|known| self.http_cache.links(&uri, known));
        let validators = validators.filter(|_| link.known.is_some());
        self.requests.add(link.url.clone(), validators, link);
    }

    /// Returns the entry of an answer, and follows its links.
    fn entry(&mut self, fetched: Result<Fetched, Error>, link: Link) -> Result<SourceEntry, Error> {
        let page = uri(&link.url);
        let Fetched { url, answer, .. } = match fetched {
            Ok(fetched) => fetched,
            Err(Error::Gone { .. }) if link.depth > 0 => {
                return Ok(SourceEntry::SkippedPage(SkippedPage::Missing {
                    page,
                    from: link.from,
                }));
            }
            Err(error @ Error::LongPage { .. }) if link.depth > 0 => return Err(error),
            Err(error) => return Err(error.with_unknown_links()),
        };
        match answer {
            Answer::Blocked(page) if link.depth > 0 => {
                Ok(SourceEntry::SkippedPage(SkippedPage::Blocked(page)))
            }
            Answer::Blocked(page) => Err(Error::from(page).with_unknown_links()),
            Answer::NotModified => {
                let known = link.known.clone().unwrap_or_default();
                let document = SourceDocument::unchanged(page.clone());
                self.page(known, &link, &page, || Ok(SourceEntry::Document(document)))
            }
            Answer::Page(body) if sitemap::is_sitemap(&body.bytes) => {
                if link.depth > 0 {
                    return Ok(SourceEntry::SkippedPage(SkippedPage::Sitemap(page)));
                }
                Err(LinksError::Sitemap { url: page }.into())
            }
            Answer::Page(body) if url == link.url => self.read(body, &url, &link),
            Answer::Page(_) if link.depth == 0 => {
                Err(LinksError::Redirect { url: page, target: redacted(&url) }.into())
            }
            Answer::Page(body) => {
                let target = uri(&url);
                if !url.path().starts_with(&self.follow.prefix) {
                    return Ok(SourceEntry::SkippedPage(SkippedPage::Outside { page, target }));
                }
                if !self.seen.insert(target.clone()) {
                    return Ok(SourceEntry::SkippedPage(SkippedPage::Same { page, other: target }));
                }
                self.read(body, &url, &link)
            }
        }
    }

    /// Returns the entry of a page that was downloaded.
    fn read(&mut self, body: Body, url: &Url, link: &Link) -> Result<SourceEntry, Error> {
        let page = uri(url);
        let links = page_links(url, &body);
        self.http_cache.set_links(&page, &body.validators, &links);
        self.page(links, link, &page, || page::entry(url, url, body, link.depth > 0))
    }

    /// Returns the entry of a page with these links, or that it is the same as another one. Follows the links.
    fn page(
        &mut self,
        links: PageLinks,
        link: &Link,
        page: &str,
        entry: impl FnOnce() -> Result<SourceEntry, Error>,
    ) -> Result<SourceEntry, Error> {
        let PageLinks { hash, links, canonical } = links;
        let same = |other| {
            Ok(SourceEntry::SkippedPage(SkippedPage::Same { page: page.to_owned(), other }))
        };
        // Two pages that name each other would both be skipped.
        let is_other = |canonical: &String| canonical != page && !self.copies.contains(canonical);
        let canonical = canonical.filter(is_other).and_then(|canonical| self.inside(&canonical));
        if let Some(canonical) = canonical {
            let other = uri(&canonical);
            self.copies.insert(page.to_owned());
            self.add(canonical, page, link.depth);
            return same(other);
        }
        if !hash.is_empty() {
            if let Some(other) = self.contents.get(&hash) {
                return same(other.clone());
            }
            self.contents.insert(hash, page.to_owned());
        }
        if link.depth < self.follow.depth {
            for target in links {
                if let Some(target) = self.inside(&target) {
                    self.add(target, page, link.depth + 1);
                }
            }
        }
        entry()
    }

    /// Returns the address of a page within the folder. The server is that of the start page.
    fn inside(&self, uri: &str) -> Option<Url> {
        let mut url = Url::parse(uri).ok()?;
        // Every address with a host accepts these changes.
        let _ = url.set_username(self.start.username());
        let _ = url.set_password(self.start.password());
        url.path().starts_with(&self.follow.prefix).then_some(url)
    }

    /// Adds a page to those that are fetched, unless it is excluded or was added before.
    fn add(&mut self, url: Url, from: &str, depth: usize) {
        let uri = uri(&url);
        if self.seen.contains(&uri) || !self.selection.includes(url.path()) {
            return;
        }
        if self.seen.len() >= self.follow.max_pages {
            self.is_cut = true;
            return;
        }
        self.seen.insert(uri);
        self.waiting.push_back(Link { url, depth, from: from.to_owned(), known: None });
    }
}

impl Iterator for LinkedPages {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while !self.requests.are_full()
                && let Some(link) = self.waiting.pop_front()
            {
                self.request(link);
            }
            let Some((fetched, link)) = self.requests.next() else {
                let is_cut = std::mem::take(&mut self.is_cut);
                let (url, max) = (uri(&self.start), self.follow.max_pages);
                return is_cut.then_some(Err(LinksError::TooMany { url, max }.into()));
            };
            // An excluded start page leads to others, which are not even fetched if they are excluded.
            let is_included = link.depth > 0 || self.selection.includes(link.url.path());
            let entry = self.entry(fetched, link);
            if is_included || !matches!(entry, Ok(SourceEntry::Document(_))) {
                return Some(entry);
            }
        }
    }
}
