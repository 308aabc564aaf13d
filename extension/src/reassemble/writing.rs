//! The text of a passage, and what in it comes from where.

use crate::assemble::separator_of;
use crate::call::Expanded;
use crate::error::Error;
use crate::interrupt::pause;
use crate::types::JsonArray;
use passage_core::assemble::{Assembly, assemble};
use passage_core::expand::{Role, SelectedChunk};
use passage_core::gaps::{ChunkPosition, GapStyle, assemble_with_gap_comments};
use passage_core::{Family, MediaType};
use std::fmt::Write;

/// How the text of a passage is written.
pub struct Writing {
    /// What stands between chunks that do not touch, in place of what the media type says.
    pub separator: Option<String>,
    /// What stands in gaps; if nothing is said, comments in source code.
    pub gaps: Option<GapStyle>,
    /// What stands before and behind each hit.
    pub marks: [String; 2],
}

impl Writing {
    /// Takes it from the arguments of a call.
    ///
    /// # Errors
    ///
    /// Returns [`UnknownValue`](passage_core::Error::UnknownValue) for another word in `gaps`.
    pub fn new(
        separator: Option<String>,
        gaps: Option<&str>,
        marks: [Option<String>; 2],
    ) -> Result<Self, Error> {
        let gaps = gaps.map(GapStyle::from_name).transpose()?;
        Ok(Self { separator, gaps, marks: marks.map(Option::unwrap_or_default) })
    }
}

/// Joins the chunks of a passage.
pub fn text(
    expanded: &Expanded,
    picks: &[&SelectedChunk],
    is: &MediaType,
    writing: &Writing,
) -> Assembly {
    let Writing { separator, gaps, marks: [start, end] } = writing;
    let chunk = |pick: &&SelectedChunk| expanded.chunks.chunk(pick.row);
    let parts: Vec<_> = paused(picks).map(|pick| chunk(pick).part()).collect();
    let comments = gaps.map_or(is.family() == Family::Code, |gaps| gaps == GapStyle::Comment);
    let comment = is.comment_syntax().filter(|_| comments);
    let assembly = match (separator, comment) {
        (None, Some(comment)) => {
            let place = |pick: &&SelectedChunk| {
                let ordinal = chunk(pick).ordinal();
                let (first_line, last_line) = chunk(pick).lines();
                ChunkPosition { ordinal, first_line, last_line }
            };
            let places: Vec<_> = paused(picks).map(place).collect();
            assemble_with_gap_comments(&parts, &places, comment)
        }
        _ => assemble(&parts, separator_of(is, separator.as_deref())),
    };
    let hits: Vec<_> = picks.iter().map(|pick| pick.role == Role::Hit).collect();
    assembly.highlight(&hits, start, end)
}

/// How many citations are read as jsonb at once.
const PIECE: usize = 1_000;

/// Which bytes of the passage come from which chunk, and where that stands in the source.
///
/// Written as text, for a tree of values takes twice as long. Nothing in it has to be escaped.
pub fn citations(expanded: &Expanded, picks: &[&SelectedChunk], assembly: &Assembly) -> JsonArray {
    let number =
        |number: Option<i32>| number.map_or("null".to_owned(), |number| number.to_string());
    let mut pieces: Vec<String> = Vec::new();
    let mut text = String::with_capacity(160 * picks.len().min(PIECE));
    for (place, (pick, placed)) in paused(picks).zip(&assembly.part_ranges).enumerate() {
        if place > 0 && place % PIECE == 0 {
            text.push(']');
            pieces.push(std::mem::take(&mut text));
        }
        let outline = &expanded.chunks.outlines[pick.row];
        let (first_line, last_line) = expanded.chunks.chunk(pick.row).lines();
        text.push(if text.is_empty() { '[' } else { ',' });
        write!(
            text,
            r#"{{"chunk_id":"{}","ordinal":{},"role":"{}","start":{},"end":{},"first_line":{},"last_line":{}}}"#,
            outline.chunk,
            number(outline.ordinal),
            pick.role.name(),
            placed.start,
            placed.end,
            number(first_line),
            number(last_line),
        )
        .expect("a string takes any text");
    }
    text.push(']');
    pieces.push(text);
    JsonArray(pieces)
}

/// The chunks of a passage, with a pause now and then.
pub fn paused<'p>(picks: &'p [&'p SelectedChunk]) -> impl Iterator<Item = &'p &'p SelectedChunk> {
    picks.iter().enumerate().map(|(place, pick)| {
        pause(place);
        pick
    })
}
