/*!
Macros that the grammar cannot read, because it does not know what they expand to.

- A macro before the name of a class: `class SHOP_API Basket : public Object {`.
- Macros before and after a declaration: `EXPORT int sum() NOEXCEPT;`, also on lines of their own.
- A macro with a body: `TEST_CASE("queue keeps order") {` is read as a function, and inside of a function
  as a condition.

By convention the name of a macro has no lower case letters. Names are not macros if too little of a
declaration would be left without them.
*/

use super::tokens::{Kind, Token};
use crate::interrupt;
use crate::split::code::stand_ins::StandIn;

/// Words that only begin a declaration, or what follows one.
const KEYWORDS: [&str; 44] = [
    "alignas",
    "auto",
    "bool",
    "char",
    "class",
    "const",
    "constexpr",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "long",
    "mutable",
    "namespace",
    "operator",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "size_t",
    "static",
    "struct",
    "template",
    "thread_local",
    "typedef",
    "typename",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "using",
    "void",
];

/// Words that are neither types nor names.
const STATEMENTS: [&str; 10] =
    ["return", "throw", "else", "case", "goto", "new", "delete", "do", "co_return", "co_yield"];

/// The content of braces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The members of a class or a namespace.
    Members,
    /// The statements of a function.
    Statements,
    /// Values or constants.
    Values,
}

/// Returns stand-ins for the macros in some tokens.
pub(super) fn stand_ins(text: &str, tokens: &[Token]) -> Vec<StandIn> {
    let closes = closes(tokens);
    let mut finder = Finder { text, tokens, closes, scopes: Vec::new(), found: Vec::new() };
    finder.find();
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The index of the bracket that closes the one at an index; 0 if there is none.
    closes: Vec<u32>,
    scopes: Vec<Scope>,
    found: Vec<StandIn>,
}

