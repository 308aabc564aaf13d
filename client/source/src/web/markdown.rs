//! The links of a text in Markdown.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::rc::Rc;

/// A link of a text in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkdownLink {
    /// Its target as the text writes it.
    pub(super) target: String,
    /// The last heading of level 2 above it; empty without one.
    pub(super) section: Rc<str>,
}

/// Returns the links of a text, in their order.
pub(super) fn markdown_links(text: &str) -> Vec<MarkdownLink> {
    let mut links = Vec::new();
    let (mut section, mut heading, mut is_heading) = (Rc::from(""), String::new(), false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                heading.clear();
                is_heading = true;
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => {
                section = Rc::from(&*heading);
                is_heading = false;
            }
            Event::Text(text) | Event::Code(text) if is_heading => heading.push_str(&text),
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(MarkdownLink {
                    target: dest_url.into_string(),
                    section: Rc::clone(&section),
                });
            }
            _ => {}
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_the_heading_above_them() {
        let text = "# Title\n\n[a](/a)\n\n## One `1`\n\n- [b](b.md \"title\"): text\n- <https://example.org/c>\n\
            \n### Sub\n\n[d][d] `[no](x)` ![no](x.png)\n\n[d]: /d\n\n## Optional\n- [e](e)\n";
        let links = markdown_links(text);
        let pairs: Vec<_> = links.iter().map(|link| (&*link.section, &*link.target)).collect();
        let expected = [
            ("", "/a"),
            ("One 1", "b.md"),
            ("One 1", "https://example.org/c"),
            ("One 1", "/d"),
            ("Optional", "e"),
        ];
        assert_eq!(pairs, expected);
    }
}
