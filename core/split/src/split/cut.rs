/*!
Cutting: divides a unit that is too long for one chunk.

Cuts are made between the items of a list or the statements of a function that begin on a line, else
between lines, else between items within a line, else between sentences or words, else between
characters. A finer cut is used only if the text before the next coarser one does not fit, or if the
coarser one is in the first half of the text before it. Among cuts of the same kind, a blank line or
the end of a sentence is preferred, then the cut nearest to an even share. So a unit that is slightly
too long becomes two halves, and not a whole and a small rest. Characters are grapheme clusters, as
far as one chunk has room for them.

Items inside of items are worse cuts: a callback, a test or an arm of a match stays whole if it fits
one chunk, even if the chunk before it becomes short.

Closing brackets at the end of a unit are never a piece of their own, and a line with one begins a
piece only if no other line can.

The whole unit is not measured, because it may have megabytes. Instead, the end of a piece is
estimated from the bytes per size so far, then measured, and estimated again if it was wrong. So each
byte is measured a few times at most, however long its line.

Its twin in SQL is `sql/edition/split/cut.sql`.
*/

mod boundary;

use super::{ChunkLimits, Sizer, closing::without_closing};
use crate::interrupt;
use std::ops::Range;

/// Cuts the units of one document.
pub(super) struct Cutter<'a> {
    pub(super) text: &'a str,
    pub(super) limits: ChunkLimits,
    pub(super) sizer: &'a dyn Sizer,
    /// The items of lists, ascending.
    pub(super) items: &'a [Item],
}

/// An offset at which a text is best cut, such as the beginning of a statement or of an item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) at: usize,
    /// The number of items around it.
    pub(super) depth: usize,
}

/// A unit to cut.
pub(super) struct LongUnit {
    pub(super) bytes: Range<usize>,
    /// The offsets of its body and of the rows of its table, ascending. The unit is never cut exactly
    /// there, and before them only if too little would fit. Its beginning if it has no tie.
    pub(super) ties: [usize; 2],
    /// Its size, or `None` if it is too long to measure.
    pub(super) size: Option<usize>,
}

/// The bytes at which a piece may end, from the beginning of the document.
#[derive(Clone, Copy)]
struct CutTarget {
    /// The beginning of the piece.
    at: usize,
    /// The end of the smallest piece that is worth a chunk of its own.
    least: usize,
    /// The end of an even share.
    goal: usize,
    /// The end at which it probably reaches the maximum.
    reach: usize,
    /// See [`LongUnit::ties`].
    ties: [Tie; 2],
    /// The end of the unit without its closing brackets, before which the piece ends if it can.
    close: usize,
}

/// An offset at which the unit is not cut.
#[derive(Clone, Copy)]
struct Tie {
    offset: usize,
    /// The end of the text before it, without trailing white space.
    before: usize,
}

