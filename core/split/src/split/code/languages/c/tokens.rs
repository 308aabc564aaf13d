//! The tokens of C and C++, as far as macros can be found by them.

use crate::interrupt;
use std::ops::Range;

/// A token, and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) bytes: Range<usize>,
    pub(super) kind: Kind,
    /// Whether it is the first on its line.
    pub(super) begins_line: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, a string or a character.
    Literal,
    /// A line of the preprocessor with those that continue it.
    Directive,
    /// Any other character.
    Mark(u8),
}

/// Returns the tokens of a text. Comments and white space are none.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut begins_line) = (Vec::new(), 0, true);
    // A text of quotes without an end would be read once for each of them.
    let (mut unclosed_before, mut raw_ends) = (0, true);
    while at < bytes.len() {
        interrupt::poll();
        let rest = &bytes[at..];
        let (kind, end) = match rest[0] {
            b'\n' | b'\r' => {
                begins_line = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() || byte == b'\\' => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at =
                    memchr::memmem::find(&rest[2..], b"*/").map_or(bytes.len(), |end| at + end + 4);
                continue;
            }
            b'#' if begins_line => (Kind::Directive, end_of_line(bytes, at)),
            b'R' if raw_ends && rest.starts_with(b"R\"") => {
                let end = end_of_raw(bytes, at);
                raw_ends = end.is_some();
                (Kind::Literal, end.unwrap_or(at + 1))
            }
            b'"' | b'\'' => {
                let end = if at < unclosed_before {
                    Err(unclosed_before)
                } else {
                    end_of_quote(bytes, at)
                };
                unclosed_before = end.err().unwrap_or(unclosed_before);
                (Kind::Literal, end.unwrap_or(at + 1))
            }
            byte if is_word(byte) => {
                let end = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
                let kind = if byte.is_ascii_digit() { Kind::Literal } else { Kind::Word };
                (kind, at + end)
            }
            byte => (Kind::Mark(byte), at + 1),
        };
        tokens.push(Token { bytes: at..end, kind, begins_line });
        (at, begins_line) = (end, false);
    }
    tokens
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the offset of the end of a line, or of the last line that continues it.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', &bytes[start..]).map(|end| start + end);
    let continues = |end: &usize| {
        interrupt::poll();
        bytes[..*end].strip_suffix(b"\r").unwrap_or(&bytes[..*end]).ends_with(b"\\")
    };
    let end = ends.find(|end| !continues(end)).unwrap_or(bytes.len());
    end - usize::from(end > start && end < bytes.len() && bytes[end - 1] == b'\r')
}

/// Returns the end of a quoted text, or the end of its line as an error if it does not end on it.
fn end_of_quote(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let (quote, mut at) = (bytes[start], start + 1);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => break,
            byte if *byte == quote => return Ok(at + 1),
            _ => {}
        }
        at += 1;
    }
    Err(at)
}

/// Returns the end of a raw string such as `R"x(text)x"`, if it has one.
fn end_of_raw(bytes: &[u8], start: usize) -> Option<usize> {
    let name = &bytes[start + 2..];
    let open = name.iter().take(17).position(|byte| *byte == b'(')?;
    let close = [b")", &name[..open], b"\""].concat();
    let end = memchr::memmem::find(&name[open..], &close)?;
    Some(start + 2 + open + end + close.len())
}
