//! How things look. Everything is a text with colours; whoever prints it takes them out where
//! there is no terminal.

use clap::builder::styling::{AnsiColor, Style};
use passage::ingest::Summary;
use passage::split::Piece;
use passage::store::{BareChunk, Found, OutlineRow, Passage, Status};
use serde::Serialize;
use std::fmt::Write;
use std::time::Duration;

/// How many failures a summary lists.
const MOST_FAILURES: usize = 20;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const TITLE: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// An error: the cause, and below it what to do.
pub fn failure(cause: &str, remedy: &str) -> String {
    format!("{ERROR}error:{ERROR:#} {cause}\n  {remedy}")
}

/// One JSON value on one line.
pub fn json(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("its keys are strings");
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
        quote(&mut output, &text[piece.bytes.clone()]);
    }
    output
}

/// What was found: the best chunk if wanted, and the passages.
pub fn found(found: &Found, with_chunk: bool) -> String {
    let mut output = String::new();
    if found.passages.is_empty() {
        return "nothing found\n".into();
    }
    if with_chunk && let Some(chunk) = found.chunks.first() {
        best_chunk(&mut output, chunk);
    }
    for found in &found.passages {
        passage(&mut output, found);
    }
    output
}

fn best_chunk(output: &mut String, chunk: &BareChunk) {
    let place = place(Some(&chunk.uri), chunk.first_line, chunk.last_line);
    let score = chunk.score;
    line(output, &format!("{BOLD}The best chunk by itself{BOLD:#}"));
    let title = heading(chunk.title.as_deref(), &chunk.section);
    line(output, &format!("   {TITLE}{title}{TITLE:#}"));
    line(
        output,
        &format!("   {DIM}{place}  score {score:.3}{}{DIM:#}", tokens(chunk.tokens.map(i64::from))),
    );
    quote(output, &chunk.content);
    line(output, &format!("{BOLD}The passages{BOLD:#}\n"));
}

fn passage(output: &mut String, passage: &Passage) {
    let rank = passage.rank;
    let title = heading(passage.title.as_deref(), &passage.section);
    line(output, &format!("{BOLD}{rank}{BOLD:#}  {TITLE}{title}{TITLE:#}"));
    let place = place(passage.uri.as_deref(), passage.first_line, passage.last_line);
    let score = passage.score.map(|score| format!("  score {score:.3}")).unwrap_or_default();
    let (hits, chunks) = (passage.hit_ids.len(), passage.chunk_ids.len());
    let cut = if passage.truncated { "  cut to fit" } else { "" };
    line(
        output,
        &format!(
            "   {DIM}{place}{score}{}  {hits} of {chunks} chunks hit{cut}{DIM:#}",
            tokens(Some(passage.tokens))
        ),
    );
    quote(output, &passage.content);
}

/// A document's title and the titles of a section in it; a document is often named by its first
/// heading, and once is enough.
fn heading(title: Option<&str>, section: &[String]) -> String {
    let title = title
        .filter(|title| !title.is_empty() && section.first().map(String::as_str) != Some(title));
    let titles: Vec<String> =
        title.map(ToOwned::to_owned).into_iter().chain(section.iter().cloned()).collect();
    self::section(&titles)
}

fn place(uri: Option<&str>, first: Option<i32>, last: Option<i32>) -> String {
    let uri = plain(uri.unwrap_or("(no document)"));
    match (first, last) {
        (Some(first), Some(last)) => format!("{uri}:{first}-{last}"),
        _ => uri,
    }
}

fn tokens(tokens: Option<i64>) -> String {
    tokens.map(|tokens| format!("  {tokens} tokens")).unwrap_or_default()
}

/// The sections of a document with their lines.
pub fn outline(rows: &[OutlineRow]) -> String {
    let width = rows.iter().map(|row| row.outline.chars().count()).max().unwrap_or(0);
    let mut output = String::new();
    for row in rows {
        let OutlineRow { chunks, tokens, .. } = row;
        let outline = plain(&row.outline);
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

/// What a store holds.
pub fn status(status: &Status) -> String {
    let mut output = String::new();
    let mut row =
        |name: &str, value: &str| line(&mut output, &format!("{BOLD}{name:<11}{BOLD:#}{value}"));
    row("store", &status.store);
    row("documents", &status.documents.to_string());
    row("chunks", &status.chunks.to_string());
    row(
        "embeddings",
        &status.embeddings.map_or_else(|| "none kept".into(), |count| count.to_string()),
    );
    let setting = |key: &str| {
        status.settings.get(key).map(|value| value.as_str().map_or(value.to_string(), Into::into))
    };
    for key in ["model", "dimensions", "distance", "sizer", "language"] {
        if let Some(value) = setting(key) {
            row(key, &value);
        }
    }
    row("size", &format!("{:.1} MB", status.bytes as f64 / 1_048_576.0));
    let extension = status.extension.as_deref().unwrap_or("missing");
    row("server", &format!("PostgreSQL {}, pg_passage {extension}", status.server));
    output
}

/// What `init` made.
pub fn made(store: &str, statements: usize, model: Option<&(String, usize)>) -> String {
    let what = if statements == 0 { "is there already" } else { "is ready" };
    let with = match model {
        Some((model, dimensions)) => format!("with embeddings of {model}, {dimensions} dimensions"),
        None => "without embeddings".into(),
    };
    format!("the store \"{store}\" {what}, {with}\n")
}

/// What became of an ingest: a line of counts, and below it what failed, which may have gone by
/// long before.
pub fn summary(summary: &Summary, failures: &[String], elapsed: Duration) -> String {
    let Summary { added, replaced, unchanged, failed, skipped, chunks, embedded } = *summary;
    let mut parts = vec![format!("{} added", count(added, "document"))];
    for (number, what) in
        [(replaced, "replaced"), (unchanged, "unchanged"), (skipped, "skipped"), (failed, "failed")]
    {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let parts = parts.join(", ");
    let chunks = count(chunks, "chunk");
    let seconds = elapsed.as_secs_f64();
    let mut output = format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n");
    for cause in failures.iter().take(MOST_FAILURES) {
        line(&mut output, &format!("  failed: {cause}"));
    }
    if failures.len() > MOST_FAILURES {
        line(&mut output, &format!("  and {} more", failures.len() - MOST_FAILURES));
    }
    output
}

/// A number of things.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn section(titles: &[String]) -> String {
    if titles.is_empty() { "(root)".into() } else { plain(&titles.join(" › ")) }
}

/// A text of a document without what could steer a terminal.
fn plain(text: &str) -> String {
    text.chars()
        .map(|char| if char.is_control() && char != '\t' { '\u{fffd}' } else { char })
        .collect()
}

fn line(output: &mut String, line: &str) {
    writeln!(output, "{line}").expect("a string takes any text");
}

/// A text behind a bar, so that it is plain where it ends; empty lines at its ends are left out.
fn quote(output: &mut String, text: &str) {
    for text in text.trim_matches(['\n', '\r']).lines() {
        line(output, &format!("   {DIM}│{DIM:#} {}", plain(text)));
    }
    output.push('\n');
}
