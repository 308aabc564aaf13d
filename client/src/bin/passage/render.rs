//! How things look. Everything is a text with marks for colours; whoever prints it puts in the
//! colours, or takes the marks out where there is no terminal.

mod changed;
mod found;
mod lines;
mod reindexed;
mod store;

pub use changed::{documents_and_chunks, outcome, removed, summary, summary_json};
pub use found::{Timing, found, found_json};
pub use lines::{context, fragments};
pub use reindexed::{reindexed, reindexed_json, remade, replaced};
pub use store::{documents, findings, status};

use crate::printable::{printable, printable_json};
use crate::terminal::{BOLD, DIM, ERROR, GOOD, HIT, TITLE, VERBATIM, WARNING};
use passage::split::Piece;
use passage::store::{Notice, OutlineRow};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

/// An error: the cause, and below it what to do.
pub fn failure(cause: &str, remedy: &str) -> String {
    let (cause, remedy) = (printable(cause), printable(remedy));
    format!("{ERROR}error:{ERROR:#} {cause}\n  {remedy}")
}

/// A wrong call, as clap tells of it: an error and below it what may be meant.
pub fn wrong_call(told: &str) -> String {
    format!("{ERROR}error:{ERROR:#} {}", told.trim_start_matches("error: "))
}

/// A note of the server, with its advice.
pub fn note(note: &Notice) -> String {
    let mut output = format!("{BOLD}note:{BOLD:#} {}", printable(&note.message));
    if let Some(hint) = &note.hint {
        write!(output, "\n  {}", printable(hint)).expect("a string takes any text");
    }
    output
}

/// One JSON value on one line.
pub fn json(value: &impl Serialize) -> String {
    let mut line = printable_json(&serde_json::to_string(value).expect("its keys are strings"));
    line.push('\n');
    line
}

/// A piece with its text, in the order of the fields.
#[derive(Serialize)]
struct JsonPiece<'a> {
    ordinal: usize,
    level: u32,
    section: &'a [String],
    kind: &'a str,
    unit: &'a str,
    content: &'a str,
    preamble: &'a str,
    tokens: usize,
    start_byte: usize,
    end_byte: usize,
    first_line: usize,
    last_line: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    imports: &'a [String],
}

/// One JSON object a line for each piece.
pub fn pieces_json(text: &str, pieces: &[Piece]) -> String {
    let line = |(ordinal, piece): (usize, &Piece)| {
        json(&JsonPiece {
            ordinal,
            level: piece.level,
            section: &piece.section,
            kind: piece.kind.name(),
            unit: piece.unit.name(),
            content: &text[piece.bytes.clone()],
            preamble: &piece.preamble,
            tokens: piece.tokens,
            start_byte: piece.bytes.start,
            end_byte: piece.bytes.end,
            first_line: *piece.lines.start(),
            last_line: *piece.lines.end(),
            imports: &piece.imports,
        })
    };
    pieces.iter().enumerate().map(line).collect()
}

/// Pieces for people: a line about each, and its text.
pub fn pieces(text: &str, pieces: &[Piece]) -> String {
    let mut output = String::new();
    for (ordinal, piece) in pieces.iter().enumerate() {
        let (first, last) = (piece.lines.start(), piece.lines.end());
        let section = section(&piece.section);
        let tokens = piece.tokens;
        line(&mut output, &format!("{BOLD}{ordinal}{BOLD:#}  {TITLE}{section}{TITLE:#}"));
        line(&mut output, &format!("   {DIM}lines {first}-{last}, {tokens} tokens{DIM:#}"));
        quote(&mut output, &text[piece.bytes.clone()], &[]);
    }
    output
}

/// The sections of a document with their lines.
pub fn outline(rows: &[OutlineRow]) -> String {
    let outlines: Vec<_> = rows.iter().map(|row| printable(&row.outline)).collect();
    let width = outlines.iter().map(|outline| outline.chars().count()).max().unwrap_or(0);
    let mut output = String::new();
    for (row, outline) in rows.iter().zip(outlines) {
        let OutlineRow { chunks, tokens, .. } = row;
        let lines = match (row.first_line, row.last_line) {
            (Some(first), Some(last)) => format!("lines {first}-{last}, "),
            _ => String::new(),
        };
        line(
            &mut output,
            &format!(
                "{outline:width$}  {DIM}{lines}{}, {tokens} tokens{DIM:#}",
                count(*chunks as usize, "chunk")
            ),
        );
    }
    output
}

/// What a run of `embed` came to.
pub fn filled(embedded: u64, elapsed: Duration) -> String {
    let embedded = count(usize::try_from(embedded).unwrap_or(usize::MAX), "chunk");
    format!("{embedded} embedded in {:.1} s\n", elapsed.as_secs_f64())
}

/// The same for programs.
pub fn filled_json(embedded: u64, elapsed: Duration) -> String {
    json(&serde_json::json!({ "embedded": embedded, "milliseconds": elapsed.as_millis() as u64 }))
}

/// What `init` made.
pub fn made(store: &str, statements: usize, model: Option<&(String, usize)>) -> String {
    let what = if statements == 0 { "is there already" } else { "is ready" };
    let with = match model {
        Some((model, dimensions)) => {
            format!("with embeddings of {}, {dimensions} dimensions", printable(model))
        }
        None => "without embeddings".into(),
    };
    format!("the store \"{}\" {what}, {with}\n", printable(store))
}

/// The same for programs.
pub fn made_json(store: &str, statements: usize, model: Option<&(String, usize)>) -> String {
    let (name, dimensions) = model.map(|(name, dimensions)| (name, dimensions)).unzip();
    json(&serde_json::json!({
        "store": store, "statements": statements, "model": name, "dimensions": dimensions,
    }))
}

/// A number of things.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn section(titles: &[String]) -> String {
    if titles.is_empty() { "(root)".into() } else { printable(&titles.join(" › ")) }
}

fn line(output: &mut String, line: &str) {
    writeln!(output, "{line}").expect("a string takes any text");
}

/// A text behind a bar, so that it is plain where it ends, and a bold one where the bytes of a hit
/// are; empty lines at its ends are left out.
fn quote(output: &mut String, text: &str, hits: &[Range<usize>]) {
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
