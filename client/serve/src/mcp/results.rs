//! The results of the tools: structured, and as text with citations.

use super::writer::Written;
use crate::error::Error;
use crate::lines::Lines;
use passage_split::PlaceRange;
use passage_store::{
    self as store, CallResult, Collection, ListedDocument, Notice, RemovalSummary,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;

/// The answer of a tool.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) structured: Value,
}

impl Answer {
    pub(super) fn new(text: String, structured: &impl Serialize) -> Self {
        Self { text, structured: serde_json::to_value(structured).expect("the result is JSON") }
    }
}

/// Passages that answer a query.
#[derive(Default, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the result")]
pub(super) struct Passages {
    /// The passages, best first.
    pub(super) passages: Vec<CitedPassage>,
    /// Whether a rerank model has ordered the passages.
    pub(super) reranked: bool,
    /// The offset with which to call the tool for more; null if there are no more.
    pub(super) next_offset: Option<u32>,
    /// Notes, for example that only words were searched.
    pub(super) notes: Vec<String>,
}

/// A row of `search`, `reassemble` or `fragments`. It lacks the columns whose JSON a parser may reject, such as a number
/// beyond the range of a double in metadata.
#[derive(Deserialize)]
pub(super) struct PassageRow {
    uri: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    version: Option<String>,
    section: Option<Vec<Option<String>>>,
    first_line: Option<i64>,
    last_line: Option<i64>,
    tokens: Option<i64>,
    score: Option<f64>,
    chunk_ids: Option<Vec<String>>,
    hit_ids: Option<Vec<String>>,
    content: Option<String>,
    truncated: Option<bool>,
    citations: Option<Vec<Value>>,
}

/// Parses the rows of a call.
pub(super) fn parse_rows<T: DeserializeOwned>(result: &CallResult) -> Result<Vec<T>, Error> {
    result.parse().map_err(|error| Error::Invalid {
        status: 502,
        cause: format!("a row of the store is not readable: {error}"),
        remedy: "Report this to the operator of the store.".into(),
    })
}

/// Text of a document.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "Passage")]
pub(super) struct CitedPassage {
    /// The citation: uri:first-last, or the page, slide or sheet, as in `report.pdf, page 12`.
    citation: String,
    pub(super) uri: Option<String>,
    title: Option<String>,
    collection: Option<String>,
    version: Option<String>,
    /// The titles from the root to the section.
    section: Vec<String>,
    /// The pages, slides or sheets of a converted document, as in `pages 12-13`.
    place: Option<String>,
    pub(super) first_line: Option<i64>,
    last_line: Option<i64>,
    /// The number of tokens.
    pub(super) tokens: i64,
    score: Option<f64>,
    /// The chunks of the text, for `read_passage`.
    pub(super) chunk_ids: Vec<String>,
    /// The chunks that matched; none of a section that a link leads to.
    hit_ids: Vec<String>,
    /// Whether context, or the rest of a long line, was left out because of `max_tokens`.
    pub(super) truncated: bool,
    /// The text.
    pub(super) content: String,
}

impl CitedPassage {
    /// Makes a passage of a row.
    pub(super) fn from_row(row: PassageRow) -> Self {
        let PassageRow { first_line, last_line, .. } = row;
        let place = PlaceRange::of_all(row.citations.iter().flatten());
        let place = place.map(|place| single_line(&place.to_string()));
        Self {
            citation: citation(row.uri.as_deref(), place.as_deref(), first_line, last_line),
            place,
            uri: row.uri,
            title: row.title,
            collection: row.collection.filter(|name| !name.is_empty()),
            version: row.version.filter(|name| !name.is_empty()),
            section: row.section.unwrap_or_default().into_iter().flatten().collect(),
            first_line,
            last_line,
            tokens: row.tokens.unwrap_or(0),
            score: row.score,
            chunk_ids: row.chunk_ids.unwrap_or_default(),
            hit_ids: row.hit_ids.unwrap_or_default(),
            truncated: row.truncated.unwrap_or(false),
            content: row.content.unwrap_or_default(),
        }
    }

    /// Returns whether a chunk of the passage matched.
    pub(super) fn has_hits(&self) -> bool {
        !self.hit_ids.is_empty()
    }

