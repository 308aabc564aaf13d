/*!
Scripts: finds the statements of a text, the commands for its client, and rows of data.

Statements end at a semicolon outside of quotes, comments and brackets. psql's commands begin with a
backslash and extend to the end of their line. The rows of `COPY ... FROM stdin;` extend to a line `\.`.
The client `mysql` has the command DELIMITER; lines with only `GO` or `/` are commands of SQL Server's and
Oracle's clients, and end a batch.
*/

use crate::interrupt;
use crate::split::{code::stand_ins::StandIn, plain::lines};
use memchr::memmem;
use std::ops::Range;

/// The parts of a script.
#[derive(Default)]
pub(super) struct Script {
    /// The statements without their semicolons, in order.
    pub(super) statements: Vec<Range<usize>>,
    /// The commands and rows of data, in order.
    pub(super) commands: Vec<StandIn>,
}

/// The maximum number of different quotes without an end. Each is searched for in the whole rest of the text.
const MAX_UNCLOSED: usize = 32;

/// The maximum number of bytes of the beginning of a statement, or of a line, that decide what it is.
const MAX_HEAD: usize = 200;

/// Returns the parts of a text.
pub(super) fn read(text: &str) -> Script {
    let mut reader = Reader {
        text,
        at: 0,
        script: Script::default(),
        start: None,
        depth: 0,
        blocks: 0,
        delimiter: ";",
        has_batches: lines(text).any(is_batch_end),
        is_quoted: false,
        unclosed: Vec::new(),
    };
    reader.read();
    reader.script
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    script: Script,
    /// The beginning of the statement.
    start: Option<usize>,
    /// The number of open brackets in it.
    depth: usize,
    /// The number of open blocks in a body that is written in SQL, from `BEGIN ATOMIC` on.
    blocks: usize,
    /// The end of a statement.
    delimiter: &'t str,
    /// Whether lines end batches, so that a routine is the rest of its batch.
    has_batches: bool,
    /// Whether the statement has text in dollar quotes.
    is_quoted: bool,
    /// The ends of quotes, comments and rows that are not in the rest of the text.
    unclosed: Vec<&'t str>,
}

impl<'t> Reader<'t> {
    fn read(&mut self) {
        while self.at < self.text.len() {
            interrupt::poll();
            let rest = &self.text[self.at..];
            let byte = rest.as_bytes()[0];
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if rest.starts_with("--") {
                self.at = self.line_end();
            } else if rest.starts_with("/*") {
                self.comment();
            } else if self.has_batches && self.begins_line() && is_batch_end(self.line()) {
                let end = self.line_end();
                self.end_statement(self.at);
                self.command(end, ";");
            } else if rest.starts_with(self.delimiter) && self.ends_here() {
                self.delimit();
            } else if byte == b'\\' {
                self.backslash();
            } else if self.start.is_none() && self.new_delimiter() {
                self.command(self.line_end(), "");
            } else {
                self.start.get_or_insert(self.at);
                self.token(byte);
            }
        }
        self.end_statement(self.text.len());
    }

    /// Reads a part of a statement.
    fn token(&mut self, byte: u8) {
        let rest = &self.text[self.at..];
        match byte {
            b'(' => self.depth += 1,
            b')' => self.depth = self.depth.saturating_sub(1),
            b'\'' | b'"' | b'`' => {
                let before = self.text.as_bytes()[..self.at].last();
                let escapes = byte == b'\'' && matches!(before, Some(b'E' | b'e'));
                return self.quoted(&rest[..1], &rest[..1], escapes);
            }
            b'$' => {
                let tag = rest[1..].find(|char: char| !char.is_alphanumeric() && char != '_');
                if let Some(end) = tag.filter(|end| rest[end + 1..].starts_with('$')) {
                    let tag = &rest[..end + 2];
                    self.is_quoted = true;
                    return self.quoted(tag, tag, false);
                }
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => return self.word(),
            _ => {}
        }
        self.at += 1;
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
        let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len()).max(1);
        let word = &rest[..rest.ceil_char_boundary(length)];
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        if is("ATOMIC") || (self.blocks > 0 && (is("CASE") || is("BEGIN"))) {
            self.blocks += 1;
        } else if is("END") {
            self.blocks = self.blocks.saturating_sub(1);
        }
        self.at += word.len();
    }

    /// Skips a quoted text. Without an end, its quote is a character.
    fn quoted(&mut self, begin: &'t str, end: &'t str, escapes: bool) {
        let from = self.at + begin.len();
        let is_closed = self.may_end(end);
        let close = is_closed.then(|| self.end_of_quote(from, end, escapes)).flatten();
        if close.is_none() && is_closed {
            self.unclosed.push(end);
        }
        self.at = close.unwrap_or(from);
    }

    /// Returns whether an end may be in the rest of the text, so that a search for it is worth its cost.
    fn may_end(&self, end: &str) -> bool {
        self.unclosed.len() < MAX_UNCLOSED && !self.unclosed.contains(&end)
    }

