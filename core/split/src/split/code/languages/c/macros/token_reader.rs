//! Tokens by their index, with the brackets that close them.

use super::super::tokens::{Kind, Token};
use std::ops::Range;

/// Reads the tokens of a text. An index after the last token reads nothing.
pub(super) struct TokenReader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The index of the bracket that closes the one at an index; 0 if there is none.
    closes: Vec<u32>,
}

impl<'a> TokenReader<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, closes: closes(tokens) }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.bytes.clone()])
    }

    /// Returns the bytes of some tokens, which are at least one.
    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].bytes.start..self.tokens[tokens.end - 1].bytes.end
    }

    pub(super) fn is_mark(&self, at: usize, mark: u8) -> bool {
        self.kind(at) == Some(Kind::Mark(mark))
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    /// Returns whether a token begins a line, as the end of the text does.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| token.begins_line)
    }

    /// Returns whether a word without lower case letters is at an index.
    pub(super) fn is_macro(&self, at: usize) -> bool {
        let word = self.text_at(at);
        self.is_word(at)
            && word.len() > 1
            && word.bytes().any(|byte| byte.is_ascii_uppercase())
            && !word.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    /// Returns the index after the lists of arguments at an index, or the index if there are none.
    pub(super) fn after_arguments(&self, at: usize) -> usize {
        let mut after = at;
        while let Some(close) = self.closes.get(after).filter(|close| **close > 0) {
            after = *close as usize + 1;
        }
        after
    }

    /// Returns whether a brace follows before the declaration ends.
    pub(super) fn has_body(&self, at: usize) -> bool {
        let rest = self.tokens[at..].iter().take(200);
        let mut marks = rest.filter_map(|token| match token.kind {
            Kind::Mark(mark @ (b'{' | b';' | b'}' | b'=')) => Some(mark),
            _ => None,
        });
        marks.next() == Some(b'{')
    }

    /// Returns whether a type and a name begin at an index.
    pub(super) fn begins_declaration(&self, at: usize) -> bool {
        let mut next = at + 1;
        loop {
            match self.kind(next) {
                Some(Kind::Mark(b'*' | b'&')) => next += 1,
                Some(Kind::Mark(b':')) if self.is_mark(next + 1, b':') => next += 3,
                Some(Kind::Word) => return true,
                _ => return false,
            }
        }
    }
}

/// Returns for each token the index of the round bracket that closes it, or 0.
fn closes(tokens: &[Token]) -> Vec<u32> {
    let (mut closes, mut open) = (vec![0; tokens.len()], Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(') => open.push(index),
            Kind::Mark(b')') => {
                if let Some(open) = open.pop() {
                    closes[open] = index as u32;
                }
            }
            _ => {}
        }
    }
    closes
}
