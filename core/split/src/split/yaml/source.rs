//! The text of a stream: searches the ends of lines, quotes and comments.

use saphyr_parser::Span;
use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct Source<'t>(pub(super) &'t str);

impl Source<'_> {
    fn byte(self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    /// Returns the beginning of the line of an offset.
    pub(super) fn line_start(self, at: usize) -> usize {
        memchr::memrchr2(b'\n', b'\r', &self.0.as_bytes()[..at]).map_or(0, |end| end + 1)
    }

    pub(super) fn is_line_start(self, at: usize) -> bool {
        at == 0 || matches!(self.byte(at - 1), Some(b'\n' | b'\r'))
    }

    /// Returns the beginning of the next line, or the end of the text.
    pub(super) fn next_line(self, at: usize) -> usize {
        let rest = &self.0.as_bytes()[at..];
        match memchr::memchr2(b'\n', b'\r', rest) {
            Some(end) => at + end + 1 + usize::from(rest[end..].starts_with(b"\r\n")),
            None => self.0.len(),
        }
    }

    /// Returns the beginning of the next line if only a comment precedes it, else the offset itself.
    pub(super) fn rest_of_line(self, at: usize) -> usize {
        let behind = self.skip_spaces(at);
        match self.byte(behind) {
            None | Some(b'\n' | b'\r') => self.next_line(behind),
            Some(b'#') if behind > at => self.next_line(behind),
            _ => at,
        }
    }

    fn skip_spaces(self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t') = self.byte(at) {
            at += 1;
        }
        at
    }

    /// Skips white space, line ends, comments and the byte order mark.
    pub(super) fn skip_blanks(self, mut at: usize) -> usize {
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
                Some(b'#') if self.is_line_start(at) || self.is_blank(at - 1) => {
                    at = self.next_line(at);
                }
                Some(0xef) if self.0[at..].starts_with('\u{feff}') => at += '\u{feff}'.len_utf8(),
                _ => return at,
            }
        }
    }

    fn is_blank(self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
    }

    /// Skips empty lines, and comments that begin at a column or after it, from the beginning of a
    /// line on.
    pub(super) fn skip_comments(self, mut at: usize, column: usize) -> usize {
        while at < self.0.len() {
            let text = self.skip_spaces(at);
            match self.byte(text) {
                None | Some(b'\n' | b'\r') => {}
                Some(b'#') if text - at >= column => {}
                _ => break,
            }
            at = self.next_line(text);
        }
        at
    }

    /// Returns the bytes without trailing white space.
    pub(super) fn trimmed(self, bytes: Range<usize>) -> Range<usize> {
        let text = self.0[bytes.clone()].trim_end_matches([' ', '\t', '\n', '\r']);
        bytes.start..bytes.start + text.len()
    }

    /// Skips the anchor and the tag of a node.
    pub(super) fn skip_properties(self, mut at: usize) -> usize {
        while let Some(b'&' | b'!') = self.byte(at) {
            while !self.is_blank(at) {
                at += 1;
            }
            at = self.skip_blanks(at);
        }
        at
    }

    /// Returns the end of the quoted scalar at an offset.
    pub(super) fn quoted_end(self, start: usize) -> usize {
        let bytes = self.0.as_bytes();
        let Some(quote) = self.byte(start) else { return start };
        let mut at = start + 1;
        while let Some(offset) = memchr::memchr2(quote, b'\\', bytes.get(at..).unwrap_or_default())
        {
            at += offset;
            at += match (bytes[at], bytes.get(at + 1)) {
                (b'\\', _) if quote == b'"' => 2,
                (b'\\', _) => 1,
                (b'\'', Some(b'\'')) => 2,
                _ => return at + 1,
            };
        }
        self.0.len()
    }

    /// Returns whether an explicit key begins at an offset.
    pub(super) fn is_explicit_key(self, at: usize) -> bool {
        self.byte(at) == Some(b'?') && self.is_blank(at + 1)
    }

    /// Returns the offset after the colon of a key on its line, or the key's end.
    pub(super) fn behind_colon(self, key: usize) -> usize {
        let colon = self.skip_spaces(key);
        if self.byte(colon) == Some(b':') { colon + 1 } else { key }
    }

    /// Returns the offset after the colon of an explicit key, which is on a line below.
    pub(super) fn behind_colon_below(self, key: usize) -> usize {
        let colon = self.skip_blanks(key);
        if self.byte(colon) == Some(b':') { colon + 1 } else { key }
    }

    /// Returns the offset after the comma of an entry in brackets, with the rest of the line if it is
    /// empty.
    pub(super) fn behind_comma(self, end: usize) -> usize {
        let comma = self.skip_blanks(end);
        self.rest_of_line(if self.byte(comma) == Some(b',') { comma + 1 } else { end })
    }

    /// Returns the offset after the closing bracket, which may follow a comma after the last entry.
    ///
    /// The parser reports such a comma as the bracket.
    pub(super) fn behind_bracket(self, end: usize) -> usize {
        let mut at = end;
        loop {
            at = self.skip_blanks(at);
            match self.byte(at) {
                Some(b',' | b':') => at += 1,
                Some(b']' | b'}') => return at + 1,
                _ => return end,
            }
        }
    }
}

/// Converts the parser's positions, which count characters, to bytes.
///
/// Follows the parser, so that the text is read once.
pub(super) struct ByteOffsets<'t> {
    text: &'t str,
    is_ascii: bool,
    character: usize,
    byte: usize,
}

impl<'t> ByteOffsets<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, is_ascii: text.is_ascii(), character: 0, byte: 0 }
    }

    pub(super) fn bytes(&mut self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index());
        start..end.max(start)
    }

    /// Returns the offset of a character, or the end of the text.
    pub(super) fn byte(&mut self, character: usize) -> usize {
        if self.is_ascii {
            return character.min(self.text.len());
        }
        while self.character < character && self.byte < self.text.len() {
            self.byte = self.text.ceil_char_boundary(self.byte + 1);
            self.character += 1;
        }
        while self.character > character {
            self.byte = self.text.floor_char_boundary(self.byte - 1);
            self.character -= 1;
        }
        self.byte
    }
}
