/*!
Macros that the grammar cannot read, because it does not know what they expand to.

- A macro before the name of a class: `class SHOP_API Basket : public Object {`.
- Macros before and after a declaration: `EXPORT int sum() NOEXCEPT;`, also on lines of their own.
- A macro with a body: `TEST_CASE("queue keeps order") {` is read as a function, and inside of a function
  as a condition.

By convention the name of a macro has no lower case letters. Names are not macros if too little of a
declaration would be left without them.
*/

mod class_head;
mod scope;
mod token_reader;
mod words;

use super::tokens::{Kind, Token};
use crate::interrupt;
use crate::split::code::stand_ins::StandIn;
use class_head::class_head;
use scope::{Scope, is_access, scope};
use std::ops::Range;
use token_reader::TokenReader;
use words::{KEYWORDS, STATEMENTS};

/// The maximum number of macros after a list of parameters. Without it, a text of lists would be read once for each.
const MAX_SUFFIXES: usize = 16;

/// Returns stand-ins for the macros in some tokens.
pub(super) fn stand_ins(text: &str, tokens: &[Token]) -> Vec<StandIn> {
    let reader = TokenReader::new(text, tokens);
    let mut finder = Finder { reader, scopes: Vec::new(), found: Vec::new() };
    finder.find();
    finder.found
}

struct Finder<'a> {
    reader: TokenReader<'a>,
    /// The scopes of the open braces.
    scopes: Vec<Scope>,
    found: Vec<StandIn>,
}

impl Finder<'_> {
    fn find(&mut self) {
        let (mut at, mut start) = (0, 0);
        while at < self.reader.len() {
            interrupt::poll();
            if at == start && self.scopes.last() != Some(&Scope::Values) {
                let next = self.statement(at);
                if next > at {
                    (at, start) = (next, if self.reader.is_mark(next, b'{') { at } else { next });
                    continue;
                }
            }
            let mut next = at + 1;
            match self.reader.kind(at).expect("the index is of a token") {
                Kind::Mark(b'{') => {
                    let around = self.scopes.last().copied();
                    self.scopes.push(scope(&self.reader, around, start, at));
                    start = next;
                }
                Kind::Mark(b'}') => {
                    self.scopes.pop();
                    start = next;
                }
                Kind::Mark(b';') | Kind::Directive => start = next,
                Kind::Mark(b':') if is_access(&self.reader, start, at) => start = next,
                Kind::Mark(b')') => next = self.suffixes(next),
                Kind::Word
                    if matches!(self.reader.text_at(at), "class" | "struct" | "union" | "enum") =>
                {
                    if let Some(head) = class_head(&self.reader, next) {
                        head.macros.iter().for_each(|tokens| self.blank(tokens));
                        next = head.end;
                    }
                }
                Kind::Word if at >= start + 2 => next = self.annotation(at),
                _ => {}
            }
            at = next;
        }
    }

    /// Reads the macros at the beginning of a statement. Returns the index after those that were replaced.
    fn statement(&mut self, at: usize) -> usize {
        let mut run = Vec::new();
        let mut next = at;
        while self.reader.is_macro(next) {
            let end = self.reader.after_arguments(next + 1);
            run.push(next..end);
            next = end;
        }
        let Some(first) = run.first().cloned() else { return at };
        let has_arguments = first.len() > 1;
        if self.reader.is_mark(next, b'{') {
            return if run.len() == 1 && has_arguments { self.with_body(at, next) } else { at };
        }
        let is_word = self.reader.is_word(next);
        let on_next_line = self.reader.begins_line(next);
        let is_alone = match self.reader.kind(next) {
            None | Some(Kind::Directive | Kind::Mark(b'}' | b'~' | b'[')) => true,
            Some(Kind::Word) => {
                KEYWORDS.binary_search(&self.reader.text_at(next)).is_ok()
                    || self.reader.begins_declaration(next)
                    || (has_arguments && on_next_line)
            }
            _ => false,
        };
        // Of a type and a macro in front of a name, the type stays.
        let kept = if is_alone {
            0
        } else if is_word {
            1
        } else {
            return at;
        };
        for tokens in &run[kept..] {
            self.blank(tokens);
        }
        if run.len() > kept { next } else { at }
    }

    /// Replaces a macro with a body. Returns the index of its body.
    fn with_body(&mut self, at: usize, body: usize) -> usize {
        let bytes = self.reader.bytes(&(at..body));
        if self.scopes.last() == Some(&Scope::Statements) {
            self.found.push(StandIn::beginning(bytes, "if (1)"));
            return body;
        }
        self.found.push(StandIn::framed(bytes, "int f(", ")"));
        body
    }

    /// Blanks the macros after a list of parameters. Returns the index after them.
    fn suffixes(&mut self, from: usize) -> usize {
        let mut at = from;
        let mut macros = Vec::new();
        loop {
            if matches!(
                self.reader.text_at(at),
                "const" | "noexcept" | "override" | "final" | "volatile"
            ) {
                at += 1;
            } else if self.reader.is_macro(at) && macros.len() < MAX_SUFFIXES {
                let end = self.reader.after_arguments(at + 1);
                macros.push(at..end);
                at = end;
            } else {
                break;
            }
        }
        if !matches!(self.reader.kind(at), Some(Kind::Mark(b'{' | b';' | b'='))) {
            return from;
        }
        for tokens in macros {
            self.blank(&tokens);
        }
        at
    }

    /// Blanks a macro after a declared name, such as `GUARDED_BY(lock)`, or between a type and a name. Returns
    /// the index to go on at.
    fn annotation(&mut self, at: usize) -> usize {
        let before = [at - 1, at - 2].map(|index| self.reader.text_at(index));
        let is_word = |index: usize| self.reader.is_word(index);
        let is_plain = |word: &str| !STATEMENTS.contains(&word);
        if !self.reader.is_macro(at) || !before.into_iter().all(is_plain) {
            return at + 1;
        }
        let end = self.reader.after_arguments(at + 1);
        let is_type = is_word(at - 1) || matches!(self.reader.text_at(at - 1), "*" | "&" | ">");
        let is_declared = is_word(at - 1)
            && (is_word(at - 2) || matches!(self.reader.text_at(at - 2), "*" | "&" | ">"));
        let ends = matches!(self.reader.kind(end), Some(Kind::Mark(b';' | b'=' | b'{')));
        let is_between =
            is_type && end == at + 1 && is_word(end) && self.reader.is_mark(end + 1, b'(');
        if is_declared && ends || is_between {
            self.blank(&(at..end));
            return end;
        }
        at + 1
    }

    fn blank(&mut self, tokens: &Range<usize>) {
        self.found.push(StandIn::blank(self.reader.bytes(tokens)));
    }
}
