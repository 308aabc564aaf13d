//! Shared rendering: errors, notes, JSON, and texts of documents with a bar before each line.

pub use super::printable::printable;
use super::printable::printable_json;
pub use super::terminal::{BOLD, DIM, ERROR, GOOD, HIT, TITLE, VERBATIM, WARNING};
use crate::store::Notice;
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// Returns an error: the cause, with the remedy below.
pub fn failure(cause: &str, remedy: &str) -> String {
    let (cause, remedy) = (printable(cause), printable(remedy));
    format!("{ERROR}error:{ERROR:#} {cause}\n  {remedy}")
}

/// Returns a usage error: the message of clap in our style.
pub fn usage_error(message: &str) -> String {
    format!("{ERROR}error:{ERROR:#} {}", message.trim_start_matches("error: "))
}

/// Returns a note with its hint.
pub fn note(note: &Notice) -> String {
    let mut output = format!("{BOLD}note:{BOLD:#} {}", printable(&note.message));
    if let Some(hint) = &note.hint {
        write!(output, "\n  {}", printable(hint)).expect("a string takes any text");
    }
    output
}

/// Returns a value as one line of JSON.
pub fn json(value: &impl Serialize) -> String {
    let mut line = printable_json(&serde_json::to_string(value).expect("its keys are strings"));
    line.push('\n');
    line
}

/// Returns a number with its noun, such as `3 chunks`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the titles of a section in one line.
pub fn section(titles: &[String]) -> String {
    if titles.is_empty() { "(root)".into() } else { printable(&titles.join(" › ")) }
}

/// Writes a line.
pub fn line(output: &mut String, line: &str) {
    writeln!(output, "{line}").expect("a string takes any text");
}

/// Writes a text with a bar before each line, so that its end is visible. The bar of lines with
/// hits is bold. Empty lines at both ends are left out.
pub fn quote(output: &mut String, text: &str, hits: &[Range<usize>]) {
    let ends: &[char] = &['\n', '\r'];
    let mut end = text.len() - text.trim_start_matches(ends).len();
    for text in text.trim_matches(ends).split_inclusive('\n') {
        let start = end;
        end += text.len();
        let is_hit = hits.iter().any(|hit| hit.start < end && start < hit.end);
        let bar = if is_hit { format!("{HIT}┃{HIT:#}") } else { format!("{DIM}│{DIM:#}") };
        line(output, &format!("   {bar} {VERBATIM}{}", text.trim_end_matches(ends)));
    }
    output.push('\n');
}

/// Returns a document with lines, in the notation that editors and terminals open.
pub fn location(uri: Option<&str>, first: Option<i32>, last: Option<i32>) -> String {
    let uri = printable(uri.unwrap_or("(no document)"));
    match (first, last) {
        (Some(first), Some(last)) => format!("{uri}:{first}-{last}"),
        _ => uri,
    }
}
