//! Boilerplate of a page: scripts, navigation, controls, banners and hidden elements.

use super::tree::{Handle, attributes, parent, tag};

/// Words in a class or id that documentation templates use for boilerplate.
const BOILERPLATE: [&str; 30] = [
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

/// Words that mark a cookie banner together with `cookie`.
const BANNERS: [&str; 8] =
    ["banner", "consent", "notice", "popup", "modal", "overlay", "message", "bar"];

/// Parts of a class that mark a panel of which a page shows one at a time: a tab, or a part of an accordion.
const PANELS: [&str; 8] = [
    "tab-pane",
    "tabpane",
    "tab-panel",
    "tabpanel",
    "tab-content",
    "tabcontent",
    "tabs-panel",
    "accordion",
];

/// The part of a page and the rules for boilerplate in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PageContext {
    /// Whether the element is in a `<main>` or an `<article>`, whose header and asides are content.
    pub(super) within: bool,
    /// Whether classes and ids count. They are only a convention.
    pub(super) by_name: bool,
    /// Whether headers are content because they have the only heading.
    pub(super) headers: bool,
}

/// Returns whether an element and its descendants are boilerplate.
pub(super) fn is_boilerplate(node: &Handle, context: PageContext) -> bool {
    match tag(node) {
        "script" | "style" | "noscript" | "template" | "nav" | "head" | "title" | "meta"
        | "link" | "iframe" | "object" | "embed" | "applet" | "svg" | "canvas" | "video"
        | "audio" | "map" | "input" | "button" | "select" | "option" | "textarea" | "datalist"
        | "progress" | "meter" | "dialog" | "frameset" | "noframes" | "search" => return true,
        "footer" if !is_of_section(node) => return true,
        "header" if !context.within && !context.headers && !is_title_block(node) => {
            return !is_of_section(node);
        }
        "aside" if !context.within => return true,
        // A class of these elements styles the whole page.
        "" | "html" | "body" | "main" | "article" => return false,
        _ => {}
    }
    let Some(attributes) = attributes(node) else { return false };
    // Scripts hide all panels but one.
    let is_panel = attributes.iter().any(|attribute| match &*attribute.name.local {
        "role" => &*attribute.value == "tabpanel",
        "class" => is_panel_class(&attribute.value),
        _ => false,
    });
    attributes.iter().any(|attribute| {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "hidden" => !is_panel && !value.eq_ignore_ascii_case("until-found"),
            "aria-hidden" => !is_panel && value == "true",
            "style" => !is_panel && is_hidden(value),
            "role" => match value {
                "navigation" | "search" | "menu" | "menubar" | "toolbar" | "dialog"
                | "alertdialog" | "contentinfo" => true,
                "banner" => !context.within && !context.headers,
                "complementary" => !context.within,
                _ => false,
            },
            "class" | "id" => context.by_name && is_boilerplate_name(value),
            _ => false,
        }
    })
}

/// Returns whether the header or footer is that of a section or a quote, and not that of the page.
fn is_of_section(node: &Handle) -> bool {
    let mut around = parent(node);
    while let Some(node) = around {
        match tag(&node) {
            "section" | "blockquote" | "figure" => return true,
            "article" | "main" | "body" | "aside" | "nav" => return false,
            _ => {}
        }
        around = parent(&node);
    }
    false
}

fn is_panel_class(classes: &str) -> bool {
    // This runs for every class of a page, so the cheap test comes first.
    (classes.contains("tab") || classes.contains("acc"))
        && PANELS.iter().any(|panel| classes.contains(panel))
}

/// Returns whether a header is the title block of a document, as pandoc writes it.
fn is_title_block(node: &Handle) -> bool {
    let attributes = attributes(node);
    attributes
        .is_some_and(|list| list.iter().any(|attribute| &*attribute.value == "title-block-header"))
}

fn is_hidden(style: &str) -> bool {
    let style = style.to_ascii_lowercase().replace(char::is_whitespace, "");
    style.contains("display:none") || style.contains("visibility:hidden")
}

fn is_boilerplate_name(names: &str) -> bool {
    names.split_ascii_whitespace().any(|name| {
        BOILERPLATE.iter().any(|known| known.eq_ignore_ascii_case(name)) || is_cookie_banner(name)
    })
}

fn is_cookie_banner(name: &str) -> bool {
    // This runs for every class of a page, so the cheap test comes first.
    if !name.contains(['k', 'K']) && !name.contains("trust") {
        return false;
    }
    let name = name.to_ascii_lowercase();
    name.starts_with("onetrust-")
        || (name.contains("cookie") && BANNERS.iter().any(|banner| name.contains(banner)))
}
