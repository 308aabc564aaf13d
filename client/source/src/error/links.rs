//! Errors of a site whose links are followed.

/// Why the links of a site are not followed, or not all of them. A sync then treats no page as missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinksError {
    /// A page cannot be read.
    #[error("{reason}; the links of this page are unknown")]
    Unknown {
        /// The error of the page.
        reason: String,
        /// Its remedy.
        remedy: &'static str,
    },
    /// The page that the user has named redirects to another one.
    #[error("cannot follow the links of {url}: it redirects to {target}")]
    Redirect {
        /// The page.
        url: String,
        /// The target.
        target: String,
    },
    /// The page that the user has named is a sitemap.
    #[error("cannot follow the links of {url}: it is a sitemap")]
    Sitemap {
        /// The sitemap.
        url: String,
    },
    /// The page that the user has named is not below the prefix of links.
    #[error("{url} is not below the prefix {prefix} of links")]
    OutsidePrefix {
        /// The page.
        url: String,
        /// The prefix.
        prefix: String,
    },
    /// Links lead to more pages than a run may fetch.
    #[error("links of {url} lead to more than {max} pages; the others were left out")]
    TooMany {
        /// The page that the user has named.
        url: String,
        /// The maximum number of pages.
        max: usize,
    },
}

impl LinksError {
    /// Returns the remedy: one or two sentences for the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unknown { remedy, .. } => remedy,
            Self::Redirect { .. } => {
                "Name the target, because links are followed within its folder."
            }
            Self::Sitemap { .. } => "Ingest it without --follow-links.",
            Self::OutsidePrefix { .. } => {
                "Write --link-prefix as the beginning of its path, as in --link-prefix /docs/."
            }
            Self::TooMany { .. } => {
                "Raise --max-pages, name a folder with --link-prefix, or leave out pages with --exclude."
            }
        }
    }
}
