//! Markup: the elements of a template, between which it is cut.

use crate::interrupt;
use crate::split::units::Units;
use std::ops::Range;

/// Elements without an end.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// The maximum number of bytes of a tag.
const MAX_TAG: usize = 1 << 14;

/// Reports each element and each block of a template that begins a line, with its depth.
pub(super) fn items(text: &str, part: Range<usize>, units: &mut Units<'_>) {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (part.start, 0_usize);
    while let Some(found) = memchr::memchr2(b'<', b'{', &bytes[at..part.end]) {
        interrupt::poll();
        let start = at + found;
        let rest = &text[start..part.end];
        at = start + 1;
        let line = text[..start].trim_end_matches([' ', '\t']).len();
        let begins_line = line == 0 || matches!(bytes[line - 1], b'\n' | b'\r');
        let mut item = |depth| {
            if begins_line {
                units.item(line, depth, (depth == 0).then_some(part.start));
            }
        };
        if rest.starts_with("{/") || rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if rest.starts_with("{#") {
            item(depth);
            depth += 1;
        } else if rest.starts_with("<!--") {
            at = start + rest.find("-->").map_or(rest.len(), |end| end + 3);
            item(depth);
        } else if rest[1..].starts_with(|char: char| char.is_ascii_alphabetic())
            && bytes[start] == b'<'
        {
            item(depth);
            let length = tag_length(rest);
            at = start + length;
            let name = rest[1..].split(|char: char| !char.is_ascii_alphanumeric()).next();
            let is_void = name.is_some_and(|name| VOID.contains(&&*name.to_ascii_lowercase()));
            depth += usize::from(!is_void && !rest[..length].ends_with("/>"));
        }
    }
}

/// Returns the length of a tag. Its attributes may have quotes and braces.
fn tag_length(text: &str) -> usize {
    let (mut quote, mut braces) = (None, 0_usize);
    for (at, byte) in text.bytes().enumerate().take(MAX_TAG) {
        match (quote, byte) {
            (Some(open), byte) => quote = (byte != open).then_some(open),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') => braces += 1,
            (None, b'}') => braces = braces.saturating_sub(1),
            (None, b'>') if braces == 0 => return at + 1,
            _ => {}
        }
    }
    // An unclosed tag is text.
    1
}
