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

use super::{SplitOptions, draft::Draft, pieces::Piece};
use crate::{Unit, interrupt, split::sections::Sections};
use std::ops::Range;

/// What has been merged so far.
struct Merged {
    bytes: Range<usize>,
    size: usize,
    section: usize,
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
pub(super) struct Merging<'a> {
    text: &'a str,
    sections: &'a Sections,
    options: &'a SplitOptions<'a>,
    drafts: Vec<Draft>,
    current: Option<Merged>,
}

impl<'a> Merging<'a> {
    pub(super) fn new(
        text: &'a str,
        sections: &'a Sections,
        options: &'a SplitOptions<'a>,
    ) -> Self {
        Self { text, sections, options, drafts: Vec::new(), current: None }
    }

    /// Takes the next piece.
    pub(super) fn add(&mut self, piece: &Piece) {
        interrupt::poll();
        match &mut self.current {
            Some(merged) if belongs(self.text, merged, piece, self.sections, self.options) => {
                merged.add(piece, self.sections);
            }
            current => {
                self.drafts.extend(
                    current.replace(Merged::new(piece)).map(|merged| merged.draft(self.sections)),
                );
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Draft> {
        self.drafts.extend(self.current.map(|merged| merged.draft(self.sections)));
        self.drafts
    }
}

/// Decides whether a piece is merged into the chunk before it.
fn belongs(
    text: &str,
    merged: &Merged,
    piece: &Piece,
    sections: &Sections,
    options: &SplitOptions<'_>,
) -> bool {
    let limits = options.limits;
    let size = merged.size + piece.size;
    if !text[..piece.bytes.start].ends_with(['\n', '\r', ' ', '\t']) {
        return false;
    }
    if limits.passed_by(size, piece.bytes.end - merged.bytes.start) {
        return false;
    }
    let apart = !sections.is_within(piece.section, merged.section)
        && !sections.is_within(merged.section, piece.section);
    if merged.size >= limits.min && matches!(piece.level, 1 | 2) && apart {
        return false;
    }
    size <= limits.preferred || merged.size < limits.min || piece.size < limits.min
}

impl Merged {
    fn new(piece: &Piece) -> Self {
        Self {
            bytes: piece.bytes.clone(),
            size: piece.size,
            section: piece.section,
            shared: false,
            level: piece.level,
            header: piece.header.clone(),
        }
    }

    fn add(&mut self, piece: &Piece, sections: &Sections) {
        self.bytes.end = piece.bytes.end;
        self.size += piece.size;
        self.level = self.level.min(piece.level);
        if !self.shared && sections.is_within(piece.section, self.section) {
            self.section = piece.section;
        } else if self.shared || !sections.is_within(self.section, piece.section) {
            self.section = sections.common(self.section, piece.section);
            self.shared = true;
        }
    }

    fn draft(self, sections: &Sections) -> Draft {
        Draft {
            bytes: self.bytes,
            size: self.size,
            section: sections.path(self.section),
            level: self.level,
            unit: Unit::Text,
            header: self.header,
            imports: Vec::new(),
        }
    }
}
