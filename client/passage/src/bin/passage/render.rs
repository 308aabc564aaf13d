/*!
Rendering: results as text with marks for styles.

`terminal` replaces the marks by escape sequences, or removes them if there is no terminal.
*/

mod outcomes;
mod results;
mod store;

pub use outcomes::{
    documents_and_chunks, ingest_outcome, ingest_summary, ingest_summary_json, reindex_outcome,
    reindex_summary, reindex_summary_json, removed, replaced,
};
pub use results::{Timing, context, fragments, search_results, search_results_json};
pub use store::{documents, findings, status};

use crate::printable::{printable, printable_json};
use crate::terminal::{BOLD, DIM, ERROR, GOOD, HIT, TITLE, VERBATIM, WARNING};
use passage::split::Piece;
use passage::store::{Notice, OutlineRow};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

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

/// A piece with its text. The order of the fields is that of the output.
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

/// Returns one line of JSON for each piece.
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

/// Returns pieces as text: a line of facts, and the content of each.
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

/// Returns the sections of a document with their lines.
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

/// Returns the result of `embed`.
pub fn embedded(embedded: u64, elapsed: Duration) -> String {
    let embedded = count(usize::try_from(embedded).unwrap_or(usize::MAX), "chunk");
    format!("{embedded} embedded in {:.1} s\n", elapsed.as_secs_f64())
}

/// Returns the result of `embed` as one JSON object.
pub fn embedded_json(embedded: u64, elapsed: Duration) -> String {
    json(&serde_json::json!({ "embedded": embedded, "milliseconds": elapsed.as_millis() as u64 }))
}

/// Returns the result of `init`.
pub fn created(store: &str, statements: usize, model: Option<&(String, usize)>) -> String {
    let what = if statements == 0 { "already exists" } else { "is ready" };
    let with = match model {
        Some((model, dimensions)) => {
            format!("with embeddings of {}, {dimensions} dimensions", printable(model))
        }
        None => "without embeddings".into(),
    };
    format!("the store \"{}\" {what}, {with}\n", printable(store))
}

/// Returns the result of `init` as one JSON object.
pub fn created_json(store: &str, statements: usize, model: Option<&(String, usize)>) -> String {
    let (name, dimensions) = model.map(|(name, dimensions)| (name, dimensions)).unzip();
    json(&serde_json::json!({
        "store": store, "statements": statements, "model": name, "dimensions": dimensions,
    }))
}

/// Returns a number with its noun, such as `3 chunks`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn section(titles: &[String]) -> String {
    if titles.is_empty() { "(root)".into() } else { printable(&titles.join(" › ")) }
}

fn line(output: &mut String, line: &str) {
    writeln!(output, "{line}").expect("a string takes any text");
}

/// Writes a text with a bar before each line, so that its end is visible. The bar of lines with
/// hits is bold. Empty lines at both ends are left out.
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
