/*!
Output: converts rendered text for its target, a terminal or a file.

Rendered text has [`Mark`]s in place of escape sequences. Only this module turns marks into escape
sequences, if colors are wanted. So no escape sequence of a document, a file name or a server
reaches a terminal, even if a caller forgets about it. [`VERBATIM`] precedes lines of documents: a
file or another program receives them byte for byte.
*/

use super::printable::{escape, is_hidden};
use clap::builder::styling::{AnsiColor, Style};
use std::fmt;

/// A style in rendered text: `{BOLD}` begins it, `{BOLD:#}` ends it.
///
/// It is a noncharacter, which Unicode reserves for use inside a program.
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

/// Precedes a line of a document.
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

/// The target of output.
#[derive(Clone, Copy)]
pub struct Target {
    /// Whether it is a terminal, or a program that shows colors, such as a pager.
    is_terminal: bool,
    has_colors: bool,
}

impl Target {
    /// Detects the kind of a stream, and whether the environment requests colors.
    pub fn of(stream: &impl anstream::stream::RawStream) -> Self {
        let has_colors = anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never;
        Self { is_terminal: stream.is_terminal() || has_colors, has_colors }
    }

    /// Returns the text to write to the target.
    pub fn convert(self, text: &str) -> String {
        let mut output = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let (line, verbatim) = line.split_once(VERBATIM).unwrap_or((line, ""));
            for char in line.chars() {
                self.write(&mut output, char);
            }
            if self.is_terminal {
                for char in verbatim.chars() {
                    write_visible(&mut output, char);
                }
            } else {
                output.push_str(verbatim);
            }
        }
        output
    }

    fn write(self, output: &mut String, char: char) {
        match style(char) {
            Some(style) if self.has_colors => output.push_str(&style.render().to_string()),
            None if char == END && self.has_colors => output.push_str("\u{1b}[0m"),
            None if char != END => write_visible(output, char),
            _ => {}
        }
    }
}

fn write_visible(output: &mut String, char: char) {
    if is_hidden(char) && !matches!(char, '\n' | '\t') {
        escape(output, char);
    } else {
        output.push(char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TERMINAL: Target = Target { is_terminal: true, has_colors: true };
    const PLAIN: Target = Target { is_terminal: true, has_colors: false };
    const FILE: Target = Target { is_terminal: false, has_colors: false };

    #[test]
    fn only_marks_become_colors() {
        let text = format!("{BOLD}a\u{1b}[31m{BOLD:#}\tb\n{TITLE}c{TITLE:#}\u{202e}\n");
        let colored = "\u{1b}[1ma\\x1B[31m\u{1b}[0m\tb\n\u{1b}[1m\u{1b}[36mc\u{1b}[0m\\u202E\n";
        assert_eq!(TERMINAL.convert(&text), colored);
        assert_eq!(PLAIN.convert(&text), "a\\x1B[31m\tb\nc\\u202E\n");
        assert_eq!(FILE.convert(&text), PLAIN.convert(&text));
    }

    #[test]
    fn lines_of_documents_are_unchanged_except_on_a_terminal() {
        let line = "\u{1b}[31m\u{fdd1}\u{fdef}\u{feff}\r x";
        let text = format!("{DIM}│{DIM:#} {VERBATIM}{line}\n\u{7}\n");
        assert_eq!(FILE.convert(&text), format!("│ {line}\n\\x07\n"));
        let shown = "│ \\x1B[31m\\uFDD1\\uFDEF\\uFEFF\\r x\n\\x07\n";
        assert_eq!(PLAIN.convert(&text), shown);
    }

    proptest! {
        #[test]
        fn a_terminal_receives_no_hidden_characters(text in "(\\PC|[\u{0}-\u{9f}\u{202a}-\u{202e}\u{fdd0}-\u{fdef}]){0,40}") {
            let shown = PLAIN.convert(&text);
            prop_assert!(!shown.chars().any(|char| is_hidden(char) && !matches!(char, '\n' | '\t')));
        }
    }
}