    /// Returns the passage with a part of its text, in the lines `first` to `last`.
    pub(super) fn with_part(&self, content: &str, lines: Option<(i64, i64)>, tokens: i64) -> Self {
        let (first_line, last_line) = lines.unzip();
        Self {
            citation: citation(self.uri.as_deref(), self.place.as_deref(), first_line, last_line),
            first_line,
            last_line,
            tokens,
            content: content.to_owned(),
            ..self.clone()
        }
    }

    /// Makes a passage of lines of a document.
    pub(super) fn of_lines(document: &ListedDocument, lines: Lines) -> Self {
        let (first_line, last_line) = (Some(lines.first_line), Some(lines.last_line));
        Self {
            citation: citation(document.uri.as_deref(), None, first_line, last_line),
            place: None,
            uri: document.uri.clone(),
            title: document.title.clone(),
            collection: Some(document.collection.clone()).filter(|name| !name.is_empty()),
            version: Some(document.version.clone()).filter(|name| !name.is_empty()),
            section: Vec::new(),
            first_line,
            last_line,
            tokens: lines.tokens,
            score: None,
            chunk_ids: Vec::new(),
            hit_ids: Vec::new(),
            truncated: lines.cut_line.is_some(),
            content: lines.content,
        }
    }

    /// Writes the passage below its citation.
    fn write(&self, text: &mut String, number: usize, fence: &str) {
        let place = match (&self.collection, &self.version) {
            (Some(collection), Some(version)) => format!(", {collection} {version}"),
            (Some(collection), None) => format!(", {collection}"),
            _ => String::new(),
        };
        let mut titles: Vec<&str> = self.section.iter().map(String::as_str).collect();
        if titles.is_empty() {
            titles.extend(self.title.as_deref());
        }
        let mut head = format!("[{number}] {}{place}", self.citation);
        if !titles.is_empty() {
            let _ = write!(head, " ({})", titles.join(" > "));
        }
        if let Some(chunk) = self.hit_ids.first().or(self.chunk_ids.first()) {
            let _ = write!(head, " chunk_id {chunk}");
        }
        let content = self.content.trim_end_matches('\n');
        let _ = write!(text, "{}\n{fence}\n{content}\n{fence}\n\n", single_line(&head));
    }
}

/// Writes passages with their numbers. All have one fence, as `passage.prompt` writes them: a passage that a document imitates
/// has another one.
fn write_passages(text: &mut String, passages: &[CitedPassage]) {
    let fence = fence(passages.iter().map(|passage| passage.content.as_str()));
    for (position, passage) in passages.iter().enumerate() {
        passage.write(text, position + 1, &fence);
    }
}

/// Returns a fence that no text contains, so that a document cannot end its text and forge a citation.
fn fence<'t>(contents: impl Iterator<Item = &'t str>) -> String {
    let runs = contents.flat_map(|content| content.split(|char| char != '`').map(str::len));
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

/// Replaces characters that begin a new line or change the direction of text, so that a name stays in its line.
pub(super) fn single_line(text: &str) -> String {
    let breaks = |char: char| {
        char.is_control()
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(breaks, " ")
}

/// Returns `uri, place` or `uri:first-last`, as far as these are known.
fn citation(
    uri: Option<&str>,
    place: Option<&str>,
    first: Option<i64>,
    last: Option<i64>,
) -> String {
    let uri = uri.unwrap_or("(no uri)");
    match (place, first, last) {
        // Lines of the stored Markdown are not in the source.
        (Some(place), ..) => format!("{uri}, {place}"),
        (None, Some(first), Some(last)) => format!("{uri}:{first}-{last}"),
        _ => uri.to_owned(),
    }
}

impl Passages {
    /// Returns the passages as text; `noun` is what they are called.
    pub(super) fn text(&self, noun: &str) -> String {
        let mut text = String::new();
        write_passages(&mut text, &self.passages);
        if self.passages.is_empty() {
            let _ = writeln!(text, "No {noun} found.");
        }
        write_notes(&mut text, &self.notes);
        if let Some(offset) = self.next_offset {
            let _ = writeln!(
                text,
                "More {noun} follow: call again with offset {offset} and the same arguments."
            );
        }
        text
    }
}

fn write_notes(text: &mut String, notes: &[String]) {
    for note in notes {
        let _ = writeln!(text, "Note: {}", single_line(note));
    }
}

/// Returns a notice as a note.
pub(super) fn note(notice: &Notice) -> String {
    match &notice.hint {
        Some(hint) => format!("{} ({hint})", notice.message),
        None => notice.message.clone(),
    }
}

/// Text that was read.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReadText {
    /// The passages; lines of a document are one passage.
    pub(super) passages: Vec<CitedPassage>,
    /// The first line after those that were read; null if no more follow.
    pub(super) next_line: Option<i64>,
    /// Notes.
    pub(super) notes: Vec<String>,
}

impl ReadText {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        write_passages(&mut text, &self.passages);
        write_notes(&mut text, &self.notes);
        if let Some(line) = self.next_line {
            let _ = writeln!(text, "More lines follow: read on with first_line {line}.");
        }
        text
    }
}

