/*!
The pages of a site that links lead to, from a start page, within a folder and a depth.

Pages are read by their distance from the start page. A page that is the same as another one is
skipped: it redirects to it, names it as canonical, or has the same content. So a site with `/docs/` and
`/docs/index.html` becomes one document. A page whose canonical page turns out to be no document is read again as its own.
The links of a page that cannot be read any more are unknown, so a sync then treats no page as missing.
*/

use super::address::{redacted, set_credentials, uri};
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
    /// The pages that name another address as their own, by this address, until it is read.
    copies: HashMap<String, Vec<Link>>,
    /// The addresses that were read, each with whether it is a document.
    read: HashMap<String, bool>,
    /// Entries of pages that waited for another one.
    ready: VecDeque<SourceEntry>,
    /// Whether links are left out because there are too many pages.
    is_cut: bool,
    /// A page some of whose links are unknown.
    partial: Option<String>,
}

/// The result for an address; `None` if it depends on another page, or is excluded.
type Outcome = Option<Result<SourceEntry, Error>>;

/// A link to a page.
pub(super) struct Link {
    url: Url,
    /// The number of links from the start page.
    depth: usize,
    /// The page with the link, or the same page under another address.
    from: String,
    /// The links of the page in an earlier run, whose validators the request has.
    known: Option<PageLinks>,
    /// Whether the page is a document even if it names another address as its own.
    is_own: bool,
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
        let url = start.clone();
        let first = Link { url, depth: 0, from: from.clone(), known: None, is_own: false };
        Self {
            requests,
            start,
            follow,
            http_cache,
            selection,
            waiting: VecDeque::from([first]),
            seen: HashSet::from([from]),
            contents: HashMap::new(),
            copies: HashMap::new(),
            read: HashMap::new(),
            ready: VecDeque::new(),
            is_cut: false,
            partial: None,
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

    /// Returns the outcome of an answer, and follows the links of the page.
    fn outcome(&mut self, fetched: Result<Fetched, Error>, link: &Link) -> Outcome {
        let page = uri(&link.url);
        let is_start = link.url == self.start;
        let Fetched { url, answer, .. } = match fetched {
            Ok(fetched) => fetched,
            Err(Error::Gone { .. }) if !is_start => {
                return skipped(SkippedPage::Missing { page, from: link.from.clone() });
            }
            Err(error @ Error::LongPage { .. }) if !is_start => {
                if self.http_cache.may_be_stored(&page) {
                    self.partial = Some(page);
                }
                return Some(Err(error));
            }
            Err(error) => return Some(Err(error.with_unknown_links())),
        };
        match answer {
            Answer::Blocked(blocked) if is_start || self.http_cache.may_be_stored(&page) => {
                Some(Err(Error::from(blocked).with_unknown_links()))
            }
            Answer::Blocked(blocked) => skipped(SkippedPage::Blocked(blocked)),
            Answer::NotModified => {
                let known = link.known.clone().unwrap_or_default();
                let document = SourceDocument::unchanged(page.clone());
                self.page(known, link, &page, || Ok(SourceEntry::Document(document)))
            }
            Answer::Page(body) if sitemap::is_sitemap(&body.bytes) => {
                if is_start {
                    return Some(Err(LinksError::Sitemap { url: page }.into()));
                }
                skipped(SkippedPage::Sitemap(page))
            }
            Answer::Page(body) if url == link.url => self.read(body, &url, link),
            Answer::Page(_) if is_start => {
                Some(Err(LinksError::Redirect { url: page, target: redacted(&url) }.into()))
            }
            Answer::Page(body) => self.redirected(body, &url, link),
        }
    }

    /// Returns the outcome of a page that redirects to another one.
    fn redirected(&mut self, body: Body, url: &Url, link: &Link) -> Outcome {
        let (page, other) = (uri(&link.url), uri(url));
        if !url.path().starts_with(&self.follow.prefix) {
            let outside = SkippedPage::Outside { page: page.clone(), target: redacted(url) };
            if self.http_cache.may_be_stored(&page) {
                let reason = outside.to_string();
                let remedy = "Check that the page can be read without a login.";
                return Some(Err(LinksError::Unknown { reason, remedy }.into()));
            }
            return skipped(outside);
        }
        if !self.selection.includes(url.path()) {
            return None;
        }
        if !self.seen.insert(other.clone()) {
            return skipped(SkippedPage::Same { page, other });
        }
        let outcome = self.read(body, url, link);
        self.finish(other, is_document(outcome.as_ref()));
        outcome
    }

    /// Returns the outcome of a page that was downloaded.
    fn read(&mut self, body: Body, url: &Url, link: &Link) -> Outcome {
        let page = uri(url);
        let links = page_links(url, &body);
        self.http_cache.set_links(&page, &body.validators, &links);
        let is_listed = link.url != self.start;
        self.page(links, link, &page, || page::entry(url, url, body, is_listed))
    }

    /// Returns the outcome of a page with these links, which are followed unless it is the same as another one.
    fn page(
        &mut self,
        links: PageLinks,
        link: &Link,
        page: &str,
        entry: impl FnOnce() -> Result<SourceEntry, Error>,
    ) -> Outcome {
        let PageLinks { hash, links, canonical, is_cut } = links;
        let same = |other| skipped(SkippedPage::Same { page: page.to_owned(), other });
        let canonical = canonical.filter(|canonical| canonical != page && !link.is_own);
        if let Some(canonical) = canonical.and_then(|canonical| self.inside(&canonical)) {
            let other = uri(&canonical);
            match self.read.get(&other) {
                Some(true) => return same(other),
                Some(false) => {}
                None => {
                    self.add(canonical, page, link.depth);
                    if self.seen.contains(&other)
                        && let Some(url) = self.inside(page)
                    {
                        let (depth, from) = (link.depth, link.from.clone());
                        let copy = Link { url, depth, from, known: None, is_own: true };
                        self.copies.entry(other).or_default().push(copy);
                        return None;
                    }
                }
            }
        }
        if !hash.is_empty() {
            if let Some(other) = self.contents.get(&hash) {
                return same(other.clone());
            }
            self.contents.insert(hash, page.to_owned());
        }
        if is_cut {
            self.partial = Some(page.to_owned());
        }
        if link.depth < self.follow.depth {
            for target in links {
                if let Some(target) = self.inside(&target) {
                    self.add(target, page, link.depth + 1);
                }
            }
        }
        Some(entry())
    }

    /// Notes whether an address is a document. The pages that name it as their own are then skipped, or read again.
    fn finish(&mut self, address: String, is_document: bool) {
        for copy in self.copies.remove(&address).unwrap_or_default() {
            if is_document {
                let (page, other) = (uri(&copy.url), address.clone());
                self.ready.push_back(SourceEntry::SkippedPage(SkippedPage::Same { page, other }));
            } else {
                self.waiting.push_back(copy);
            }
        }
        self.read.insert(address, is_document);
    }

    /// Returns an error if pages may exist that were not found.
    fn unknown_rest(&mut self) -> Option<Error> {
        if std::mem::take(&mut self.is_cut) {
            let (url, max) = (uri(&self.start), self.follow.max_pages);
            return Some(LinksError::TooMany { url, max }.into());
        }
        let reason =
            format!("{}: it is too large, or has more than 10,000 links", self.partial.take()?);
        let remedy = "Exclude the page with --exclude, or ingest a sitemap.";
        Some(LinksError::Unknown { reason, remedy }.into())
    }

    /// Returns the address of a page within the folder. The server is that of the start page.
    fn inside(&self, uri: &str) -> Option<Url> {
        let mut url = Url::parse(uri).ok()?;
        set_credentials(&mut url, &self.start);
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
        self.waiting.push_back(Link {
            url,
            depth,
            from: from.to_owned(),
            known: None,
            is_own: false,
        });
    }
}

#[expect(clippy::unnecessary_wraps, reason = "callers return an outcome")]
fn skipped(page: SkippedPage) -> Outcome {
    Some(Ok(SourceEntry::SkippedPage(page)))
}

fn is_document(outcome: Option<&Result<SourceEntry, Error>>) -> bool {
    matches!(outcome, Some(Ok(SourceEntry::Document(_))))
}

impl Iterator for LinkedPages {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Some(Ok(entry));
            }
            while !self.requests.are_full()
                && let Some(link) = self.waiting.pop_front()
            {
                self.request(link);
            }
            let Some((fetched, link)) = self.requests.next() else {
                return self.unknown_rest().map(Err);
            };
            // An excluded start page leads to others, which are not even fetched if they are excluded.
            let is_included = link.url != self.start || self.selection.includes(link.url.path());
            let outcome = self.outcome(fetched, &link);
            let is_document = is_document(outcome.as_ref());
            self.finish(uri(&link.url), is_document && is_included);
            if outcome.is_some() && (is_included || !is_document) {
                return outcome;
            }
        }
    }
}
