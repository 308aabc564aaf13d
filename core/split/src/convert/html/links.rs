//! Link targets, and links that are not content.

use super::tree::{Handle, attribute, plain_text};
use url::Url;

/// The classes that generators give to the permalink of a heading.
const PERMALINKS: [&str; 11] = [
    "headerlink",
    "header-anchor",
    "headeranchor-link",
    "hash-link",
    "anchor-link",
    "anchor",
    "anchorjs-link",
    "heading-anchor",
    "permalink",
    "doc-anchor",
    "mark",
];

/// The texts of such permalinks, in lower case.
const MARKS: [&str; 12] = [
    "",
    "#",
    "¶",
    "§",
    "🔗",
    "permalink",
    "anchor",
    "link",
    "copy link",
    "link to this heading",
    "direct link to heading",
    "permalink to this heading",
];

/// Resolves the links of a page.
pub(super) struct Links {
    base: Option<Url>,
}

impl Links {
    /// Creates a resolver from the address of a page and the `href` of its `<base>` element.
    pub(super) fn new(address: Option<&str>, declared: Option<&str>) -> Self {
        let address = address.and_then(|address| Url::parse(address).ok());
        let base = match (declared, &address) {
            (Some(declared), Some(address)) => address.join(declared).ok(),
            (Some(declared), None) => Url::parse(declared).ok(),
            (None, _) => None,
        };
        // An address without a hierarchy, such as `mailto:`, is not a base.
        let base = base.or(address).filter(|base| !base.cannot_be_a_base());
        Self { base }
    }

    /// Returns the target of a link, or `None` for scripts and embedded data.
    pub(super) fn resolve(&self, link: &str) -> Option<String> {
        let link = link.trim();
        let scheme = link.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("javascript" | "data" | "vbscript" | "blob")) {
            return None;
        }
        let target = self.base.as_ref().and_then(|base| base.join(link).ok());
        let target = target.map_or_else(|| link.to_owned(), String::from);
        // A line end or an angle bracket would end the link in Markdown. A URL contains neither.
        let clean = |char: char| char.is_control() || matches!(char, '<' | '>');
        (!target.is_empty()).then(|| target.replace(clean, ""))
    }
}

/// Returns whether a link is the permalink beside a heading.
pub(super) fn is_permalink(link: &Handle) -> bool {
    let target = attribute(link, "href");
    let here = target.is_none_or(|target| target.contains('#'));
    if !here {
        return false;
    }
    let text = plain_text(link);
    if matches!(&*text, "#" | "¶" | "§" | "🔗") {
        return true;
    }
    let classes = attribute(link, "class").unwrap_or_default();
    let mut classes = classes.split_ascii_whitespace();
    classes.any(|class| PERMALINKS.contains(&class)) && MARKS.contains(&&*text.to_lowercase())
}

/// Returns whether a link in a heading leads to the source code of the documented item.
pub(super) fn is_source_link(link: &Handle) -> bool {
    let classes = attribute(link, "class").unwrap_or_default();
    let called = |class: &str| matches!(class, "src" | "srclink" | "source-link" | "viewcode-link");
    classes.split_ascii_whitespace().any(called)
}
