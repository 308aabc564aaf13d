/*!
From blocks to pieces: headings are tied to their bodies, and what is too long is cut.

A heading and the block after it are one unit, and so is a heading followed by a heading below it
and the body of that one. A heading without any body stands alone. A unit that fits is one piece;
every other is handed to [`Cutter`], which never cuts between a heading and its body.
*/

use super::{
    ChunkLimits, Sizer,
    block::{Block, Blocks, Form},
    cut::{Cutter, Unit},
};
use crate::interrupt;
use std::ops::Range;

/// A part of the document that fits into a chunk; it begins where the one before it ends.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) bytes: Range<usize>,
    /// What the sizer counts in it.
    pub(super) size: usize,
    /// Which of the sections it stands in.
    pub(super) section: usize,
    pub(super) level: u32,
    /// The first row of the table that the piece continues.
    pub(super) header: Option<Range<usize>>,
}

/// Makes pieces of all blocks and hands over each, in document order: a document may be made of
/// millions, which become few chunks.
pub(super) fn pieces(
    text: &str,
    blocks: &Blocks,
    limits: ChunkLimits,
    sizer: &dyn Sizer,
    mut emit: impl FnMut(Piece),
) {
    let cutter = Cutter { text, limits, sizer, items: &blocks.items };
    let mut first = 0;
    while first < blocks.list.len() {
        interrupt::poll();
        let last = last_of_unit(blocks, first);
        let start = blocks.list[first].start;
        let end = end_of(text, blocks, last);
        // Blocks end at line ends, so that their sizes may be added. What is beyond the maximum
        // by its bytes alone is not shown to the sizer as a whole.
        let size = (end - start <= limits.most_bytes()).then(|| {
            (first..=last)
                .map(|at| sizer.size(&text[blocks.list[at].start..end_of(text, blocks, at)]))
                .sum()
        });
        let (section, level) = place(&blocks.list[first..=last]);
        match size {
            Some(size) if size <= limits.max => {
                // A row that is a block of its own repeats the first one too.
                let header = match &blocks.list[last].form {
                    Form::Table { header, .. } if header.end <= start => Some(header.clone()),
                    _ => None,
                };
                emit(Piece { bytes: start..end, size, section, level, header });
            }
            _ => {
                let body = &blocks.list[last];
                let (rows, header) = match &body.form {
                    Form::Table { header, rows } => (*rows, Some(header.clone())),
                    Form::Heading | Form::Body => (body.start, None),
                };
                let unit = Unit { bytes: start..end, ties: [body.start, rows], size };
                cutter.cut(&unit, |bytes, size| {
                    let header = header.clone().filter(|_| bytes.start >= rows);
                    emit(Piece { bytes, size, section, level, header });
                });
            }
        }
        first = last + 1;
    }
}

/// Returns the last block of the unit that begins with a block: the body of a heading.
fn last_of_unit(blocks: &Blocks, first: usize) -> usize {
    let mut last = first;
    while blocks.list[last].form == Form::Heading
        && let Some(next) = blocks.list.get(last + 1)
        && (next.section == blocks.list[last].section || next.level > blocks.list[last].level)
    {
        last += 1;
    }
    last
}

/// Returns where a block ends: where the next one begins.
fn end_of(text: &str, blocks: &Blocks, at: usize) -> usize {
    blocks.list.get(at + 1).map_or(text.len(), |next| next.start)
}

/// Returns the section and level of a unit, whose blocks lie each in or below the one before it:
/// the deepest section and the lowest level, as everywhere (see [`crate::section::merge`]).
fn place(unit: &[Block]) -> (usize, u32) {
    let deepest = unit.last().expect("a unit has a block").section;
    let lowest = unit.iter().map(|block| block.level).min().expect("a unit has a block");
    (deepest, lowest)
}
