/*!
JSON, as people write it: with comments and trailing commas, single quotes and bare keys too.

A document is one value, in the section `root`, and what stands before and behind it belongs to it.
An entry of an object has the section of its key, unescaped; an item of an array that of its place,
`[0]`. A comment belongs to the entry that follows, unless it stands behind one on the same line.
Key, colon and comma lie outside the value: they go along with it while it is whole and are left to
the container when it is divided, so that the chunks of every object and array parse alone.

In JSON lines the values follow one another, each on its line by custom. They have sections as if
they were the items of one array, and the document itself is no value: it is a module, which nobody
wants back as a whole because of one hit in it.

Nothing here recurses, so depth costs no stack.
*/

mod tokens;

use super::units::{Title, Units};
use crate::{SyntaxError, Unit};
use std::ops::Range;
use tokens::{Kind, Token, Tokens, comment_end, key};

/// More objects and arrays, one inside the other, are no document but an accident.
const MOST_OPEN: usize = 1_000_000;

/// Finds the units of a JSON document.
pub(super) fn units(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    Parser::new(text, units).document().map_err(|place| SyntaxError::at(text, place))
}

/// Finds the units of a document whose lines are JSON.
pub(super) fn lines(text: &str, units: &mut Units<'_>) -> Result<(), SyntaxError> {
    Parser::new(text, units).lines().map_err(|place| SyntaxError::at(text, place))
}

struct Parser<'t, 'u, 's> {
    text: &'t str,
    tokens: Tokens<'t>,
    units: &'u mut Units<'s>,
    /// The objects and arrays that are open.
    open: Vec<Open>,
}

/// An object or an array that is open.
struct Open {
    is_object: bool,
    /// How many entries it has so far.
    entries: usize,
    /// Whether another one may follow: there is none yet, or a comma behind the last.
    may_go_on: bool,
}

impl<'t, 'u, 's> Parser<'t, 'u, 's> {
    fn new(text: &'t str, units: &'u mut Units<'s>) -> Self {
        Self { text, tokens: Tokens::new(text), units, open: Vec::new() }
    }

    /// Reads the document, or tells at which byte it is none.
    fn document(&mut self) -> Result<(), usize> {
        let first = self.tokens.next()?;
        self.units.open_as(0, 0, &["root"], unit(&first));
        self.value(&first)?;
        let behind = self.tokens.next()?;
        self.units.close(self.text.len(), self.text.len());
        expect(&behind, Kind::End)
    }

    fn lines(&mut self) -> Result<(), usize> {
        self.units.open_as(0, 0, &["root"], Unit::Module);
        let (mut at, mut line) = (0, 0_usize);
        loop {
            let first = self.tokens.next()?;
            if first.kind == Kind::End {
                self.units.close(self.text.len(), self.text.len());
                return Ok(());
            }
            let title = format!("[{line}]");
            // Nothing goes along: blank lines and comments do not keep a line from parsing alone.
            self.units.open_as(at, at, &[&title], unit(&first));
            let end = self.value(&first)?;
            at = self.end_of_line(end);
            self.units.close(at, at);
            line += 1;
        }
    }

    /// Reads what is left of a value whose first token was read, and returns where it ends.
    fn value(&mut self, first: &Token) -> Result<usize, usize> {
        if !self.opens(first)? {
            return Ok(first.bytes.end);
        }
        let mut at = self.end_of_line(first.bytes.end);
        while let Some(around) = self.open.last_mut() {
            let token = self.tokens.next()?;
            let closing = if around.is_object { Kind::CloseBrace } else { Kind::CloseBracket };
            if token.kind == closing {
                self.open.pop();
                let end = token.bytes.end;
                if self.open.is_empty() {
                    return Ok(end);
                }
                at = self.behind_comma(end)?;
                self.units.close(end, at);
                continue;
            }
            if !around.may_go_on {
                return Err(token.bytes.start);
            }
            around.entries += 1;
            let index = around.entries - 1;
            let (key, value) = if around.is_object {
                let key = key(self.text, &token).ok_or(token.bytes.start)?;
                expect(&self.tokens.next()?, Kind::Colon)?;
                (Some(key), self.tokens.next()?)
            } else {
                (None, token)
            };
            let title = key.as_deref().map_or(Title::Index(index), Title::Key);
            let Range { start, end } = value.bytes;
            at = if self.opens(&value)? {
                self.units.open_at(at, start, title, Unit::Container);
                self.end_of_line(end)
            } else {
                let outer = self.behind_comma(end)?;
                self.units.value(at..outer, start..end, title);
                outer
            };
        }
        unreachable!("the outermost container returns when it closes")
    }

    /// Tells whether a value is a container, which is then open.
    fn opens(&mut self, first: &Token) -> Result<bool, usize> {
        let is_object = match first.kind {
            Kind::OpenBrace => true,
            Kind::OpenBracket => false,
            Kind::String | Kind::Literal => return Ok(false),
            _ => return Err(first.bytes.start),
        };
        if self.open.len() == MOST_OPEN {
            return Err(first.bytes.start);
        }
        self.open.push(Open { is_object, entries: 0, may_go_on: true });
        Ok(true)
    }

    /// Takes the comma behind an entry that ends here, if there is one, and returns where what
    /// belongs to the entry ends.
    fn behind_comma(&mut self, end: usize) -> Result<usize, usize> {
        let comma = self.tokens.peek()?;
        let comma = (comma.kind == Kind::Comma).then_some(comma.bytes.end);
        if comma.is_some() {
            self.tokens.next()?;
        }
        let around = self.open.last_mut().expect("an entry stands in a container");
        around.may_go_on = comma.is_some();
        Ok(self.end_of_line(comma.unwrap_or(end)))
    }

    /// Returns the end of the line if there are only comments up to it, else the place itself.
    fn end_of_line(&self, place: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = place;
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b' ' | b'\t'), _) => at += 1,
                (Some(b'\r'), Some(b'\n')) => return at + 2,
                (Some(b'\n' | b'\r'), _) => return at + 1,
                (Some(b'/'), _) => match comment_end(self.text, at) {
                    Some(end) => at = end,
                    None => return place,
                },
                (None, _) => return at,
                _ => return place,
            }
        }
    }
}

/// Returns the unit of a value that begins with a token.
fn unit(first: &Token) -> Unit {
    match first.kind {
        Kind::OpenBrace | Kind::OpenBracket => Unit::Container,
        _ => Unit::Value,
    }
}

fn expect(token: &Token, kind: Kind) -> Result<(), usize> {
    if token.kind == kind { Ok(()) } else { Err(token.bytes.start) }
}