impl Cutter<'_> {
    /// Calls `emit` for each piece of a unit with its size, in order.
    pub(super) fn cut(&self, unit: &LongUnit, mut emit: impl FnMut(Range<usize>, usize)) {
        let Range { start: mut at, end } = unit.bytes;
        let ties =
            unit.ties.map(|offset| Tie { offset, before: self.text[..offset].trim_end().len() });
        let close = self.closing_start(&unit.bytes);
        let mut rest = unit.size;
        let mut density = None;
        while at < end {
            interrupt::poll();
            let is_last = self.is_last_item(at, close);
            let may_fit = rest.is_none_or(|rest| is_last || self.parts(rest) < 2);
            if end - at <= self.limits.max_bytes() && may_fit {
                // The difference of sizes is only an estimate: the sizes of cut words do not add up.
                let left = self.size(at..end);
                if self.parts(left) < 2 || is_last && left <= self.limits.max {
                    emit(at..end, left);
                    return;
                }
                rest = Some(left);
            }
            let share = rest.map_or(self.limits.preferred, |rest| rest.div_ceil(self.parts(rest)));
            let bytes_a_unit = match (rest, density) {
                (Some(rest), _) => (end - at) as f64 / rest.max(1) as f64,
                (None, Some(density)) => density,
                (None, None) => self.density(at, end),
            };
            let (next, size) = self.piece(at..end, close, ties, share.max(1), bytes_a_unit);
            emit(at..next, size);
            rest = rest.map(|rest| rest.saturating_sub(size));
            density = Some((next - at) as f64 / size.max(1) as f64);
            at = next;
        }
    }

    /// Returns the number of pieces of a size whose sizes are nearest to the preferred one.
    fn parts(&self, size: usize) -> usize {
        let preferred = self.limits.preferred.max(1);
        let needed = size.div_ceil(self.limits.max.max(1));
        needed.max((size + preferred / 2) / preferred).max(1)
    }

    fn size(&self, bytes: Range<usize>) -> usize {
        self.sizer.size(&self.text[bytes])
    }

    /// Returns the offset of the closing brackets at the end of a text, or its end if there are none.
    fn closing_start(&self, bytes: &Range<usize>) -> usize {
        let text = &self.text[bytes.clone()];
        let kept = without_closing(text).len();
        if text[kept..].trim_ascii().is_empty() { bytes.end } else { bytes.start + kept }
    }

    /// Returns whether an item begins at an offset, and only closing brackets follow it.
    fn is_last_item(&self, at: usize, close: usize) -> bool {
        self.item(at).is_some_and(|item| self.next_item(item, close) >= close)
    }

    /// Returns the item at an offset.
    fn item(&self, at: usize) -> Option<Item> {
        let index = self.items.binary_search_by_key(&at, |item| item.at);
        index.ok().map(|index| self.items[index])
    }

    /// Returns the offset of the next item that is not inside of an item, or `end` if none is before it.
    fn next_item(&self, item: Item, end: usize) -> usize {
        let next = self.items.partition_point(|other| other.at <= item.at);
        let mut later = self.items[next..].iter().take_while(|other| other.at < end);
        later.find(|other| other.depth <= item.depth).map_or(end, |next| next.at)
    }

    /// Returns the bytes per unit of size, measured from a sample of the text after an offset.
    fn density(&self, at: usize, end: usize) -> f64 {
        let max_bytes = self.limits.max_bytes();
        let some = self.text.ceil_char_boundary(end.min(at + max_bytes.div_ceil(8)));
        (some - at) as f64 / self.size(at..some).max(1) as f64
    }

    /// Returns the end and the size of the first piece of a text.
    fn piece(
        &self,
        Range { start: at, end }: Range<usize>,
        close: usize,
        ties: [Tie; 2],
        share: usize,
        density: f64,
    ) -> (usize, usize) {
        let max = self.limits.max;
        let max_bytes = end.min(at + self.limits.max_bytes()) - at;
        let aim = |density: f64| {
            // A cast of a float out of range saturates.
            let bytes = |units: usize| ((units as f64 * density) as usize).clamp(1, max_bytes);
            let [least, goal, reach] =
                [self.limits.min / 4, share, max].map(|units| at + bytes(units));
            CutTarget { at, least, goal, reach, ties, close }
        };
        let mut aimed = aim(density);
        let mut fallback: Option<(usize, usize)> = None;
        loop {
            let next = self.boundary(aimed);
            let size = self.size(at..next);
            let bytes = next - at;
            if size > max && bytes > self.first_character(at) {
                if let Some(fallback) = fallback {
                    return fallback;
                }
                // A sixteenth less than fits into an even text, so that a few attempts suffice in
                // others.
                let select_within_budget = bytes * max / size;
                aimed.reach =
                    at + (select_within_budget - select_within_budget / 16).clamp(1, bytes - 1);
                aimed.goal = aimed.goal.min(at + (aimed.reach - at).div_ceil(2));
                continue;
            }
            let sparse = size.saturating_mul(2) < share && aimed.reach < at + max_bytes;
            if fallback.is_none() && sparse {
                fallback = Some((next, size));
                aimed = aim(bytes as f64 / size.max(1) as f64);
                continue;
            }
            return self.coarser(aimed, next, size, end).unwrap_or((next, size));
        }
    }

    /// Looks for a coarser cut after a fine one. The estimate may have ended before it, because this
    /// piece may have more bytes per size than the average of the unit.
    fn coarser(
        &self,
        aim: CutTarget,
        next: usize,
        size: usize,
        end: usize,
    ) -> Option<(usize, usize)> {
        let end = if aim.at < aim.close { aim.close } else { end };
        let max_bytes = (end - 1 - aim.at).min(self.limits.max_bytes());
        let bytes = (next - aim.at) * self.limits.max / size.max(1);
        let reach = aim.at + (bytes + bytes / 4).min(max_bytes);
        self.next_coarser(next, reach).into_iter().flatten().find_map(|candidate| {
            let size = self.size(aim.at..candidate);
            (candidate > aim.ties[1].offset && size <= self.limits.max).then_some((candidate, size))
        })
    }
}
