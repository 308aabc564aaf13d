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
use std::fmt::Write;

/// The maximum number of links of a page.
const MAX_LINKS: usize = 10_000;

/// The maximum length of an address in bytes. Longer ones are not those of pages.
const MAX_ADDRESS: usize = 2_048;

/// Returns the links of a page of HTML or Markdown. Other documents have none.
pub(super) fn page_links(url: &Url, body: &Body) -> PageLinks {
    let PageReferences { links, canonical } = references(url, body);
    let mut seen = HashSet::new();
    let links = links.iter().filter_map(|link| on_server(url, link));
    let links = links.filter(|link| seen.insert(link.clone())).take(MAX_LINKS).collect();
    let canonical = canonical.and_then(|link| on_server(url, &link));
    if body.bytes.is_empty() {
        return PageLinks::default();
    }
    let hash = Sha256::digest(&body.bytes).iter().fold(String::new(), |mut hash, byte| {
        write!(hash, "{byte:02x}").expect("a string takes any text");
        hash
    });
    PageLinks { hash, links, canonical }
}

/// Returns the uri of a link to the same server.
fn on_server(page: &Url, link: &str) -> Option<String> {
    let target = page.join(link).ok().filter(|target| server_difference(page, target).is_none())?;
    Some(uri(&target)).filter(|uri| uri.len() <= MAX_ADDRESS)
}

fn references(url: &Url, body: &Body) -> PageReferences {
    let content_type = body.content_type.as_deref();
    let media_type = media_type(MediaType::new(content_type.unwrap_or_default()), url);
    let structure = media_type.as_ref().map(|media_type| media_type.structure().to_owned());
    match structure.as_deref() {
        Some("text/html") => {
            let text = decoded_text(body);
            // A page that is too large for its links fails as a document, too.
            page_references(&text, Some(url.as_str())).unwrap_or_default()
        }
        Some("text/markdown") => {
            let links = markdown_links(&decoded_text(body));
            let links = links.into_iter().map(|link| link.target).collect();
            PageReferences { links, canonical: None }
        }
        _ => PageReferences::default(),
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
