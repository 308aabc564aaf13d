/*!
Bounding the attributes of tags.

The parser compares each attribute of a tag with all before it: a tag with 100,000 took 15 seconds. The
parser has no hook before that. So this module removes everything behind the first few hundred attributes
from the text, up to the end of the tag. Nearly no page has such a tag, and then nothing is copied.
*/

use crate::interrupt;
use std::borrow::Cow;

/// The maximum number of positions in a tag at which an attribute may begin.
const MAX_ATTRIBUTES: usize = 512;

/// The elements whose content is raw text up to their end tag.
const RAW: [&str; 6] = ["script", "style", "textarea", "title", "xmp", "noscript"];

/// Returns the text with at most [`MAX_ATTRIBUTES`] attributes in each tag.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'<', &text.as_bytes()[at..]) {
        interrupt::poll();
        at += offset + 1;
        let rest = &text[at..];
        if rest.starts_with("!--") {
            at += memchr::memmem::find(rest.as_bytes(), b"-->").unwrap_or(rest.len());
        } else if rest.starts_with(|char: char| char.is_ascii_alphabetic()) {
            let tag = tag(rest);
            if let Some(surplus) = tag.surplus {
                kept.push_str(&text[copied..at + surplus]);
                copied = at + tag.end;
            }
            at += tag.end;
            at += raw_content(rest, &text[at..]);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

struct Tag {
    /// The position of its `>`, or the end of the text.
    end: usize,
    /// The position behind the last allowed attribute, if there are more.
    surplus: Option<usize>,
}

/// Scans a tag from behind its `<`.
fn tag(text: &str) -> Tag {
    let mut begun = 0;
    let mut surplus = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut before_value = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            // Elsewhere a quote is part of a name.
            b'"' | b'\'' if before_value => {
                at += 1 + memchr::memchr(*byte, &bytes[at + 1..]).unwrap_or(bytes.len() - at - 1);
                begun += 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' => begun += 1,
            _ => {}
        }
        before_value = match byte {
            b'=' => true,
            byte => before_value && byte.is_ascii_whitespace(),
        };
        at += 1;
        if begun >= MAX_ATTRIBUTES && surplus.is_none() {
            surplus = Some(at.min(bytes.len()));
        }
    }
    Tag { end: at.min(bytes.len()), surplus }
}

/// Returns the length of a tag's raw content in the text behind it.
fn raw_content(tag: &str, after: &str) -> usize {
    let is = |name: &&&str| {
        let start = tag.as_bytes().get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    let Some(name) = RAW.iter().find(is) else { return 0 };
    let mut at = 0;
    while let Some(offset) = memchr::memmem::find(&after.as_bytes()[at..], b"</") {
        at += offset;
        let rest = &after.as_bytes()[at + 2..];
        if rest.get(..name.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(name.as_bytes())) {
            return at;
        }
        at += 2;
    }
    // Without an end tag the raw content extends to the end of the text.
    after.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_keeps_its_first_attributes() {
        let many = " a='>'".repeat(2_000);
        let page =
            format!("<!-- <p{many} --><p class=x{many} y>words</p><script>a <b{many}</script>");
        let bounded = bounded(&page);
        assert!(bounded.starts_with(&format!("<!-- <p{many} --><p class=x a='>' a='>'")));
        assert!(bounded.ends_with(&format!(">words</p><script>a <b{many}</script>")));
        assert!(bounded.len() < page.len() - many.len() / 2);
    }

    #[test]
    fn ordinary_tags_are_unchanged() {
        let words = "a < b and c ".repeat(1_000);
        let data = format!("<img src='data:{}' alt='{words}'> {words} <b", "/".repeat(9_000));
        assert!(matches!(bounded(&data), Cow::Borrowed(text) if text == data));
        assert_eq!(bounded(""), "");
        assert_eq!(bounded("<a b='"), "<a b='");
    }
}
