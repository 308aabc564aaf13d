/*!
All that is printed, made fit for where it goes.

Texts come with [`Mark`]s in place of escape sequences. Only here do marks become escape sequences,
where colours are wanted, so no escape sequence of a document, a file name or a server reaches a
terminal, whoever forgot to think of it. Lines of documents stand behind [`VERBATIM`]: a file or
another program gets them byte for byte.
*/

use crate::printable::{escape, is_hidden};
use clap::builder::styling::{AnsiColor, Style};
use std::fmt;

/// A style, as render writes it: `{BOLD}` begins it, `{BOLD:#}` ends it.
///
/// It is a noncharacter, which Unicode keeps for use inside of programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mark(char);

pub const BOLD: Mark = Mark('\u{fdd1}');
pub const DIM: Mark = Mark('\u{fdd2}');
pub const TITLE: Mark = Mark('\u{fdd3}');
pub const HIT: Mark = Mark('\u{fdd4}');
pub const ERROR: Mark = Mark('\u{fdd5}');
pub const GOOD: Mark = Mark('\u{fdd6}');
pub const WARNING: Mark = Mark('\u{fdd7}');

/// Ends any style.
const END: char = '\u{fdd0}';

/// What follows, to the end of the line, is of a document.
pub const VERBATIM: char = '\u{fdef}';

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(formatter, if formatter.alternate() { END } else { self.0 })
    }
}

/// Returns the style of a mark, if the character is one.
fn style(mark: char) -> Option<Style> {
    Some(match Mark(mark) {
        BOLD => Style::new().bold(),
        DIM => Style::new().dimmed(),
        TITLE => AnsiColor::Cyan.on_default().bold(),
        HIT => AnsiColor::Yellow.on_default(),
        ERROR => AnsiColor::Red.on_default().bold(),
        GOOD => AnsiColor::Green.on_default(),
        WARNING => AnsiColor::Yellow.on_default().bold(),
        _ => return None,
    })
}

/// What a text is printed to.
#[derive(Clone, Copy)]
pub struct Target {
    /// A terminal, or what colours are wanted for, such as a pager.
    is_terminal: bool,
    has_colours: bool,
}

impl Target {
    /// Finds out what a stream is, and what the environment says of colours.
    pub fn of(stream: &impl anstream::stream::RawStream) -> Self {
        let has_colours = anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never;
        Self { is_terminal: stream.is_terminal() || has_colours, has_colours }
    }

    /// Returns a text as it is written there.
    pub fn shown(self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let (line, verbatim) = line.split_once(VERBATIM).unwrap_or((line, ""));
            for char in line.chars() {
                self.show(&mut shown, char);
            }
            if self.is_terminal {
                for char in verbatim.chars() {
                    visible(&mut shown, char);
                }
            } else {
                shown.push_str(verbatim);
            }
        }
        shown
    }

    fn show(self, shown: &mut String, char: char) {
        match style(char) {
            Some(style) if self.has_colours => shown.push_str(&style.render().to_string()),
            None if char == END && self.has_colours => shown.push_str("\u{1b}[0m"),
            None if char != END => visible(shown, char),
            _ => {}
        }
    }
}

fn visible(shown: &mut String, char: char) {
    if is_hidden(char) && !matches!(char, '\n' | '\t') {
        escape(shown, char);
    } else {
        shown.push(char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TERMINAL: Target = Target { is_terminal: true, has_colours: true };
    const PLAIN: Target = Target { is_terminal: true, has_colours: false };
    const FILE: Target = Target { is_terminal: false, has_colours: false };

    #[test]
    fn marks_become_colours_and_nothing_else_does() {
        let text = format!("{BOLD}a\u{1b}[31m{BOLD:#}\tb\n{TITLE}c{TITLE:#}\u{202e}\n");
        let coloured = "\u{1b}[1ma\\x1B[31m\u{1b}[0m\tb\n\u{1b}[1m\u{1b}[36mc\u{1b}[0m\\u202E\n";
        assert_eq!(TERMINAL.shown(&text), coloured);
        assert_eq!(PLAIN.shown(&text), "a\\x1B[31m\tb\nc\\u202E\n");
        assert_eq!(FILE.shown(&text), PLAIN.shown(&text));
    }

    #[test]
    fn lines_of_documents_are_exact_but_on_a_terminal() {
        let line = "\u{1b}[31m\u{fdd1}\u{fdef}\u{feff}\r x";
        let text = format!("{DIM}│{DIM:#} {VERBATIM}{line}\n\u{7}\n");
        assert_eq!(FILE.shown(&text), format!("│ {line}\n\\x07\n"));
        let shown = "│ \\x1B[31m\\uFDD1\\uFDEF\\uFEFF\\r x\n\\x07\n";
        assert_eq!(PLAIN.shown(&text), shown);
    }

    proptest! {
        #[test]
        fn a_terminal_gets_no_hidden_character(text in "(\\PC|[\u{0}-\u{9f}\u{202a}-\u{202e}\u{fdd0}-\u{fdef}]){0,40}") {
            let shown = PLAIN.shown(&text);
            prop_assert!(!shown.chars().any(|char| is_hidden(char) && !matches!(char, '\n' | '\t')));
        }
    }
}
