//! Checks that the entries of each section parse without the rest of the document.

use passage_split::{Characters, Chunk, ChunkLimits, DataFormat, MediaType, SplitOptions, split};
use saphyr_parser::Parser;
use toml_parser::{
    ParseError, Source,
    parser::{Event, parse_document},
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Language {
    Json,
    JsonLines,
    Yaml,
    Toml,
}

/// The results of the files of one language, each with two limits.
#[derive(Debug, Default)]
pub struct Counts {
    pub files: usize,
    pub bytes: usize,
    /// The number of files with a syntax error.
    pub invalid: usize,
    pub chunks: usize,
    /// The number of chunks of at most two characters.
    pub crumbs: usize,
    /// The number of sections whose chunks were parsed alone.
    pub containers: usize,
    pub failed: usize,
}

impl Language {
    pub fn of(media_type: &MediaType) -> Option<Self> {
        match media_type.name() {
            "application/json" => Some(Self::Json),
            "application/jsonl" => Some(Self::JsonLines),
            "text/x-yaml" => Some(Self::Yaml),
            "text/x-toml" => Some(Self::Toml),
            _ => None,
        }
    }

    /// Parses a text with a library if the library accepts the whole document (`is_strict`).
    fn parses(self, text: &str, is_strict: bool) -> bool {
        let strict = || serde_json::from_str::<serde_json::Value>(text).is_ok();
        match self {
            Self::Json if is_strict => strict(),
            Self::Yaml => parses_as_yaml(text),
            // Tables are documents, arrays and inline tables are values.
            Self::Toml => parses_as_toml(text) || parses_as_toml(&format!("x = {text}")),
            Self::Json | Self::JsonLines => is_valid(text, &MediaType::new("application/json")),
        }
    }

    /// Returns whether the text of a section must parse.
    fn stands_alone(self, section: &[String]) -> bool {
        match self {
            Self::Json | Self::Yaml | Self::Toml => !section.is_empty(),
            Self::JsonLines => section.len() > 1,
        }
    }
}

/// Returns whether a stream parses. An alias of an anchor outside ends the parse without an error.
pub fn parses_as_yaml(text: &str) -> bool {
    let error = Parser::new_from_str(text).find_map(Result::err);
    error.is_none_or(|error| error.info().contains("unknown anchor"))
}

pub fn parses_as_toml(text: &str) -> bool {
    let mut error = None::<ParseError>;
    let tokens = Source::new(text).lex().into_vec();
    parse_document(&tokens, &mut |_: Event| (), &mut error);
    error.is_none()
}

fn is_valid(text: &str, media_type: &MediaType) -> bool {
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    split(text, media_type, &options, &Characters).unwrap().syntax_error.is_none()
}

/// Splits a document and returns the first violation.
pub fn check(
    text: &str,
    language: Language,
    media_type: &MediaType,
    limits: ChunkLimits,
    counts: &mut Counts,
) -> Vec<String> {
    let options = SplitOptions::new(limits);
    let split = split(text, media_type, &options, &Characters).unwrap();
    let joined: String = split.chunks.iter().map(|chunk| chunk.content).collect();
    assert_eq!(joined, text);
    assert!(split.chunks.iter().all(|chunk| chunk.size <= limits.max));
    counts.files += 1;
    counts.bytes += text.len();
    counts.chunks += split.chunks.len();
    counts.crumbs += split.chunks.iter().filter(|chunk| chunk.content.trim().len() <= 2).count();
    if split.syntax_error.is_some() {
        counts.invalid += 1;
        return Vec::new();
    }
    let is_strict = language.parses(text, true);
    let mut failures = Vec::new();
    for (section, alone) in sections(&split.chunks) {
        if !language.stands_alone(section) {
            continue;
        }
        counts.containers += 1;
        let alone = excerpt(alone.trim_start_matches('\u{feff}'), media_type);
        if !language.parses(&alone, is_strict) {
            counts.failed += 1;
            failures.push(format!(
                "{section:?}: {:?}",
                alone.chars().rev().take(300).collect::<Vec<_>>().iter().rev().collect::<String>()
            ));
        }
    }
    failures
}

/// Returns the entries in a run of chunks as one value, or the text itself if it has no other brackets.
pub fn excerpt(text: &str, media_type: &MediaType) -> String {
    match DataFormat::of(media_type).and_then(|format| format.excerpt(text)) {
        Some(excerpt) => [excerpt.brackets[0], &text[excerpt.bytes], excerpt.brackets[1]].concat(),
        None => text.to_owned(),
    }
}

/// Returns each section with the text of its chunks and of its descendants.
pub fn sections<'c>(chunks: &'c [Chunk<'_>]) -> Vec<(&'c [String], String)> {
    let mut sections = Vec::new();
    // The open sections, each with the index of its first chunk.
    let mut open: Vec<(&[String], usize)> = Vec::new();
    let text = |from: usize, to: usize| -> String {
        chunks[from..to].iter().map(|chunk| chunk.content).collect()
    };
    for (index, chunk) in chunks.iter().enumerate() {
        while let Some((section, from)) = open.last()
            && !chunk.section.starts_with(section)
        {
            sections.push((*section, text(*from, index)));
            open.pop();
        }
        for depth in open.len() + 1..=chunk.section.len() {
            open.push((&chunk.section[..depth], index));
        }
    }
    while let Some((section, from)) = open.pop() {
        sections.push((section, text(from, chunks.len())));
    }
    sections
}
