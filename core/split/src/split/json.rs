/*!
JSON, including comments, trailing commas, single quotes and bare keys.

A document is one value in the section `root`, together with the text before and after it. An entry
of an object has the section of its unescaped key, an item of an array that of its index, `[0]`. A
comment belongs to the next entry, unless it follows an entry on the same line. An entry begins with
its key and ends with its comma. So a chunk holds whole entries, perhaps with the brackets around them,
and `excerpt` finds the entries among them.

In JSON lines, the values follow one another, usually one per line. They have sections like the items
of one array. The document is a module and not a value, because a hit on one line does not need the
whole document.

The parser does not recurse, so depth needs no stack.

Its twin in SQL is `sql/edition/json.sql`.
*/

mod excerpt;
mod tokens;

pub(crate) use excerpt::{excerpt, flow_excerpt};

use super::units::{Title, Units};
use crate::{SyntaxError, Unit};
use tokens::{Token, TokenKind, Tokens, comment_end, key};

/// The maximum number of open objects and arrays; deeper nesting is a syntax error.
const MAX_OPEN: usize = 1_000_000;

/// Finds the units of a JSON document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    Parser::new(text, units).document().map_err(|offset| SyntaxError::at(text, offset))
}

/// Finds the units of a document of JSON lines.
pub(super) fn lines(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    Parser::new(text, units).lines().map_err(|offset| SyntaxError::at(text, offset))
}

struct Parser<'t, 'u, 's> {
    text: &'t str,
    tokens: Tokens<'t>,
    units: &'u mut Units<'s>,
    /// The open objects and arrays.
    open: Vec<Open>,
}

/// An open object or array.
struct Open {
    is_object: bool,
    /// The number of its entries so far.
    entries: usize,
    /// Whether another entry may follow: it has none yet, or a comma follows the last one.
    may_go_on: bool,
}

impl<'t, 'u, 's> Parser<'t, 'u, 's> {
    fn new(text: &'t str, units: &'u mut Units<'s>) -> Self {
        Self { text, tokens: Tokens::new(text), units, open: Vec::new() }
    }

    /// Reads the document, or returns the offset of the syntax error.
    fn document(&mut self) -> Result<(), usize> {
        let first = self.tokens.next()?;
        self.units.open_as(0, &["root"], unit(&first));
        self.value(&first)?;
        let behind = self.tokens.next()?;
        self.units.close(self.text.len());
        expect(&behind, TokenKind::End)
    }

    fn lines(&mut self) -> Result<(), usize> {
        self.units.open_as(0, &["root"], Unit::Module);
        let (mut at, mut line) = (0, 0_usize);
        loop {
            let first = self.tokens.next()?;
            if first.kind == TokenKind::End {
                self.units.close(self.text.len());
                return Ok(());
            }
            let title = format!("[{line}]");
            self.units.open_as(at, &[&title], unit(&first));
            let end = self.value(&first)?;
            at = self.end_of_line(end);
            self.units.close(at);
            line += 1;
        }
    }

    /// Reads a value after its first token, and returns its end.
    fn value(&mut self, first: &Token) -> Result<usize, usize> {
        if !self.opens(first)? {
            return Ok(first.bytes.end);
        }
        let mut at = self.end_of_line(first.bytes.end);
        while let Some(around) = self.open.last_mut() {
            let token = self.tokens.next()?;
            let closing =
                if around.is_object { TokenKind::CloseBrace } else { TokenKind::CloseBracket };
            if token.kind == closing {
                self.open.pop();
                let end = token.bytes.end;
                if self.open.is_empty() {
                    return Ok(end);
                }
                at = self.behind_comma(end)?;
                self.units.close(at);
                continue;
            }
            if !around.may_go_on {
                return Err(token.bytes.start);
            }
            around.entries += 1;
            let index = around.entries - 1;
            let (key, value) = if around.is_object {
                let key = key(self.text, &token).ok_or(token.bytes.start)?;
                expect(&self.tokens.next()?, TokenKind::Colon)?;
                (Some(key), self.tokens.next()?)
            } else {
                (None, token)
            };
            let title = key.as_deref().map_or(Title::Index(index), Title::Key);
            let end = value.bytes.end;
            at = if self.opens(&value)? {
                self.units.open_at(at, title, Unit::Container);
                self.end_of_line(end)
            } else {
                let behind = self.behind_comma(end)?;
                self.units.value(at..behind, title);
                behind
            };
        }
        unreachable!("the outermost container returns when it closes")
    }

    /// Opens a value if it is a container, and returns whether it is one.
    fn opens(&mut self, first: &Token) -> Result<bool, usize> {
        let is_object = match first.kind {
            TokenKind::OpenBrace => true,
            TokenKind::OpenBracket => false,
            TokenKind::String | TokenKind::Literal => return Ok(false),
            _ => return Err(first.bytes.start),
        };
        if self.open.len() == MAX_OPEN {
            return Err(first.bytes.start);
        }
        self.open.push(Open { is_object, entries: 0, may_go_on: true });
        Ok(true)
    }

    /// Reads the comma after an entry, if there is one, and returns the end of the entry.
    fn behind_comma(&mut self, end: usize) -> Result<usize, usize> {
        let comma = self.tokens.peek()?;
        let comma = (comma.kind == TokenKind::Comma).then_some(comma.bytes.end);
        if comma.is_some() {
            self.tokens.next()?;
        }
        let around = self.open.last_mut().expect("an entry is in a container");
        around.may_go_on = comma.is_some();
        Ok(self.end_of_line(comma.unwrap_or(end)))
    }

    /// Returns the end of the line if only comments precede it, else the offset itself.
    fn end_of_line(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = offset;
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b' ' | b'\t'), _) => at += 1,
                (Some(b'\r'), Some(b'\n')) => return at + 2,
                (Some(b'\n' | b'\r'), _) => return at + 1,
                (Some(b'/'), _) => match comment_end(self.text, at) {
                    Some(end) => at = end,
                    None => return offset,
                },
                (None, _) => return at,
                _ => return offset,
            }
        }
    }
}

/// Returns the brackets that close those that are open at the end of a text.
pub(super) fn closings(text: &str) -> String {
    let mut tokens = Tokens::new(text);
    let mut open = Vec::new();
    while let Ok(token) = tokens.next() {
        match token.kind {
            TokenKind::OpenBrace => open.push('}'),
            TokenKind::OpenBracket => open.push(']'),
            TokenKind::CloseBrace | TokenKind::CloseBracket => {
                open.pop();
            }
            TokenKind::End => break,
            _ => {}
        }
    }
    open.into_iter().rev().collect()
}

/// Returns the unit of a value that begins with a token.
fn unit(first: &Token) -> Unit {
    match first.kind {
        TokenKind::OpenBrace | TokenKind::OpenBracket => Unit::Container,
        _ => Unit::Value,
    }
}

fn expect(token: &Token, kind: TokenKind) -> Result<(), usize> {
    if token.kind == kind { Ok(()) } else { Err(token.bytes.start) }
}
