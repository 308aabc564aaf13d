/*!
Tags with no more attributes than anyone writes.

The parser compares each attribute of a tag with all before it: a tag of 100,000 took 15 seconds.
It offers no place to step in before that, so what follows the first few hundred is cut out of the
text, up to the end of the tag. Nearly no page has such a tag, and then nothing is copied.
*/

use crate::interrupt;
use std::borrow::Cow;

/// How many places in a tag may be ones where an attribute begins.
const MOST: usize = 512;

/// What a tag's content is text up to the end tag of, markup or not.
const RAW: [&str; 6] = ["script", "style", "textarea", "title", "xmp", "noscript"];

/// Returns a text in which no tag has more than [`MOST`] attributes.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &text.as_bytes()[at..]) {
        interrupt::poll();
        at += found + 1;
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
    /// Where it ends: at its `>`, or at the end of the text.
    end: usize,
    /// Where its attributes become too many.
    surplus: Option<usize>,
}

/// Reads a tag from behind its `<`.
fn tag(text: &str) -> Tag {
    let mut begun = 0;
    let mut surplus = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    let mut before_value = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            // A quote anywhere else is part of a name.
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
        if begun >= MOST && surplus.is_none() {
            surplus = Some(at.min(bytes.len()));
        }
    }
    Tag { end: at.min(bytes.len()), surplus }
}

/// Returns how much of a text behind a tag is the tag's raw content.
fn raw_content(tag: &str, after: &str) -> usize {
    let is = |name: &&&str| {
        let start = tag.as_bytes().get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    let Some(name) = RAW.iter().find(is) else { return 0 };
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&after.as_bytes()[at..], b"</") {
        at += found;
        let rest = &after.as_bytes()[at + 2..];
        if rest.get(..name.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(name.as_bytes())) {
            return at;
        }
        at += 2;
    }
    // Without an end the parser takes all of it, and so does what is not looked at here.
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
    fn what_anyone_writes_is_not_touched() {
        let words = "a < b and c ".repeat(1_000);
        let data = format!("<img src='data:{}' alt='{words}'> {words} <b", "/".repeat(9_000));
        assert!(matches!(bounded(&data), Cow::Borrowed(text) if text == data));
        assert_eq!(bounded(""), "");
        assert_eq!(bounded("<a b='"), "<a b='");
    }
}
