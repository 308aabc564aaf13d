//! What of a page is chrome: scripts, navigation, controls, banners, what is hidden.

use super::tree::{Handle, attributes, tag};

/// The words in a class or an id by which the templates of documentation call what is no content.
const CHROME: [&str; 30] = [
    "toc",
    "table-of-contents",
    "tableofcontents",
    "on-this-page",
    "breadcrumb",
    "breadcrumbs",
    "sidebar",
    "sphinxsidebar",
    "navbar",
    "navheader",
    "navfooter",
    "pagination",
    "pagination-nav",
    "prev-next-area",
    "rst-footer-buttons",
    "wy-nav-side",
    "wy-nav-top",
    "site-header",
    "site-footer",
    "page-header-actions",
    "edit-this-page",
    "theme-doc-footer",
    "skip-link",
    "skip-to-content",
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "linenos",
    "linenodiv",
    "copybtn",
];

/// What banners about cookies are called beside `cookie`.
const BANNERS: [&str; 8] =
    ["banner", "consent", "notice", "popup", "modal", "overlay", "message", "bar"];

/// Where an element stands, as far as it matters for whether it is chrome.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Whether it stands in a `<main>` or an `<article>`, whose header and asides are content.
    pub(super) within: bool,
    /// Whether classes and ids count, which are only a custom.
    pub(super) by_name: bool,
    /// Whether headers are kept, since no heading stands anywhere else.
    pub(super) headers: bool,
}

/// Tells whether an element and all below it is no content.
pub(super) fn is_chrome(node: &Handle, place: Place) -> bool {
    match tag(node) {
        "script" | "style" | "noscript" | "template" | "nav" | "head" | "title" | "meta"
        | "link" | "iframe" | "object" | "embed" | "applet" | "svg" | "canvas" | "video"
        | "audio" | "map" | "input" | "button" | "select" | "option" | "textarea" | "datalist"
        | "progress" | "meter" | "dialog" | "frameset" | "noframes" | "search" | "footer" => {
            return true;
        }
        "header" if !place.within && !place.headers && !is_title_block(node) => return true,
        "aside" if !place.within => return true,
        // A class of these tells how the whole page looks.
        "" | "html" | "body" | "main" | "article" => return false,
        _ => {}
    }
    let Some(attributes) = attributes(node) else { return false };
    attributes.iter().any(|attribute| {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "hidden" => !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => value == "true",
            "style" => is_hidden(value),
            "role" => match value {
                "navigation" | "search" | "menu" | "menubar" | "toolbar" | "dialog"
                | "alertdialog" | "contentinfo" => true,
                "banner" => !place.within && !place.headers,
                "complementary" => !place.within,
                _ => false,
            },
            "class" | "id" => place.by_name && is_named_chrome(value),
            _ => false,
        }
    })
}

/// Tells whether a header is the title of a document rather than of a site, as pandoc writes it.
fn is_title_block(node: &Handle) -> bool {
    let attributes = attributes(node);
    attributes.is_some_and(|list| list.iter().any(|found| &*found.value == "title-block-header"))
}

fn is_hidden(style: &str) -> bool {
    let style = style.to_ascii_lowercase().replace(char::is_whitespace, "");
    style.contains("display:none") || style.contains("visibility:hidden")
}

fn is_named_chrome(names: &str) -> bool {
    names.split_ascii_whitespace().any(|name| {
        CHROME.iter().any(|known| known.eq_ignore_ascii_case(name)) || is_cookie_banner(name)
    })
}

fn is_cookie_banner(name: &str) -> bool {
    // Looked at for every class of a page, so the cheap question comes first.
    if !name.contains(['k', 'K']) && !name.contains("trust") {
        return false;
    }
    let name = name.to_ascii_lowercase();
    name.starts_with("onetrust-")
        || (name.contains("cookie") && BANNERS.iter().any(|banner| name.contains(banner)))
}
