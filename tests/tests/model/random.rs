/*!
Random documents and calls, the same for the same seed.

Documents are of three shapes, prose, code and JSON, and then anything may be wrong with them that
rows of other writers may have: units and sections that are missing, gaps, spans that nobody knows.
*/

mod calls;
mod code;
mod dice;
mod json;
mod prose;
mod strategies;

pub use calls::{Asked, Call, call};
pub use dice::Dice;
pub use strategies::own;

use crate::model::{Chunk, Document, Section};
use uuid::Uuid;

/// The most chunks of a document.
const MOST: usize = 40;

/// A chunk as a splitter makes it.
struct Piece {
    section: Section,
    unit: &'static str,
    content: String,
}

impl Piece {
    fn new(section: &[String], unit: &'static str, content: impl Into<String>) -> Self {
        Self { section: section.to_vec(), unit, content: content.into() }
    }
}

/// A document by its number.
pub fn document(number: u32, dice: &mut Dice) -> Document {
    let (pieces, kind, types): (_, _, &[&str]) = match dice.below(3) {
        0 => (prose::pieces(dice), "prose", &["text/markdown", "text/plain", "text/html"]),
        1 => (code::pieces(dice), "code", &["text/x-python", "text/x-typescript", "text/x-rust"]),
        _ => (json::pieces(dice), "data", &JSON),
    };
    let media_type = match dice.below(10) {
        0 => *dice.pick(&[None, Some("text/vnd.nobody-knows"), Some("application/jsonl")]),
        1 => Some(*dice.pick(&[
            JSON[1],
            "text/x-yaml",
            "application/toml",
            "text/csv",
            "image/svg+xml",
        ])),
        _ => Some(*dice.pick(types)),
    };
    let id = Uuid::from_u64_pair(u64::from(number) << 32, 0x8000 << 48);
    let mut document =
        Document { id, media_type: media_type.map(str::to_owned), chunks: Vec::new() };
    document.chunks = chunks(number, pieces, kind, dice);
    document
}

const JSON: [&str; 5] = [
    "Application/JSON; charset=utf-8",
    "application/json",
    "application/ld+json",
    "application/geo+json",
    "text/x-json",
];

/// Makes rows of pieces, with the flaws that rows have.
fn chunks(number: u32, pieces: Vec<Piece>, kind: &'static str, dice: &mut Dice) -> Vec<Chunk> {
    // A flaw is rare in most documents and common in some.
    let mut flaw = || *dice.pick(&[0, 0, 0, 0, 0, 5, 30, 100]);
    let (no_unit, odd_unit, odd_kind, no_tokens) = (flaw(), flaw(), flaw(), flaw());
    let (no_span, overlap, gap) = (flaw(), flaw().min(30), flaw().min(30));
    let mut ordinal = match dice.below(40) {
        0 => i64::from(i32::MIN) + 1,
        1 => i64::from(i32::MAX) - 500,
        2 => -7,
        _ => 0,
    };
    // Ids do not come in the order of the chunks.
    let ids = dice.shuffled(pieces.len() as u64);
    let mut byte = 0;
    let mut chunks: Vec<Chunk> = Vec::new();
    for (piece, id) in pieces.into_iter().zip(ids) {
        let Piece { section, mut unit, content } = piece;
        if dice.percent(odd_unit) {
            unit = *dice.pick(&["module", "container", "member", "value", "text", "paragraph"]);
        }
        let kind = if dice.percent(odd_kind) {
            *dice.pick(&[None, Some("prose"), Some("code"), Some("api-reference"), Some("data")])
        } else {
            Some(kind)
        };
        let content = match chunks.last() {
            Some(Chunk { content: before, ordinal: Some(last), .. })
                if *last == ordinal - 1 && dice.percent(overlap) =>
            {
                let shared = before.chars().rev().take(dice.place(4)).collect::<Vec<_>>();
                let shared: String = shared.into_iter().rev().collect();
                byte -= shared.len() as i64;
                shared + &content
            }
            _ => content,
        };
        let span = byte..byte + content.len() as i64;
        byte = span.end;
        chunks.push(Chunk {
            id: Uuid::from_u64_pair(u64::from(number) << 32, id),
            ordinal: Some(ordinal),
            section: Some(section),
            unit: (!dice.percent(no_unit)).then(|| unit.to_owned()),
            kind: kind.map(str::to_owned),
            tokens: (!dice.percent(no_tokens)).then(|| dice.below(9) as i64),
            span: (!dice.percent(no_span)).then_some(span),
            content,
        });
        let missing = if dice.percent(gap) { dice.below(5) } else { 0 };
        ordinal += 1 + missing as i64;
        byte += missing as i64 * 5;
    }
    chunks
}
