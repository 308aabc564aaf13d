//! Validators and links of pages, as earlier runs stored them.

use crate::Validators;
use serde::{Deserialize, Serialize};

/// The validators and links of pages of earlier runs, so that unchanged pages are not downloaded again.
pub trait HttpCache: Send {
    /// Returns the validators of the page at an address, so that its server can report that it has not changed.
    fn validators(&mut self, uri: &str) -> Option<Validators>;

    /// Returns whether the page at an address is a document of the store, or this cannot be read.
    fn may_be_stored(&mut self, uri: &str) -> bool;

    /// Returns the links that a page had with these validators.
    fn links(&mut self, uri: &str, validators: &Validators) -> Option<PageLinks>;

    /// Keeps the links of a page.
    fn set_links(&mut self, uri: &str, validators: &Validators, links: &PageLinks);
}

/// The links of a page. An unchanged page is not sent again, but its links are still followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLinks {
    /// A hash of the content, by which the same page at another address is recognized.
    pub hash: String,
    /// The addresses on the same server, in their order.
    pub links: Vec<String>,
    /// The address that the page calls its own, on the same server.
    pub canonical: Option<String>,
    /// Whether links are left out, because the page has too many of them or is too large.
    pub is_cut: bool,
}
