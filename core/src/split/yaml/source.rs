//! Looking for ends in the text of a stream: of lines, quotes and comments.

use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct Source<'t>(pub(super) &'t str);

impl Source<'_> {
    fn byte(self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    /// Returns where the line begins that a place is on.
    pub(super) fn line_start(self, at: usize) -> usize {
        memchr::memrchr2(b'\n', b'\r', &self.0.as_bytes()[..at]).map_or(0, |end| end + 1)
    }

    pub(super) fn is_line_start(self, at: usize) -> bool {
        at == 0 || matches!(self.byte(at - 1), Some(b'\n' | b'\r'))
    }

    /// Returns where the next line begins, or the end of the text.
    pub(super) fn next_line(self, at: usize) -> usize {
        let rest = &self.0.as_bytes()[at..];
        match memchr::memchr2(b'\n', b'\r', rest) {
            Some(end) => at + end + 1 + usize::from(rest[end..].starts_with(b"\r\n")),
            None => self.0.len(),
        }
    }

    /// Returns the next line's beginning if only a comment stands before it, else the place itself.
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

    /// Passes over white space, line ends, comments and the byte order mark.
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

    /// Passes over the lines from a line's beginning on that are empty or comments, these from a
    /// column on.
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

    /// Returns the bytes without white space at their end.
    pub(super) fn trimmed(self, bytes: Range<usize>) -> Range<usize> {
        let text = self.0[bytes.clone()].trim_end_matches([' ', '\t', '\n', '\r']);
        bytes.start..bytes.start + text.len()
    }

    /// Passes over the anchor and the tag of a node.
    pub(super) fn skip_properties(self, mut at: usize) -> usize {
        while let Some(b'&' | b'!') = self.byte(at) {
            while !self.is_blank(at) {
                at += 1;
            }
            at = self.skip_blanks(at);
        }
        at
    }

    /// Returns where the quoted scalar ends that begins at a place.
    pub(super) fn quoted_end(self, start: usize) -> usize {
        let bytes = self.0.as_bytes();
        let Some(quote) = self.byte(start) else { return start };
        let mut at = start + 1;
        while let Some(found) = memchr::memchr2(quote, b'\\', bytes.get(at..).unwrap_or_default()) {
            at += found;
            at += match (bytes[at], bytes.get(at + 1)) {
                (b'\\', _) if quote == b'"' => 2,
                (b'\\', _) => 1,
                (b'\'', Some(b'\'')) => 2,
                _ => return at + 1,
            };
        }
        self.0.len()
    }

    /// Tells whether an explicit key begins at a place.
    pub(super) fn is_explicit_key(self, at: usize) -> bool {
        self.byte(at) == Some(b'?') && self.is_blank(at + 1)
    }

    /// Returns what follows the colon behind a key on its line, or the key's end.
    pub(super) fn behind_colon(self, key: usize) -> usize {
        let colon = self.skip_spaces(key);
        if self.byte(colon) == Some(b':') { colon + 1 } else { key }
    }

    /// Returns what follows the colon of an explicit key, which stands on a line below.
    pub(super) fn behind_colon_below(self, key: usize) -> usize {
        let colon = self.skip_blanks(key);
        if self.byte(colon) == Some(b':') { colon + 1 } else { key }
    }

    /// Returns what follows the comma behind an entry in brackets, and the rest of the line with it
    /// if there is nothing else on it.
    pub(super) fn behind_comma(self, end: usize) -> usize {
        let comma = self.skip_blanks(end);
        self.rest_of_line(if self.byte(comma) == Some(b',') { comma + 1 } else { end })
    }

    /// Returns what follows the bracket that closes behind the last entry, or the comma after that.
    ///
    /// The parser takes such a comma for the bracket.
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