/// The sections of a document.
#[derive(Serialize, JsonSchema)]
pub(super) struct Outline {
    /// The sections in document order.
    pub(super) sections: Vec<Section>,
    /// The offset with which to call the tool for more; null if there are no more.
    pub(super) next_offset: Option<u32>,
}

/// A section of a document.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are those of the result")]
pub(super) struct Section {
    /// The titles from the root to the section.
    section: Vec<String>,
    /// The depth, from 0.
    level: i64,
    tokens: i64,
    first_line: Option<i64>,
    last_line: Option<i64>,
    #[serde(skip)]
    line: String,
}

/// A row of `outline`.
#[derive(Deserialize)]
pub(super) struct SectionRow {
    section: Option<Vec<Option<String>>>,
    level: Option<i64>,
    tokens: Option<i64>,
    first_line: Option<i64>,
    last_line: Option<i64>,
    outline: Option<String>,
}

impl Section {
    /// Makes a section of a row.
    pub(super) fn from_row(row: SectionRow) -> Self {
        let SectionRow { first_line, last_line, .. } = row;
        let tokens = row.tokens.unwrap_or(0);
        let mut line = single_line(&row.outline.unwrap_or_default());
        if let (Some(first), Some(last)) = (first_line, last_line) {
            let _ = write!(line, " (lines {first}-{last}, {tokens} tokens)");
        } else {
            let _ = write!(line, " ({tokens} tokens)");
        }
        line.push('\n');
        Self {
            section: row.section.unwrap_or_default().into_iter().flatten().collect(),
            level: row.level.unwrap_or(0),
            tokens,
            first_line,
            last_line,
            line,
        }
    }

    /// Returns the line of the outline.
    pub(super) fn line(&self) -> &str {
        &self.line
    }
}

impl Outline {
    pub(super) fn text(&self) -> String {
        let mut text: String = self.sections.iter().map(Section::line).collect();
        if let Some(offset) = self.next_offset {
            let _ = writeln!(text, "More sections follow: call again with offset {offset}.");
        }
        text
    }
}

/// The contents of a store.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the fields are the keys of the result")]
pub(super) struct Collections {
    /// The versions of collections, in the order of their names.
    pub(super) collections: Vec<CollectionCounts>,
    /// The offset with which to call the tool for more; null if there are no more.
    pub(super) next_offset: Option<u32>,
    /// The functions that the database lacks, because it has no native extension.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lacks: Vec<&'static str>,
}

/// A version of a collection.
#[derive(Serialize, JsonSchema)]
pub(super) struct CollectionCounts {
    /// The name, which may be empty.
    collection: String,
    /// The version, which may be empty.
    version: String,
    documents: i64,
    chunks: i64,
}

impl From<&Collection> for CollectionCounts {
    fn from(from: &Collection) -> Self {
        let Collection { collection, version, documents, chunks, .. } = from.clone();
        Self { collection, version, documents, chunks }
    }
}

impl CollectionCounts {
    /// Returns the line of the list.
    pub(super) fn line(&self) -> String {
        let name = |name: &str, empty: &str| {
            if name.is_empty() { empty.to_owned() } else { single_line(name) }
        };
        format!(
            "{} {}: {} documents, {} chunks\n",
            name(&self.collection, "(unnamed collection)"),
            name(&self.version, "(no version)"),
            self.documents,
            self.chunks
        )
    }
}

