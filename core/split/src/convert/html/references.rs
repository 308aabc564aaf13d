//! The addresses that a page refers to: its links, and the address that it calls its own.

use super::links::Links;
use super::parse;
use super::tree::{Handle, attribute, tag};
use crate::{Error, interrupt};

/// The agents whose rules in `<meta>` a page obeys.
const AGENTS: [&str; 2] = ["robots", "passage"];

/// The addresses that a page refers to, absolute if its own address is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageReferences {
    /// The targets of links, in their order. A page that forbids to follow its links has none.
    pub links: Vec<String>,
    /// The address that the page calls its own: `<link rel="canonical">`.
    pub canonical: Option<String>,
}

/// Returns the addresses that a page of HTML refers to. `address` is that of the page.
///
/// Links that forbid to follow them (`rel="nofollow"`) are left out.
///
/// ```
/// use passage_split::page_references;
///
/// let page = "<base href='/docs/'><a href='b.html#c'>b</a> <a rel=nofollow href='d'>d</a>";
/// let references = page_references(page, Some("https://example.org/a"))?;
/// assert_eq!(references.links, ["https://example.org/docs/b.html#c"]);
/// # Ok::<(), passage_split::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::PageTooLarge`] or [`Error::PageTooComplex`].
pub fn page_references(text: &str, address: Option<&str>) -> Result<PageReferences, Error> {
    let mut found = Found { follows: true, ..Found::default() };
    found.add(&parse::parse(text)?);
    let Found { links, canonical, base, follows } = found;
    let resolver = Links::new(address, base.as_deref());
    let links = if follows { links } else { Vec::new() };
    let links = links.iter().filter_map(|link| resolver.resolve(link)).collect();
    Ok(PageReferences { links, canonical: canonical.and_then(|link| resolver.resolve(&link)) })
}

/// The references of a page as it writes them.
#[derive(Default)]
struct Found {
    links: Vec<String>,
    canonical: Option<String>,
    base: Option<String>,
    follows: bool,
}

impl Found {
    /// Adds the references of a node and of all below it.
    fn add(&mut self, node: &Handle) {
        interrupt::poll();
        match tag(node) {
            "a" | "area" if !has_word(node, "rel", "nofollow") => {
                self.links.extend(attribute(node, "href").map(String::from));
            }
            "link" if self.canonical.is_none() && has_word(node, "rel", "canonical") => {
                self.canonical = attribute(node, "href").map(String::from);
            }
            "base" if self.base.is_none() => self.base = attribute(node, "href").map(String::from),
            "meta" => {
                let is_rule = AGENTS.iter().any(|agent| has_word(node, "name", agent));
                let forbids = |word| has_word(node, "content", word);
                self.follows &= !(is_rule && (forbids("nofollow") || forbids("none")));
            }
            _ => {}
        }
        node.children.borrow().iter().for_each(|child| self.add(child));
    }
}

/// Returns whether an attribute has a word, in a list with spaces or commas.
fn has_word(node: &Handle, name: &str, word: &str) -> bool {
    attribute(node, name).is_some_and(|value| {
        let mut words = value.split(|char: char| char.is_ascii_whitespace() || char == ',');
        words.any(|other| other.eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(page: &str) -> PageReferences {
        page_references(page, Some("https://example.org/docs/a.html")).unwrap()
    }

    #[test]
    fn links_are_those_that_a_browser_shows() {
        let page = "<nav><a href=b>b</a></nav><map><area href=/c></map><a>none</a>\
            <script>document.write('<a href=script>')</script><!-- <a href=comment> -->\
            <template><a href=template></template><a href='javascript:alert(1)'>s</a>\
            <a REL='noopener NoFollow' href=d>d</a><a href=' ?q=1 '>q</a>";
        let links = ["https://example.org/docs/b", "https://example.org/c"];
        let query = "https://example.org/docs/a.html?q=1";
        assert_eq!(references(page).links, [links[0], links[1], query]);
    }

    #[test]
    fn a_page_names_its_own_address_and_forbids_to_follow_links() {
        let page = "<link rel='alternate' href=x><link rel=Canonical href='/docs/'><a href=b>b</a>";
        assert_eq!(references(page).canonical.as_deref(), Some("https://example.org/docs/"));
        for (name, content, links) in [
            ("robots", "index, nofollow", 0),
            ("ROBOTS", "none", 0),
            ("passage", "nofollow", 0),
            ("googlebot", "nofollow", 1),
            ("robots", "noindex", 1),
        ] {
            let page = format!("<meta name='{name}' content='{content}'><a href=b>b</a>");
            assert_eq!(references(&page).links.len(), links, "{name} {content}");
        }
    }
}
