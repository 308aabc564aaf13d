/*!
Merging: joins small pieces to chunks, greedily, in document order.

For each piece, the first rule that applies decides:

1. Together they exceed the maximum: begin a new chunk.
2. The piece has level 1 or 2, or is of a release in a changelog, and the section of the merged chunk would
   not have its titles: begin a new chunk, even if both are below the minimum.
3. Together they exceed the preferred size, and each has at least the minimum: begin a new chunk.
4. Otherwise merge the piece into the chunk.

The level of a chunk is the lowest level of its pieces. Its section is the deepest one while each
piece's section contains the next one's. After the first two siblings, it is the section that all
pieces share. The rule for two pieces alone (see [`crate::section::merge`]) does not suffice: applied
pair by pair, it would give the chunk the section of its last sibling.

A piece that was cut within a word ends its chunk, because sizes add up only at white space. So does a piece before
a boundary.

Its twin in SQL is `sql/edition/split/chunks.sql`.
*/

use super::{SplitOptions, boundaries::Boundaries, draft::Draft, pieces::BlockPiece};
use crate::{Unit, interrupt, release::is_release, split::blocks::Sections};
use std::ops::Range;

/// The chunk that pieces are merged into.
struct OpenChunk {
    bytes: Range<usize>,
    size: usize,
    section: usize,
    /// Whether the section is the common one of siblings.
    shared: bool,
    level: u32,
    header: Option<Range<usize>>,
}

/// Merges pieces into chunks by the rules of the module.
///
/// # Source
///
/// The rules of the reference implementation's greedy splitter, with the sections of seed 001. That one
/// merges sections of level 1 and 2 below the minimum; seed 001 says not to. Deeper sections are merged:
/// to keep them apart made 5 to 8 % more chunks, and no better answers on articles.
pub(super) struct ChunkMerger<'a> {
    text: &'a str,
    sections: &'a Sections,
    options: &'a SplitOptions<'a>,
    boundaries: &'a Boundaries,
    drafts: Vec<Draft>,
    current: Option<OpenChunk>,
}

impl<'a> ChunkMerger<'a> {
    pub(super) fn new(
        text: &'a str,
        sections: &'a Sections,
        options: &'a SplitOptions<'a>,
        boundaries: &'a Boundaries,
    ) -> Self {
        Self { text, sections, options, boundaries, drafts: Vec::new(), current: None }
    }

    /// Adds the next piece.
    pub(super) fn add(&mut self, piece: &BlockPiece) {
        interrupt::poll();
        match &mut self.current {
            Some(merged)
                if !self.boundaries.is_at(piece.bytes.start)
                    && joins(self.text, merged, piece, self.sections, self.options) =>
            {
                merged.add(piece, self.sections);
            }
            current => {
                self.drafts.extend(
                    current
                        .replace(OpenChunk::new(piece))
                        .map(|merged| merged.draft(self.sections)),
                );
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Draft> {
        self.drafts.extend(self.current.map(|merged| merged.draft(self.sections)));
        self.drafts
    }
}

/// Returns whether a piece is merged into the chunk before it.
fn joins(
    text: &str,
    merged: &OpenChunk,
    piece: &BlockPiece,
    sections: &Sections,
    options: &SplitOptions<'_>,
) -> bool {
    let limits = options.limits;
    let size = merged.size + piece.size;
    if !text[..piece.bytes.start].ends_with(['\n', '\r', ' ', '\t']) {
        return false;
    }
    if limits.exceeded_by(size, piece.bytes.end - merged.bytes.start) {
        return false;
    }
    if size > limits.preferred && merged.size >= limits.min && piece.size >= limits.min {
        return false;
    }
    let (section, _) = merged.section_with(piece, sections);
    // Whether a title is that of a release is asked last, because most pieces stay within the section of their chunk.
    sections.is_within(section, piece.section)
        || !matches!(piece.level, 1 | 2)
            && ![piece.section, merged.section].iter().any(|at| is_release(sections.title(*at)))
}

impl OpenChunk {
    fn new(piece: &BlockPiece) -> Self {
        Self {
            bytes: piece.bytes.clone(),
            size: piece.size,
            section: piece.section,
            shared: false,
            level: piece.level,
            header: piece.header.clone(),
        }
    }

    fn add(&mut self, piece: &BlockPiece, sections: &Sections) {
        self.bytes.end = piece.bytes.end;
        self.size += piece.size;
        self.level = self.level.min(piece.level);
        (self.section, self.shared) = self.section_with(piece, sections);
    }

    /// Returns the section of the chunk together with a piece, and whether siblings share it.
    fn section_with(&self, piece: &BlockPiece, sections: &Sections) -> (usize, bool) {
        if !self.shared && sections.is_within(piece.section, self.section) {
            (piece.section, false)
        } else if self.shared || !sections.is_within(self.section, piece.section) {
            (sections.common(self.section, piece.section), true)
        } else {
            (self.section, false)
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
