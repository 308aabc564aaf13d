/*!
From pieces to chunks: small neighbours are merged, greedily, from the beginning on.

For each next piece, in this order:

1. together they would pass the maximum: cut;
2. the chunk so far has at least the minimum, the piece is of level 1 or 2, and neither section
   contains the other: cut;
3. together they would pass the preferred size, and each has at least the minimum: cut;
4. otherwise merge.

The level of a chunk is the lowest among its pieces. Its section is the deepest one as long as each
of its pieces stands in or above the next; from the first two that do not, it is what all of them
share. Merging pairwise by the rule for two alone would forget that and take the last sibling's
section for the whole.

A piece that was cut within a word ends its chunk: sizes add up only where words do not touch.
*/

use super::{Options, Sizer, pieces::Piece, preamble::Preambles};
use crate::{
    Chunk, Kind, Unit,
    section::{Section, common},
};
use std::ops::Range;

/// What has been merged so far.
struct Merged<'s> {
    bytes: Range<usize>,
    size: usize,
    section: &'s [String],
    /// Whether the section is only what its pieces share.
    shared: bool,
    level: u32,
    header: Option<Range<usize>>,
}

/// Merges pieces into chunks; see the module for the rules.
///
/// # Source
///
/// The rules of the reference implementation's greedy splitter, with the sections of seed 001.
pub(super) fn chunks<'t: 's, 's>(
    text: &'t str,
    sections: &'s [Section],
    pieces: &[Piece],
    kind: Kind,
    options: &Options<'_>,
    sizer: &'s dyn Sizer,
) -> Vec<Chunk<'t>> {
    let mut chunks = Vec::new();
    let mut preambles = Preambles::new(text, options, sizer);
    let mut lines = Lines { text, at: 0, line: 1, returns: text.contains('\r') };
    let mut close = |merged: Merged<'s>| {
        let content = &text[merged.bytes.clone()];
        let preamble = preambles.preamble(merged.section, merged.header, merged.size);
        chunks.push(Chunk {
            content,
            section: merged.section.to_vec(),
            level: merged.level,
            kind,
            unit: Unit::Text,
            preamble,
            size: merged.size,
            lines: lines.touched(merged.bytes.end),
            bytes: merged.bytes,
        });
    };
    let mut current: Option<Merged<'s>> = None;
    for piece in pieces {
        let section = sections[piece.section].as_slice();
        current = Some(match current.take() {
            Some(mut merged) if belongs(text, &merged, piece, section, options) => {
                merged.add(piece, section);
                merged
            }
            before => {
                if let Some(before) = before {
                    close(before);
                }
                Merged::new(piece, section)
            }
        });
    }
    if let Some(last) = current {
        close(last);
    }
    chunks
}

/// Decides whether a piece is merged into the chunk before it.
fn belongs(
    text: &str,
    merged: &Merged<'_>,
    piece: &Piece,
    section: &[String],
    options: &Options<'_>,
) -> bool {
    let limits = options.limits;
    let size = merged.size + piece.size;
    if !text[..piece.bytes.start].ends_with(['\n', '\r', ' ', '\t']) {
        return false;
    }
    if limits.passed_by(size, piece.bytes.end - merged.bytes.start) {
        return false;
    }
    let apart = !section.starts_with(merged.section) && !merged.section.starts_with(section);
    if merged.size >= limits.min && matches!(piece.level, 1 | 2) && apart {
        return false;
    }
    size <= limits.preferred || merged.size < limits.min || piece.size < limits.min
}

impl<'s> Merged<'s> {
    fn new(piece: &Piece, section: &'s [String]) -> Self {
        Self {
            bytes: piece.bytes.clone(),
            size: piece.size,
            section,
            shared: false,
            level: piece.level,
            header: piece.header.clone(),
        }
    }

    fn add(&mut self, piece: &Piece, section: &'s [String]) {
        self.bytes.end = piece.bytes.end;
        self.size += piece.size;
        self.level = self.level.min(piece.level);
        if !self.shared && section.starts_with(self.section) {
            self.section = section;
        } else if self.shared || !self.section.starts_with(section) {
            self.section = common(self.section, section);
            self.shared = true;
        }
    }
}

/// Counts lines while chunks are closed in document order, so that each byte is looked at once.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// Whether there are carriage returns at all; mostly there are none.
    returns: bool,
}

impl Lines<'_> {
    /// Returns the lines that the text from the last call's end to this one touches, from 1.
    fn touched(&mut self, end: usize) -> std::ops::RangeInclusive<usize> {
        let text = &self.text.as_bytes()[self.at..end];
        let first = self.line;
        // A carriage return ends a line unless a line feed follows; pieces never part the two.
        let mut ends = memchr::memchr_iter(b'\n', text).count();
        if self.returns {
            ends += memchr::memchr_iter(b'\r', text)
                .filter(|at| text.get(at + 1) != Some(&b'\n'))
                .count();
        }
        self.at = end;
        self.line += ends;
        let ended = matches!(text.last(), Some(b'\n' | b'\r'));
        first..=self.line - usize::from(ended)
    }
}
