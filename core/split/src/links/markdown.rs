//! Links of Markdown, with those of HTML in it and of wikis.

use super::{LinkKind, Links, bounded};
use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// The maximum number of bytes of a wiki link. A longer run in brackets is text.
const MAX_WIKI: usize = 500;

/// Collects links from the events of the parser.
#[derive(Default)]
pub(crate) struct MarkdownLinks<'t> {
    links: Links,
    /// The range, the address and the text of the open link.
    open: Option<(Range<usize>, CowStr<'t>, Cow<'t, str>)>,
    /// Whether a block of code is open.
    is_code: bool,
}

impl<'t> MarkdownLinks<'t> {
    /// Reads the beginning of an element.
    pub(crate) fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::Link { link_type, dest_url, .. } if link_type != LinkType::Email => {
                self.open = Some((range, dest_url, Cow::Borrowed("")));
            }
            _ => {}
        }
    }

    /// Reads the end of an element.
    pub(crate) fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::Link => {
                if let Some((range, address, text)) = self.open.take() {
                    self.links.add(range, LinkKind::Link, &address, &text);
                }
            }
            _ => {}
        }
    }

    /// Reads what an element contains, with its range in the text.
    pub(crate) fn content(&mut self, text: &'t str, event: &Event<'t>, range: Range<usize>) {
        match (event, &mut self.open) {
            (Event::Text(_), _) if self.is_code => {}
            (Event::Html(_) | Event::InlineHtml(_), _) => self.html(text, range),
            (event, Some((_, _, shown))) => add_text(shown, event, MAX_WIKI),
            (Event::Text(_), None) if text.as_bytes()[range.start..].starts_with(b"[[") => {
                self.wiki(text, range.start);
            }
            _ => {}
        }
    }

    pub(crate) fn finish(self) -> Links {
        self.links
    }

    /// Adds the wiki link that begins at an offset, such as `[[Note#Heading|text]]`.
    fn wiki(&mut self, text: &str, start: usize) {
        let rest = &text[start + 2..];
        let rest = &rest[..rest.floor_char_boundary(MAX_WIKI)];
        let Some(inside) = rest.find("]]").map(|end| &rest[..end]) else { return };
        if inside.contains(['\n', '\r', '[', ']']) {
            return;
        }
        let (address, shown) = inside.split_once('|').unwrap_or((inside, inside));
        // In a table the bar is escaped.
        let address = address.trim_end_matches('\\');
        self.links.add(start..start + inside.len() + 4, LinkKind::Wiki, address, shown);
    }

    /// Adds the addresses that the attributes `href` of HTML have.
    fn html(&mut self, text: &str, range: Range<usize>) {
        let html = &text[range.clone()];
        for at in memchr::memmem::find_iter(html.as_bytes(), "href=") {
            let value = bounded(&html[at + "href=".len()..]);
            let Some(quote) = value.chars().next().filter(|char| matches!(char, '"' | '\'')) else {
                continue;
            };
            if let Some(address) = value[1..].split_once(quote).map(|(address, _)| address)
                && !html[..at].trim_end().ends_with("<link")
            {
                let end = range.start + at + "href=".len() + address.len() + 2;
                self.links.add(range.start + at..end, LinkKind::Link, address, "");
            }
        }
    }
}

/// Adds the text of an event, without markup, to one of less than `max` bytes. Most texts have one event, and are not copied.
pub(crate) fn add_text<'t>(text: &mut Cow<'t, str>, event: &Event<'t>, max: usize) {
    match event {
        Event::Text(CowStr::Borrowed(part)) | Event::Code(CowStr::Borrowed(part))
            if text.is_empty() =>
        {
            *text = Cow::Borrowed(part);
        }
        Event::Text(part) | Event::Code(part) if text.len() < max => text.to_mut().push_str(part),
        Event::SoftBreak | Event::HardBreak if text.len() < max => text.to_mut().push(' '),
        _ => {}
    }
}
