//! The links of a page to other pages of its server.

use super::address::{server_difference, uri};
use super::content_type::{charset, media_type};
use super::fetch::Body;
use super::http_cache::PageLinks;
use super::markdown::markdown_links;
use passage_split::{MediaType, PageReferences, decode, page_references};
use reqwest::Url;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of links of a page.
const MAX_LINKS: usize = 10_000;

/// The maximum length of an address in bytes. Longer ones are not those of pages.
const MAX_ADDRESS: usize = 2_048;

/// Returns the links of a page of HTML or Markdown. Other documents have none.
pub(super) fn page_links(url: &Url, body: &Body) -> PageLinks {
    if body.bytes.is_empty() {
        return PageLinks::default();
    }
    let hash = format!("{:x}", Sha256::digest(&body.bytes));
    // A page that is too large for its links fails as a document, too.
    let Some(PageReferences { links, canonical }) = references(url, body) else {
        return PageLinks { hash, is_cut: true, ..PageLinks::default() };
    };
    let mut seen = HashSet::new();
    let links = links.iter().filter_map(|link| on_server(url, link));
    let mut links = links.filter(|link| seen.insert(link.clone()));
    let first = links.by_ref().take(MAX_LINKS).collect();
    let is_cut = links.next().is_some();
    let canonical = canonical.and_then(|link| on_server(url, &link));
    PageLinks { hash, links: first, canonical, is_cut }
}

/// Returns the uri of a link to the same server.
fn on_server(page: &Url, link: &str) -> Option<String> {
    let target = page.join(link).ok().filter(|target| server_difference(page, target).is_none())?;
    Some(uri(&target)).filter(|uri| uri.len() <= MAX_ADDRESS)
}

/// Returns the references of a page, or `None` if it is too large for them.
fn references(url: &Url, body: &Body) -> Option<PageReferences> {
    let content_type = body.content_type.as_deref();
    let media_type = media_type(MediaType::new(content_type.unwrap_or_default()), url);
    let structure = media_type.as_ref().map(|media_type| media_type.structure().to_owned());
    match structure.as_deref() {
        Some("text/html") => {
            let text = decoded_text(body);
            page_references(&text, Some(url.as_str())).ok()
        }
        Some("text/markdown") => {
            let links = markdown_links(&decoded_text(body));
            let links = links.into_iter().map(|link| link.target).collect();
            Some(PageReferences { links, canonical: None })
        }
        _ => Some(PageReferences::default()),
    }
}

/// Returns whether a page is HTML.
pub(super) fn is_page(body: &Body) -> bool {
    let media_type = MediaType::new(body.content_type.as_deref().unwrap_or_default());
    media_type.structure() == "text/html"
}

/// Returns the text of a page.
pub(super) fn decoded_text(body: &Body) -> Cow<'_, str> {
    if let Some(encoding) = charset(body.content_type.as_deref()) {
        return encoding.decode(&body.bytes).0;
    }
    match decode(&body.bytes, &MediaType::new("text/html"), None) {
        Ok(decoded) => decoded.text,
        Err(_) => String::from_utf8_lossy(&body.bytes),
    }
}