impl Collections {
    pub(super) fn text(&self) -> String {
        if self.collections.is_empty() {
            return "The store has no documents.\n".into();
        }
        let mut text: String = self.collections.iter().map(CollectionCounts::line).collect();
        if let Some(offset) = self.next_offset {
            let _ = writeln!(text, "More collections follow: call again with offset {offset}.");
        }
        if !self.lacks.is_empty() {
            let _ = writeln!(
                text,
                "The database has the SQL edition of pg_passage, which lacks {}.",
                self.lacks.join(", ")
            );
        }
        text
    }
}

/// The counts of a removal.
#[derive(Serialize, JsonSchema)]
pub(super) struct Removed {
    documents: i64,
    chunks: i64,
    /// The given uris that no document has.
    missing: Vec<String>,
}

impl From<RemovalSummary> for Removed {
    fn from(summary: RemovalSummary) -> Self {
        let RemovalSummary { documents, chunks, missing } = summary;
        Self { documents, chunks, missing }
    }
}

impl Removed {
    pub(super) fn text(&self) -> String {
        let mut text =
            format!("Removed {} documents with {} chunks.\n", self.documents, self.chunks);
        for uri in &self.missing {
            let _ = writeln!(text, "No document has the uri {}.", single_line(uri));
        }
        text
    }
}

/// The result of a rating.
#[derive(Serialize, JsonSchema)]
pub(super) struct Rated {
    /// The rating that counts from now on.
    pub(super) rating: f32,
}

impl Rated {
    pub(super) fn text(&self) -> String {
        format!("The rating {} is stored.\n", self.rating)
    }
}

/// The result of an ingest.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ingested {
    /// The uri of the document.
    pub(super) uri: String,
    /// Whether the document was added, replaced or unchanged.
    pub(super) outcome: String,
    /// The number of its chunks; null if it was unchanged.
    pub(super) chunks: Option<usize>,
}

impl Ingested {
    pub(super) fn new(uri: String, written: Written) -> Self {
        let (outcome, chunks) = match written {
            Written::Added { chunks } => ("added", Some(chunks)),
            Written::Replaced { chunks } => ("replaced", Some(chunks)),
            Written::Unchanged => ("unchanged", None),
            Written::Restored => ("restored", None),
        };
        Self { uri, outcome: outcome.into(), chunks }
    }

    pub(super) fn text(&self) -> String {
        let uri = single_line(&self.uri);
        match self.chunks {
            Some(chunks) => format!("{uri} is {}, with {chunks} chunks.\n", self.outcome),
            None => format!("{uri} is {}.\n", self.outcome),
        }
    }
}

/// The maximum length of the cause of an error, in characters. Causes repeat arguments.
const MAX_CAUSE: usize = 200;

/// Returns an error as text for a model.
pub(super) fn error_text(error: &Error) -> String {
    let cause = error.to_string();
    let mut text: String = cause.chars().take(MAX_CAUSE).collect();
    if text.len() < cause.len() {
        text.push_str(" ...");
    }
    format!("{text}\n{}", remedy(error))
}

/// Returns what a model can do about an error. The remedies of the client name its commands, which a model lacks.
fn remedy(error: &Error) -> String {
    match error {
        Error::Store(error) => match error {
            store::Error::NoDocument(_) => {
                "Take the uri from a result of search; list_collections shows what the store has."
                    .into()
            }
            store::Error::NoChunk(_) | store::Error::NoSourceId(_) => {
                "Take the chunk_id from a result of search.".into()
            }
            store::Error::NoCollection(_) => "list_collections shows the collections.".into(),
            error if error.is_transient() => {
                "The database is not reachable now. Try again later.".into()
            }
            error => error.remedy(),
        },
        Error::Unreachable => "Try again later.".into(),
        Error::Busy => "Try again in a few seconds.".into(),
        Error::TimedOut(_) => {
            "Ask a narrower question, lower limit and max_tokens, or name a collection.".into()
        }
        error => error.remedy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_texts() {
        assert_eq!(fence(["plain"].into_iter()), "```");
        assert_eq!(fence(["plain", "a\n````\nb ``"].into_iter()), "`````");
    }

    #[test]
    fn names_stay_in_their_line() {
        assert_eq!(single_line("a\nb\u{2028}c\u{202e}d"), "a b c d");
    }
}
