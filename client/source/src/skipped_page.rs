//! Pages of a site that are not loaded, each with its reason.

use std::fmt;

/// A page of a site that is not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkippedPage {
    /// It is on another server.
    External(ExternalLink),
    /// The robots.txt of its server disallows this page.
    Disallowed(String),
}

/// A link from a site to another scheme, host or port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalLink {
    /// The page that redirects; `None` if a sitemap lists the target.
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
            Self::External(ExternalLink { page, .. }) => page.as_deref(),
            Self::Disallowed(page) => Some(page),
        }
    }
}

impl fmt::Display for SkippedPage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External(link) => link.fmt(formatter),
            Self::Disallowed(page) => write!(
                formatter,
                "{page}: the robots.txt of its server disallows it; ask the owner to allow the agent passage"
            ),
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