impl Finder<'_> {
    fn find(&mut self) {
        let (mut at, mut start) = (0, 0);
        while at < self.tokens.len() {
            interrupt::poll();
            if at == start && self.scopes.last() != Some(&Scope::Values) {
                let next = self.statement(at);
                if next > at {
                    (at, start) = (next, if self.is_mark(next, b'{') { at } else { next });
                    continue;
                }
            }
            let mut next = at + 1;
            match self.tokens[at].kind {
                Kind::Mark(b'{') => {
                    self.scopes.push(self.scope(start, at));
                    start = next;
                }
                Kind::Mark(b'}') => {
                    self.scopes.pop();
                    start = next;
                }
                Kind::Mark(b';') | Kind::Directive => start = next,
                Kind::Mark(b':') if self.is_access(start, at) => start = next,
                Kind::Mark(b')') => next = self.suffixes(next),
                Kind::Word if matches!(self.word(at), "class" | "struct" | "union" | "enum") => {
                    next = self.class_head(next);
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
        while self.is_macro(next) {
            let end = self.after_arguments(next + 1);
            run.push(next..end);
            next = end;
        }
        let Some(first) = run.first().cloned() else { return at };
        let has_arguments = first.len() > 1;
        if self.is_mark(next, b'{') {
            return if run.len() == 1 && has_arguments { self.with_body(at, next) } else { at };
        }
        let is_word = self.kind(next) == Some(Kind::Word);
        let on_next_line = self.tokens.get(next).is_none_or(|token| token.begins_line);
        let is_alone = match self.kind(next) {
            None | Some(Kind::Directive | Kind::Mark(b'}' | b'~' | b'[')) => true,
            Some(Kind::Word) => {
                KEYWORDS.binary_search(&self.word(next)).is_ok()
                    || self.begins_declaration(next)
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
        for tokens in run.iter().skip(kept) {
            self.blank(tokens.start, tokens.end);
        }
        if run.len() > kept { next } else { at }
    }

    /// Replaces a macro with a body. Returns the index of its body.
    fn with_body(&mut self, at: usize, body: usize) -> usize {
        let [name, close] = [at, body - 1].map(|index| self.tokens[index].bytes.clone());
        if self.scopes.last() == Some(&Scope::Statements) {
            self.found.push(StandIn::beginning(name.start..close.end, "if (1)"));
            return body;
        }
        self.found.push(StandIn::framed(name.start..close.end, "int f(", ")"));
        body
    }

    /// Reads the head of a class from the index after its keyword, and blanks the macros before its name.
    /// Returns the index to go on at.
    fn class_head(&mut self, from: usize) -> usize {
        let mut words = Vec::new();
        let mut at = from + usize::from(matches!(self.text_at(from), "class" | "struct"));
        while self.kind(at) == Some(Kind::Word) {
            let end = self.after_arguments(at + 1);
            // `Outer::Inner` is one name.
            let is_joined = self.is_mark(end, b':') && self.is_mark(end + 1, b':');
            words.push(at..end);
            at = if is_joined { end + 2 } else { end };
            if is_joined {
                words.pop();
            }
        }
        words.pop_if(|word| matches!(self.word(word.start), "final" | "sealed"));
        // A macro may also stand for `final`.
        let last = words.iter().rposition(|word| !self.is_macro(word.start));
        let suffixes = words.split_off(last.map_or(words.len(), |last| last + 1));
        let is_head = match self.kind(at) {
            Some(Kind::Mark(b'{')) => true,
            Some(Kind::Mark(b'<')) => words.len() > 1 && self.has_body(at),
            Some(Kind::Mark(b':')) => self.has_body(at),
            Some(Kind::Mark(b';')) => {
                words.iter().rev().skip(1).all(|word| self.is_macro(word.start))
            }
            _ => false,
        };
        let Some((name, macros)) = words.split_last() else { return from };
        // A function may return a structure.
        if !is_head || name.len() > 1 {
            return from;
        }
        for tokens in macros.iter().chain(&suffixes) {
            // The grammar knows attributes of compilers.
            if !self.text_at(tokens.start).starts_with("__") {
                self.blank(tokens.start, tokens.end);
            }
        }
        at
    }

    /// Blanks the macros after a list of parameters. Returns the index after them.
    fn suffixes(&mut self, from: usize) -> usize {
        let mut at = from;
        let mut macros = Vec::new();
        loop {
            if matches!(self.text_at(at), "const" | "noexcept" | "override" | "final" | "volatile")
            {
                at += 1;
            } else if self.is_macro(at) {
                let end = self.after_arguments(at + 1);
                macros.push(at..end);
                at = end;
            } else {
                break;
            }
        }
        if !matches!(self.kind(at), Some(Kind::Mark(b'{' | b';' | b'='))) {
            return from;
        }
        for tokens in macros {
            self.blank(tokens.start, tokens.end);
        }
        at
    }

    /// Blanks a macro after a declared name, such as `GUARDED_BY(lock)`, or between a type and a name. Returns
    /// the index to go on at.
    fn annotation(&mut self, at: usize) -> usize {
        let before = [at - 1, at - 2].map(|index| self.text_at(index));
        let is_word = |index: usize| self.kind(index) == Some(Kind::Word);
        let is_plain = |word: &str| !STATEMENTS.contains(&word);
        if !self.is_macro(at) || !before.into_iter().all(is_plain) {
            return at + 1;
        }
        let end = self.after_arguments(at + 1);
        let is_type = is_word(at - 1) || matches!(self.text_at(at - 1), "*" | "&" | ">");
        let is_declared =
            is_word(at - 1) && (is_word(at - 2) || matches!(self.text_at(at - 2), "*" | "&" | ">"));
        let ends = matches!(self.kind(end), Some(Kind::Mark(b';' | b'=' | b'{')));
        let is_between = is_type && end == at + 1 && is_word(end) && self.is_mark(end + 1, b'(');
        if is_declared && ends || is_between {
            self.blank(at, end);
            return end;
        }
        at + 1
    }

    /// Returns what the brace at an index begins, in a statement that begins at `start`.
    fn scope(&self, start: usize, at: usize) -> Scope {
        let words = || (start..at).filter(|index| self.kind(*index) == Some(Kind::Word));
        let has = |known: &[&str]| words().any(|index| known.contains(&self.word(index)));
        let before = at.checked_sub(1).map_or("", |before| self.text_at(before));
        let is_function = before == ")" || matches!(before, "const" | "override" | "noexcept");
        if has(&["enum"]) || matches!(before, "=" | "," | "(" | "return") || before == "]" {
            Scope::Values
        } else if !is_function
            && (has(&["class", "struct", "union", "namespace"]) || has(&["extern"]))
        {
            Scope::Members
        } else if self.scopes.last() == Some(&Scope::Values) {
            Scope::Values
        } else {
            Scope::Statements
        }
    }

    /// Returns whether a brace follows before the declaration ends.
    fn has_body(&self, at: usize) -> bool {
        let rest = self.tokens[at..].iter().take(200);
        let mut marks = rest.filter_map(|token| match token.kind {
            Kind::Mark(mark @ (b'{' | b';' | b'}' | b'=')) => Some(mark),
            _ => None,
        });
        marks.next() == Some(b'{')
    }

    /// Returns whether a type and a name begin at an index.
    fn begins_declaration(&self, at: usize) -> bool {
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

    /// Returns whether a colon ends a label such as `public:`.
    fn is_access(&self, start: usize, at: usize) -> bool {
        at - start <= 2
            && matches!(self.text_at(start), "public" | "private" | "protected" | "signals")
    }

    /// Returns whether a word without lower case letters is at an index.
    fn is_macro(&self, at: usize) -> bool {
        let word = self.text_at(at);
        self.kind(at) == Some(Kind::Word)
            && word.len() > 1
            && word.bytes().any(|byte| byte.is_ascii_uppercase())
            && !word.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    /// Returns the index after the lists of arguments at an index, or the index if there are none.
    fn after_arguments(&self, at: usize) -> usize {
        let mut after = at;
        while let Some(next) = self.after_list(after) {
            after = next;
        }
        after
    }

    /// Returns the index after the list in brackets at an index.
    fn after_list(&self, at: usize) -> Option<usize> {
        let close = self.closes.get(at).filter(|close| **close > 0)?;
        Some(*close as usize + 1)
    }

    fn blank(&mut self, from: usize, to: usize) {
        let [first, last] = [from, to - 1].map(|index| self.tokens[index].bytes.clone());
        self.found.push(StandIn::blank(first.start..last.end));
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is_mark(&self, at: usize, mark: u8) -> bool {
        self.kind(at) == Some(Kind::Mark(mark))
    }

    fn word(&self, at: usize) -> &str {
        self.text_at(at)
    }

    fn text_at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.bytes.clone()])
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
