//! Lines: extends units to whole lines.

use std::ops::Range;

/// The maximum number of bytes before and after a name that are searched for its line.
const MAX_LINE: usize = 500;

/// Returns the beginning of the line of an offset if only blanks precede it, else the offset.
pub(super) fn start(text: &str, offset: usize) -> usize {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let is_first = before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}']);
    if is_first { before.len() } else { offset }
}

/// Returns the beginning of the line of an offset if only words and type arguments precede it, such as a
/// macro or a keyword that the grammar does not know, else the offset.
pub(super) fn start_of_words(text: &str, offset: usize) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_ \t<>,:*&\"".contains(&byte);
    let bytes = &text.as_bytes()[offset.saturating_sub(MAX_LINE)..offset];
    let words = bytes.iter().rev().take_while(|byte| is_word(**byte)).count();
    let begin = offset - words;
    if words > 0 && (begin == 0 || text[..begin].ends_with(['\n', '\r'])) { begin } else { offset }
}

/// Returns whether only blanks precede an offset on its line.
pub(super) fn is_first(text: &str, offset: usize) -> bool {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}'])
}

/// Returns the beginning of the next line if only blanks and separators follow an offset on its line.
pub(super) fn end(text: &str, offset: usize) -> Option<usize> {
    let (before, after) = text.split_at(offset);
    // Some nodes include their line end.
    if before.ends_with('\n') {
        return Some(offset);
    }
    let rest = after.trim_start_matches([' ', '\t', ';', ',', '\\']);
    let at = text.len() - rest.len();
    match rest.as_bytes() {
        [] => Some(at),
        [b'\r', b'\n', ..] => Some(at + 2),
        [b'\r' | b'\n', ..] => Some(at + 1),
        _ => None,
    }
}

/// Returns whether two offsets are on the same line with only blanks between.
pub(super) fn touch(text: &str, before: usize, after: usize) -> bool {
    text[before..after].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Returns whether a text has a blank line, that is, two line ends in a row.
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

/// Returns the line of an offset without surrounding white space, beginning at `from` or later.
///
/// Returns `None` if the line is long.
pub(super) fn around(text: &str, from: usize, offset: usize) -> Option<Range<usize>> {
    let near = text.ceil_char_boundary(from.max(offset.saturating_sub(MAX_LINE)));
    let begin = text.get(near..offset)?.rfind(['\n', '\r']).map_or(near, |end| near + end + 1);
    let far = text.floor_char_boundary(text.len().min(offset + MAX_LINE));
    let end = match text.get(offset..far)?.find(['\n', '\r']) {
        Some(end) => offset + end,
        None if far == text.len() => far,
        None => return None,
    };
    let start = end - text[begin..end].trim_start().len();
    Some(start..start + text[start..end].trim_end().len())
}
