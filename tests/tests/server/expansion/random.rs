/*!
Random documents and calls, which a seed repeats.

A document is prose, code or JSON. Then it gets flaws that rows of other writers may have: missing units,
sections and levels, gaps, unknown spans.
*/

mod calls;
mod code;
mod json;
mod prose;

pub use crate::rng::Rng;
pub use calls::{Call, Function, call};

use super::model::{Chunk, Document, Link, PRESETS, Section, UserStrategy};
use calls::limits;
use uuid::Uuid;

/// The number of documents that are loaded and queried at once. Their links do not leave the block.
pub const BLOCK: u32 = 250;

/// The largest number of chunks of a document.
const MAX_PIECES: usize = 40;

/// Media types and patterns for which a strategy is the default.
const PATTERNS: [&str; 11] = [
    "text/markdown",
    "text/x-python",
    "application/json",
    "text/x-json",
    "application/toml",
    "text/vnd.nobody-knows",
    "text/*",
    "text/*",
    "application/*",
    "image/*",
    "*/*",
];

/// A chunk as a splitter makes it.
struct GeneratedChunk {
    section: Section,
    /// How much its level exceeds that of its section: by one inside of an item, and for several members.
    deeper: usize,
    unit: &'static str,
    content: String,
}

impl GeneratedChunk {
    fn new(section: &[String], unit: &'static str, content: impl Into<String>) -> Self {
        Self { section: section.to_vec(), deeper: 0, unit, content: content.into() }
    }

    /// Returns the piece on a deeper level.
    fn deeper(self, by: usize) -> Self {
        Self { deeper: self.deeper + by, ..self }
    }
}

/// Returns the document of a number.
pub fn document(number: u32, rng: &mut Rng) -> Document {
    let (pieces, kind, types): (_, _, &[&str]) = match rng.below(4) {
        0 => (prose::pieces(rng), "prose", &["text/markdown", "text/plain", "text/html"]),
        1 | 2 => {
            (code::pieces(rng), "code", &["text/x-python", "text/x-typescript", "text/x-rust"])
        }
        _ => (json::pieces(rng), "data", &JSON),
    };
    let media_type = match rng.below(10) {
        0 => *rng.choose(&[None, Some("text/vnd.nobody-knows")]),
        // The model has no parser of YAML and TOML, and no header of tables.
        1 => Some(*rng.choose(&[JSON[1], "image/svg+xml"])),
        _ => Some(*rng.choose(types)),
    };
    let id = id(number);
    let mut document =
        Document { id, media_type: media_type.map(str::to_owned), chunks: vec![], links: vec![] };
    document.chunks = chunks(number, pieces, kind, rng);
    document.links = links(number, &document, kind == "prose", &mut rng.branch());
    document
}

/// Returns the id of the document of a number.
fn id(number: u32) -> Uuid {
    Uuid::from_u64_pair(u64::from(number) << 32, 0x8000 << 48)
}

/// Returns links to sections of the document, and to the document before it.
fn links(number: u32, document: &Document, has_titles: bool, rng: &mut Rng) -> Vec<Link> {
    // The first document of a block has none before it.
    let before = if number.is_multiple_of(BLOCK) { number } else { number - 1 };
    let link = |rng: &mut Rng| {
        let from = rng.choose(&document.chunks).id;
        match rng.below(3) {
            0 => Link { from, to: id(before), title: None },
            1 if has_titles => {
                // Titles that are spelled in letters, which an anchor has too.
                let title = Some(*rng.choose(&["Guide", "Install", "Use", "Notes"]));
                Link { from, to: document.id, title }
            }
            _ => Link { from, to: document.id, title: None },
        }
    };
    (0..document.chunks.len() * 2).map(|_| link(rng)).collect()
}

const JSON: [&str; 5] = [
    "Application/JSON; charset=utf-8",
    "application/json",
    "application/ld+json",
    "application/geo+json",
    "text/x-json",
];

/// Makes rows of pieces, with flaws.
fn chunks(
    number: u32,
    pieces: Vec<GeneratedChunk>,
    kind: &'static str,
    rng: &mut Rng,
) -> Vec<Chunk> {
    // A flaw is rare in most documents and frequent in some.
    let mut flaw = || *rng.choose(&[0, 0, 0, 0, 0, 5, 30, 100]);
    let (no_unit, odd_unit, odd_kind, no_tokens) = (flaw(), flaw(), flaw(), flaw());
    let (no_span, overlap, gap) = (flaw(), flaw().min(30), flaw().min(30));
    let odd_level = flaw().min(30);
    // Levels of other writers may tell nothing.
    let no_level = *rng.choose(&[0, 0, 0, 20, 60]);
    let mut ordinal = match rng.below(40) {
        0 => i64::from(i32::MIN) + 1,
        1 => i64::from(i32::MAX) - 500,
        2 => -7,
        _ => 0,
    };
    // The order of ids is not that of the chunks.
    let ids = rng.shuffled(pieces.len() as u64);
    let mut byte = 0;
    let mut chunks: Vec<Chunk> = Vec::new();
    for (piece, id) in pieces.into_iter().zip(ids) {
        let GeneratedChunk { section, deeper, mut unit, content } = piece;
        if rng.percent(odd_unit) {
            unit = *rng.choose(&["module", "container", "member", "value", "text", "paragraph"]);
        }
        let kind = if rng.percent(odd_kind) {
            *rng.choose(&[None, Some("prose"), Some("code"), Some("api-reference"), Some("data")])
        } else {
            Some(kind)
        };
        let content = match chunks.last() {
            Some(Chunk { content: before, ordinal: Some(last), .. })
                if *last == ordinal - 1 && rng.percent(overlap) =>
            {
                let shared = before.chars().rev().take(rng.index(4)).collect::<Vec<_>>();
                let shared: String = shared.into_iter().rev().collect();
                byte -= shared.len() as i64;
                shared + &content
            }
            _ => content,
        };
        let level = match (section.len() + deeper) as i64 {
            _ if rng.percent(no_level) => *rng.choose(&[-5, -5, -5, -4, -1]),
            level if rng.percent(odd_level) => level + 1 + rng.below(2) as i64,
            level => level,
        };
        let span = byte..byte + content.len() as i64;
        byte = span.end;
        chunks.push(Chunk {
            id: Uuid::from_u64_pair(u64::from(number) << 32, id),
            ordinal: Some(ordinal),
            level: Some(level),
            section: Some(section),
            unit: (!rng.percent(no_unit)).then(|| unit.to_owned()),
            kind: kind.map(str::to_owned),
            tokens: (!rng.percent(no_tokens)).then(|| rng.below(9) as i64),
            span: (!rng.percent(no_span)).then_some(span),
            content,
        });
        let missing = if rng.percent(gap) { rng.below(5) } else { 0 };
        ordinal += 1 + missing as i64;
        byte += missing as i64 * 5;
    }
    chunks
}

/// Returns strategies, most of them defaults for some media types.
pub fn own(rng: &mut Rng) -> Vec<UserStrategy> {
    let names = ["f", "b", "e", "a", "d", "c"];
    let row = |name: &&str| UserStrategy {
        name: (*name).to_owned(),
        base: rng.choose::<&str>(&PRESETS[1..]),
        default_for: (0..rng.below(3)).map(|_| *rng.choose(&PATTERNS)).collect(),
        limits: limits(20, rng),
    };
    names.iter().map(row).collect()
}
