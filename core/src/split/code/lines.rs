//! Lines, as units are made of whole ones where they can be.

use std::ops::Range;

/// The most bytes before or behind a name that are looked at for its line.
const MOST_LINE: usize = 500;

/// Returns where the line begins on which a place is, if nothing but blanks stands before it;
/// else the place.
pub(super) fn start(text: &str, place: usize) -> usize {
    let before = text[..place].trim_end_matches([' ', '\t']);
    let is_first = before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}']);
    if is_first { before.len() } else { place }
}

/// Tells whether nothing but blanks stands before a place on its line.
pub(super) fn is_first(text: &str, place: usize) -> bool {
    let before = text[..place].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}'])
}

/// Returns where the next line begins, if nothing but blanks stands behind a place on its line.
pub(super) fn end(text: &str, place: usize) -> Option<usize> {
    let (before, after) = text.split_at(place);
    // Some nodes take their line end along.
    if before.ends_with('\n') {
        return Some(place);
    }
    let rest = after.trim_start_matches([' ', '\t']);
    let at = text.len() - rest.len();
    match rest.as_bytes() {
        [] => Some(at),
        [b'\r', b'\n', ..] => Some(at + 2),
        [b'\r' | b'\n', ..] => Some(at + 1),
        _ => None,
    }
}

/// Tells whether two places are on the same line, with nothing but blanks between.
pub(super) fn touch(text: &str, before: usize, after: usize) -> bool {
    text[before..after].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Tells whether a text holds a blank line: two line ends in a row.
pub(super) fn has_blank(text: &str) -> bool {
    let mut ends = 0;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() == Some(&b'\n') => {}
            b'\r' | b'\n' => ends += 1,
            b' ' | b'\t' => {}
            _ => ends = 0,
        }
        if ends == 2 {
            return true;
        }
    }
    false
}

/// Returns the line on which a place is, from `from` on if it begins before that, without white
/// space around it; nothing if it is long.
pub(super) fn around(text: &str, from: usize, place: usize) -> Option<Range<usize>> {
    let near = text.ceil_char_boundary(from.max(place.saturating_sub(MOST_LINE)));
    let begin = text.get(near..place)?.rfind(['\n', '\r']).map_or(near, |end| near + end + 1);
    let far = text.floor_char_boundary(text.len().min(place + MOST_LINE));
    let end = match text.get(place..far)?.find(['\n', '\r']) {
        Some(end) => place + end,
        None if far == text.len() => far,
        None => return None,
    };
    let start = end - text[begin..end].trim_start().len();
    Some(start..start + text[start..end].trim_end().len())
}

/// Returns the number of the line that is reached behind a text, from 1.
pub(super) fn count(text: &[u8]) -> usize {
    let ends = |at: &usize| match text[*at] {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    1 + (0..text.len()).filter(ends).count()
}

/// Returns the column that is reached behind a text, in bytes from 1.
pub(super) fn column(text: &[u8]) -> usize {
    let line = text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    text.len() - line.map_or(0, |end| end + 1) + 1
}
