//! Pages of a site that are not loaded, each with its reason.

use std::fmt;

/// A page of a site that is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedPage {
    /// It must not be fetched.
    Blocked(BlockedPage),
    /// It does not exist.
    Missing {
        /// The page.
        page: String,
        /// The page that links to it.
        from: String,
    },
    /// It is another page under a second address.
    Same {
        /// The page.
        page: String,
        /// The address of the other page.
        other: String,
    },
    /// It redirects to a page that is not below the prefix of followed links.
    Outside {
        /// The page.
        page: String,
        /// The target.
        target: String,
    },
    /// It is a sitemap.
    Sitemap(String),
}

/// A page that must not be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockedPage {
    /// It is on another server.
    External(ExternalLink),
    /// The robots.txt of its server disallows this page.
    Disallowed(String),
}

/// A link from a site to another scheme, host or port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLink {
    /// The page that redirects; `None` if a list has the target.
    pub page: Option<String>,
    /// The target, without user, password and query.
    pub target: String,
    /// The difference between both servers, such as `on another host`.
    pub difference: &'static str,
}

impl SkippedPage {
    /// Returns the uri of the page, if its site still has it. Then sync does not treat its document as missing.
    pub fn existing_uri(&self) -> Option<&str> {
        match self {
            Self::Blocked(BlockedPage::External(ExternalLink { page, .. })) => page.as_deref(),
            Self::Blocked(BlockedPage::Disallowed(page)) | Self::Outside { page, .. } => Some(page),
            Self::Missing { .. } | Self::Same { .. } | Self::Sitemap(_) => None,
        }
    }
}

impl fmt::Display for SkippedPage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocked(BlockedPage::External(link)) => link.fmt(formatter),
            Self::Blocked(BlockedPage::Disallowed(page)) => write!(
                formatter,
                "{page}: the robots.txt of its server disallows it; ask the owner to allow the agent passage"
            ),
            Self::Missing { page, from } => {
                write!(formatter, "{page}: page not found, linked from {from}")
            }
            Self::Same { page, other } => write!(formatter, "{page}: the same page as {other}"),
            Self::Outside { page, target } => {
                write!(formatter, "{page} redirects to {target}, outside of the prefix of links")
            }
            Self::Sitemap(page) => write!(formatter, "{page}: a sitemap, not a page"),
        }
    }
}

impl fmt::Display for ExternalLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { page, target, difference } = self;
        match page {
            Some(page) => write!(formatter, "{page} redirects to {target}, {difference}"),
            None => write!(formatter, "{target} is {difference}"),
        }
    }
}