    fn end_of_quote(&self, from: usize, end: &str, escapes: bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            interrupt::poll();
            let found = if end.len() == 1 {
                let escape = if escapes { b'\\' } else { end.as_bytes()[0] };
                at + memchr::memchr2(end.as_bytes()[0], escape, &bytes[at..])?
            } else {
                at + memmem::find(&bytes[at..], end.as_bytes())?
            };
            if escapes && bytes[found] == b'\\' {
                at = self.text.ceil_char_boundary((found + 2).min(bytes.len()));
            } else if end.len() == 1 && bytes[found + 1..].starts_with(end.as_bytes()) {
                at = found + 2;
            } else {
                return Some(found + end.len());
            }
        }
    }

    /// Skips a comment, which may have others inside.
    fn comment(&mut self) {
        const END: &str = "*/";
        if !self.may_end(END) {
            self.at += 2;
            return;
        }
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        for at in memchr::memchr_iter(b'*', &bytes[self.at..]).map(|at| self.at + at) {
            interrupt::poll();
            if bytes[at - 1] == b'/' && at > self.at {
                depth += 1;
            } else if bytes.get(at + 1) == Some(&b'/') {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    self.at = at + 2;
                    return;
                }
            }
        }
        self.unclosed.push(END);
        self.at += 2;
    }

    /// Returns whether a delimiter ends the statement. Semicolons may be in its brackets and in its body. But a
    /// missing bracket should not join all later statements, so a line that begins one ends the statement.
    fn ends_here(&self) -> bool {
        if self.delimiter != ";" {
            return true;
        }
        let statement = self.start.map_or("", |start| &self.text[start..self.at]);
        if self.has_batches && !self.is_quoted && is_routine(statement) {
            return false;
        }
        self.depth == 0 && self.blocks == 0 || {
            let next = self.text[self.at + 1..].trim_start_matches([' ', '\t']);
            next.starts_with(['\r', '\n'])
                && next.trim_start_matches(['\r', '\n']).starts_with("CREATE ")
        }
    }

    /// Ends the statement at a delimiter, and skips the rows of data after it.
    fn delimit(&mut self) {
        let reads_rows = self.start.is_some_and(|start| is_copy(&self.text[start..self.at]));
        self.end_statement(self.at);
        let end = self.at + self.delimiter.len();
        if self.delimiter == ";" {
            self.at = end;
        } else {
            self.command(end, ";");
        }
        if reads_rows {
            self.rows();
        }
    }

    /// Skips the rows of data from the next line on, if a line `\.` ends them.
    fn rows(&mut self) {
        const END: &str = "\\.";
        if !self.may_end(END) {
            return;
        }
        let from = self.line_end();
        let ends = memmem::find_iter(&self.text.as_bytes()[from..], END.as_bytes());
        let is_end = |at: &usize| {
            interrupt::poll();
            let begins = *at == from || self.text[..*at].ends_with('\n');
            begins && matches!(self.text.as_bytes().get(at + 2), None | Some(b'\r' | b'\n'))
        };
        match ends.map(|at| from + at).find(is_end) {
            Some(end) => {
                self.at = from;
                self.command(end + END.len(), "");
            }
            None => self.unclosed.push(END),
        }
    }

    /// Skips a command of psql. `\g` and its relatives end the statement, as a semicolon does.
    fn backslash(&mut self) {
        let ends = self.text[self.at + 1..].starts_with(['g', 'c'])
            && !self.text[self.at + 1..].starts_with("copy");
        let end = self.line_end();
        if ends && self.start.is_some() {
            self.end_statement(self.at);
            self.command(end, ";");
        } else {
            self.command(end, "");
        }
    }

    /// Reads the command DELIMITER of the client `mysql`.
    fn new_delimiter(&mut self) -> bool {
        let mut words =
            head(&self.text[self.at..]).lines().next().unwrap_or_default().split_whitespace();
        let is_command = words.next().is_some_and(|word| word.eq_ignore_ascii_case("DELIMITER"));
        match words.next().filter(|_| is_command && words.next().is_none()) {
            Some(delimiter) => self.delimiter = delimiter,
            None => return false,
        }
        true
    }

    /// Adds a command up to an offset, which the parser reads as `stand_in`.
    fn command(&mut self, end: usize, stand_in: &'static str) {
        let text = self.text[self.at..end].trim_end();
        self.script.commands.push(StandIn::beginning(self.at..self.at + text.len(), stand_in));
        self.at = end;
    }

    fn end_statement(&mut self, end: usize) {
        if let Some(start) = self.start.take() {
            let text = self.text[start..end].trim_end();
            self.script.statements.push(start..start + text.len());
        }
        (self.depth, self.blocks, self.is_quoted) = (0, 0, false);
    }

    fn begins_line(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// Returns the rest of the line.
    fn line(&self) -> &'t str {
        self.text[self.at..self.line_end()].trim_end()
    }

    /// Returns the offset after the line end.
    fn line_end(&self) -> usize {
        let end = memchr::memchr(b'\n', &self.text.as_bytes()[self.at..]);
        end.map_or(self.text.len(), |end| self.at + end + 1)
    }
}

/// Returns the beginning of a text.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_HEAD)]
}

/// Returns whether a line ends a batch.
fn is_batch_end(line: &str) -> bool {
    matches!(line.trim(), "GO" | "go" | "Go" | "/")
}

/// Returns whether a statement creates a routine whose body is not quoted.
fn is_routine(statement: &str) -> bool {
    let words = head(statement).split_ascii_whitespace().take(5).map(str::to_ascii_uppercase);
    let is_routine =
        |word: &str| matches!(word, "PROCEDURE" | "PROC" | "FUNCTION" | "TRIGGER" | "PACKAGE");
    let mut words = words.skip_while(|word| !matches!(&**word, "CREATE" | "DECLARE" | "BEGIN"));
    let first = words.next();
    let is_created = first.as_deref() == Some("CREATE") && words.any(|word| is_routine(&word));
    is_created || first.is_some_and(|word| word != "CREATE")
}

/// Returns whether a statement reads the rows that follow it.
fn is_copy(statement: &str) -> bool {
    let mut words = statement.split_ascii_whitespace();
    let mut is = |known: &str| words.any(|word| word.eq_ignore_ascii_case(known));
    statement.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("COPY"))
        && is("FROM")
        && is("STDIN")
}
