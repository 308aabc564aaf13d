/*!
Pieces: ties headings to their bodies and cuts long blocks.

A heading and the next block are one unit. So are a heading, the heading below it, and the body of
that one. A heading without a body is a unit of its own. A boundary ends a unit. A unit that fits is one piece. All others
are cut by [`Cutter`], which never cuts between a heading and its body.

Its twin in SQL is `sql/edition/split/chunks.sql`.
*/

use super::{
    ChunkLimits, Sizer,
    blocks::{Block, Blocks, Form},
    boundaries::Boundaries,
    cut::{Cutter, LongUnit},
};
use crate::interrupt;
use std::ops::Range;

/// A part of the document that fits into a chunk. It begins where the piece before it ends.
#[derive(Clone, Debug)]
pub(super) struct BlockPiece {
    pub(super) bytes: Range<usize>,
    /// Its size, in units of the sizer.
    pub(super) size: usize,
    /// The index of its section.
    pub(super) section: usize,
    pub(super) level: u32,
    /// The line that it repeats, such as the first row of the table that it continues.
    pub(super) header: Option<Range<usize>>,
}

impl Blocks {
    /// Lets a block begin at each boundary.
    pub(super) fn divide(&mut self, boundaries: &Boundaries) {
        if boundaries.is_empty() {
            return;
        }
        let list = std::mem::take(&mut self.list);
        let mut ends = list.iter().skip(1).map(|block| block.start).collect::<Vec<_>>().into_iter();
        for block in list {
            interrupt::poll();
            let end = ends.next().unwrap_or(usize::MAX);
            for part in boundaries.parts(block.start..end) {
                let form = match block.form {
                    Form::Table { rows } if part.contains(&rows) => block.form,
                    Form::Heading if part.start == block.start => Form::Heading,
                    _ => Form::Body,
                };
                self.list.push(Block { start: part.start, form, ..block });
            }
        }
    }
}

/// Calls `emit` for each piece of a document, in order.
///
/// The pieces are not collected, because a document may have millions of them.
pub(super) fn pieces(
    text: &str,
    blocks: &Blocks,
    boundaries: &Boundaries,
    limits: ChunkLimits,
    sizer: &dyn Sizer,
    mut emit: impl FnMut(BlockPiece),
) {
    let cutter = Cutter { text, limits, sizer, items: &blocks.items };
    let mut first = 0;
    while first < blocks.list.len() {
        interrupt::poll();
        let last = last_of_unit(blocks, boundaries, first);
        let start = blocks.list[first].start;
        let end = end_of(text, blocks, last);
        // Blocks end at line ends, so their sizes may be added. The sizer does not measure a unit that
        // exceeds the maximum by its bytes alone.
        let size = (end - start <= limits.max_bytes()).then(|| {
            (first..=last)
                .map(|at| sizer.size(&text[blocks.list[at].start..end_of(text, blocks, at)]))
                .sum()
        });
        let (section, level) = section_and_level(&blocks.list[first..=last]);
        match size {
            Some(size) if size <= limits.max => {
                let header = blocks.header_at(start);
                emit(BlockPiece { bytes: start..end, size, section, level, header });
            }
            _ => {
                let body = &blocks.list[last];
                let rows = match body.form {
                    Form::Table { rows } => rows,
                    Form::Heading | Form::Body => body.start,
                };
                let unit = LongUnit { bytes: start..end, ties: [body.start, rows], size };
                cutter.cut(&unit, |bytes, size| {
                    let header = blocks.header_at(bytes.start);
                    emit(BlockPiece { bytes, size, section, level, header });
                });
            }
        }
        first = last + 1;
    }
}

/// Returns the last block of the unit that begins with a block, such as the body of a heading.
fn last_of_unit(blocks: &Blocks, boundaries: &Boundaries, first: usize) -> usize {
    let mut last = first;
    while blocks.list[last].form == Form::Heading
        && let Some(next) = blocks.list.get(last + 1)
        && !boundaries.is_at(next.start)
        && (next.section == blocks.list[last].section || next.level > blocks.list[last].level)
    {
        last += 1;
    }
    last
}

/// Returns the end of a block, which is the beginning of the next one.
fn end_of(text: &str, blocks: &Blocks, at: usize) -> usize {
    blocks.list.get(at + 1).map_or(text.len(), |next| next.start)
}

/// Returns the section and level of a unit: the deepest section and the lowest level, as in
/// [`crate::section::merge`]. The section of each block contains that of the next one.
fn section_and_level(unit: &[Block]) -> (usize, u32) {
    let deepest = unit.last().expect("a unit has a block").section;
    let lowest = unit.iter().map(|block| block.level).min().expect("a unit has a block");
    (deepest, lowest)
}
