//! The command `split`: shows the chunks of a file.

use super::options::splitting::splitter;
use super::options::{ConversionOptions, MetadataOptions, Model, Sizer, Splitting};
use super::output::print::{print, print_error};
use super::output::render::{BOLD, DIM, TITLE, json, line, printable, quote, section};
use crate::document::{self, Document, ReadDocument};
use crate::split::Piece;
use crate::{Error, source};
use clap::Args;
use passage_split::{Link, LinkKind, PlaceMark, PlaceRange, SyntaxError, place_metadata};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  passage split README.md
  passage split README.md --json | jq -r .content
  passage split README.md --sizer characters --max-size 2000
  passage split - --media-type text/markdown < README.md";

#[derive(Args)]
pub struct Split {
    /// File to split; - reads standard input
    pub file: PathBuf,
    /// Print one JSON object per line for each chunk
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub overrides: MetadataOptions,
    #[command(flatten)]
    pub conversion: ConversionOptions,
    #[command(flatten)]
    pub splitting: Splitting,
}

impl Split {
    /// Runs the command.
    pub fn run(self) -> Result<ExitCode, Error> {
        let overrides = self.overrides.overrides()?;
        let is_stdin = self.file.as_os_str() == "-";
        let bytes = if is_stdin { source::read_stdin()? } else { source::read(&self.file)? };
        let uri = self.file.to_string_lossy();
        let ReadDocument { document, marks, .. } = document::read(
            &overrides,
            bytes,
            &self.file,
            &uri,
            None,
            &self.conversion.converter()?,
        )?;
        let has_model = self.model.is_available();
        let default = if has_model { Sizer::Wordpieces } else { Sizer::Characters };
        let sizer = self.splitting.sizer.unwrap_or(default);
        let splitter = splitter(sizer, &self.model, &self.splitting)?;
        let Document { text, media_type, kind, title, .. } = &document;
        let split = splitter.split(text, media_type, Some(*kind), title.as_deref())?;
        if self.splitting.sizer.is_none() && !has_model {
            print_error(
                "chunk sizes are in characters, because no embedding model is available; use --model to name one",
            );
        }
        if let Some(SyntaxError { line, column }) = split.syntax_error {
            print_error(&printable(&format!(
                "split as plain text: invalid {media_type} at line {line}, column {column}"
            )));
        }
        let show = if self.json { as_json } else { as_text };
        print(&show(text, &split.pieces, &marks));
        Ok(ExitCode::SUCCESS)
    }
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<JsonLink<'a>>,
    /// The page, the slide or the sheet.
    #[serde(flatten)]
    place: Map<String, Value>,
}

/// A link of a piece.
#[derive(Serialize)]
struct JsonLink<'a> {
    kind: &'a str,
    target: &'a str,
    section: &'a str,
    text: &'a str,
    start_byte: usize,
    end_byte: usize,
}

impl<'a> JsonLink<'a> {
    fn of(link: &'a Link) -> Self {
        let Link { bytes, kind, target, section, text } = link;
        let kind = kind.name();
        Self { kind, target, section, text, start_byte: bytes.start, end_byte: bytes.end }
    }
}

/// Returns one line of JSON for each piece.
fn as_json(text: &str, pieces: &[Piece], marks: &[PlaceMark]) -> String {
    let line = |(ordinal, piece): (usize, &Piece)| {
        let links = piece.links.iter().filter(|link| link.kind != LinkKind::Label);
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
            links: links.map(JsonLink::of).collect(),
            place: place_metadata(marks, piece.bytes.clone()),
        })
    };
    pieces.iter().enumerate().map(line).collect()
}

/// Returns pieces as text: a line of facts, and the content of each.
fn as_text(text: &str, pieces: &[Piece], marks: &[PlaceMark]) -> String {
    let mut output = String::new();
    for (ordinal, piece) in pieces.iter().enumerate() {
        let place = PlaceRange::of_metadata(&place_metadata(marks, piece.bytes.clone()).into());
        let place = match place {
            Some(place) => printable(&place.to_string()),
            None => format!("lines {}-{}", piece.lines.start(), piece.lines.end()),
        };
        let section = section(&piece.section);
        let tokens = piece.tokens;
        line(&mut output, &format!("{BOLD}{ordinal}{BOLD:#}  {TITLE}{section}{TITLE:#}"));
        line(&mut output, &format!("   {DIM}{place}, {tokens} tokens{DIM:#}"));
        quote(&mut output, &text[piece.bytes.clone()], &[]);
    }
    output
}
