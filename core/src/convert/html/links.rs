//! Where links lead, and which are no content.

use super::tree::{Handle, attribute, plain_text};
use url::Url;

/// The classes by which generators call the link of a heading to itself.
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

/// What such links say.
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

/// What links of a page are relative to.
pub(super) struct Links {
    base: Option<Url>,
}

impl Links {
    /// Takes the address of a page, and what the page says of it.
    pub(super) fn new(address: Option<&str>, said: Option<&str>) -> Self {
        let address = address.and_then(|address| Url::parse(address).ok());
        let base = match (said, &address) {
            (Some(said), Some(address)) => address.join(said).ok(),
            (Some(said), None) => Url::parse(said).ok(),
            (None, _) => None,
        };
        // What is no place in a hierarchy, such as `mailto:`, is no base either.
        let base = base.or(address).filter(|base| !base.cannot_be_a_base());
        Self { base }
    }

    /// Returns where a link leads, or `None` for what leads nowhere, such as a script.
    pub(super) fn resolve(&self, link: &str) -> Option<String> {
        let link = link.trim();
        let scheme = link.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("javascript" | "data" | "vbscript" | "blob")) {
            return None;
        }
        let found = self.base.as_ref().and_then(|base| base.join(link).ok());
        let found = found.map_or_else(|| link.to_owned(), String::from);
        // A line end or an angle bracket would end the link in Markdown; a URL has none.
        let clean = |char: char| char.is_control() || matches!(char, '<' | '>');
        (!found.is_empty()).then(|| found.replace(clean, ""))
    }
}

/// Tells whether a link is only there to be copied: the mark beside a heading that leads to it.
pub(super) fn is_permalink(link: &Handle) -> bool {
    let leads = attribute(link, "href");
    let here = leads.is_none_or(|leads| leads.contains('#'));
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

/// Tells whether a link in a heading leads to the source of what that names.
pub(super) fn is_source_link(link: &Handle) -> bool {
    let classes = attribute(link, "class").unwrap_or_default();
    let called = |class: &str| matches!(class, "src" | "srclink" | "source-link" | "viewcode-link");
    classes.split_ascii_whitespace().any(called)
}
