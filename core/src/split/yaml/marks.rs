//! From the parser's places, which count characters, to bytes.

use saphyr_parser::Span;
use std::ops::Range;

/// Goes along with the parser, so that the text is gone through once.
pub(super) struct Marks<'t> {
    text: &'t str,
    is_ascii: bool,
    character: usize,
    byte: usize,
}

impl<'t> Marks<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, is_ascii: text.is_ascii(), character: 0, byte: 0 }
    }

    pub(super) fn bytes(&mut self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index());
        start..end.max(start)
    }

    /// Returns the byte at which a character begins, or the end of the text.
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
