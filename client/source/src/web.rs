/*!
Pages: documents at http and https addresses, the sites that sitemaps and llms.txt list, and sites whose links are followed.

The uri of a page is its address, without user, password and fragment. The client sends the
validators of the last fetch, so an unchanged page costs one request and no content. An address that
turns out to be a sitemap, and an llms.txt, stand for the pages that they list. Only those of its own scheme, host and
port are fetched, and no redirect to another server is followed. The robots.txt of the server decides which pages
are fetched, and how fast. Several pages are fetched at the same time, and none may be larger than 64 MB.
*/

pub(crate) mod address;
mod content_type;
mod fetch;
mod http_cache;
mod linked_pages;
mod links;
mod listed_pages;
mod llms;
mod markdown;
mod network;
mod page;
mod request;
mod requests;
mod robots;
mod sitemap;

pub use http_cache::{HttpCache, PageLinks};
pub use linked_pages::FollowLinks;
pub use network::Network;
pub(super) use robots::RobotsCache;

use super::{Error, Selection, SourceEntry};
use linked_pages::LinkedPages;
use listed_pages::ListedPages;
use requests::Requests;
use reqwest::Url;

/// How pages are fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// The network that pages are fetched from.
    pub network: Network,
    /// Whether links of the section `Optional` of an `llms.txt` are left out.
    pub skip_optional: bool,
}

/// The entries of pages.
type Pages = Box<dyn Iterator<Item = Result<SourceEntry, Error>> + Send>;

/// Returns an iterator over the page at an address, or over the pages that it lists if it is a
/// sitemap or an `llms.txt`.
///
/// It must be created and read on a thread for blocking work of a tokio runtime.
pub(super) fn listed_pages(
    url: Url,
    options: PageOptions,
    robots: &RobotsCache,
    http_cache: Box<dyn HttpCache>,
    selection: Selection,
) -> Pages {
    match Requests::new(&url, options.network, robots) {
        Ok(requests) => {
            let skip_optional = options.skip_optional;
            Box::new(ListedPages::new(requests, (url, skip_optional), http_cache, selection))
        }
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// Returns an iterator over the page at an address and those that its links lead to.
///
/// It must be created and read on a thread for blocking work of a tokio runtime.
pub(super) fn linked_pages(
    (url, follow): (Url, FollowLinks),
    options: PageOptions,
    robots: &RobotsCache,
    http_cache: Box<dyn HttpCache>,
    selection: Selection,
) -> Pages {
    match Requests::new(&url, options.network, robots) {
        Ok(requests) => Box::new(LinkedPages::new(requests, url, follow, http_cache, selection)),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}
