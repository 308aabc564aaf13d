//! Prints to standard output and standard error, asks on the terminal, and has the exit codes.

use super::printable::printable;
use super::render;
use super::terminal::Target;
use crate::Error;
use crate::store::Notice;
use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;

/// Exit codes besides 0 and 1. The help lists them.
pub const USAGE_ERROR: u8 = 2;
pub const INTERRUPTED: u8 = 130;

/// Prints to standard output. A closed pipe is not an error.
pub fn print(text: &str) {
    let text = Target::of(&std::io::stdout()).convert(text);
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Returns standard output for many lines, which are written as they are.
pub fn lines() -> impl Write {
    BufWriter::with_capacity(1 << 16, std::io::stdout())
}

/// Prints a line to standard error.
pub fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", Target::of(&std::io::stderr()).convert(text));
}

/// Prints notes with their hints.
pub fn print_notes(notes: &[Notice]) {
    for note in notes {
        print_error(&render::note(note));
    }
}

/// Prints an error with its remedy.
pub fn fail(error: &Error) -> ExitCode {
    fail_with(&error.to_string(), &error.remedy())
}

/// Prints the cause of a failure with its remedy.
pub fn fail_with(cause: &str, remedy: &str) -> ExitCode {
    print_error(&render::failure(cause, remedy));
    ExitCode::FAILURE
}

/// Asks the user on the terminal. Returns `None` if there is no terminal.
pub fn ask(question: &str) -> Option<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    let question = Target::of(&std::io::stderr()).convert(&printable(question));
    let _ = write!(std::io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
