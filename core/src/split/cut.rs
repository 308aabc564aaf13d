/*!
Cutting what is too long for one chunk.

A unit is cut where it hurts least: between the items of a list, else between lines, else between
sentences or words, else between characters; a coarser cut is never passed over for a finer one
unless what lies before it is too long by itself. Among equals a blank line or the end of a sentence
is preferred, and then what is nearest to an even share, so that a unit a little too long becomes
two halves and not a whole and a crumb. Characters here are what a reader takes for one (grapheme
clusters), as far as one chunk can hold them.

The unit as a whole is not measured, for it may be megabytes. A piece is guessed by the bytes that a
unit of size took so far, measured, and guessed again if that was wrong; each byte is thus measured
a few times at most, however long its line.
*/

mod boundary;

use super::{ChunkLimits, Sizer};
use crate::interrupt;
use std::ops::Range;

/// Cuts the units of one document.
pub(super) struct Cutter<'a> {
    pub(super) text: &'a str,
    pub(super) limits: ChunkLimits,
    pub(super) sizer: &'a dyn Sizer,
    /// Where the items of lists begin, ascending.
    pub(super) items: &'a [usize],
}

/// What has to be cut.
pub(super) struct Unit {
    pub(super) bytes: Range<usize>,
    /// Where its body begins, and where the rows of a table do: exactly there it is not cut, and
    /// before them only if too little would fit. Ascending; the beginning if there is no tie.
    pub(super) ties: [usize; 2],
    /// Its size, unless it is too long to be measured.
    pub(super) size: Option<usize>,
}

/// Where a piece may end, in bytes from the beginning of the document.
#[derive(Clone, Copy)]
struct Aim {
    /// Where it begins.
    at: usize,
    /// Where it would be an even share.
    goal: usize,
    /// Where it probably reaches the maximum.
    reach: usize,
    /// See [`Unit::ties`].
    ties: [Tie; 2],
}

/// A place not to cut at.
#[derive(Clone, Copy)]
struct Tie {
    place: usize,
    /// Where the text before it ends, without the white space between.
    before: usize,
}

impl Cutter<'_> {
    /// Cuts a unit and hands over each piece with its size, in order.
    pub(super) fn cut(&self, unit: &Unit, mut emit: impl FnMut(Range<usize>, usize)) {
        let Range { start: mut at, end } = unit.bytes;
        let ties =
            unit.ties.map(|place| Tie { place, before: self.text[..place].trim_end().len() });
        let mut rest = unit.size;
        let mut density = None;
        while at < end {
            interrupt::poll();
            if end - at <= self.limits.most_bytes() && rest.is_none_or(|rest| self.parts(rest) < 2)
            {
                // What is left over from subtraction is no more than a guess: words that were cut
                // apart do not add up.
                let left = self.size(at..end);
                if self.parts(left) < 2 {
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
            let (next, size) = self.piece(at, end, ties, share.max(1), bytes_a_unit);
            emit(at..next, size);
            rest = rest.map(|rest| rest.saturating_sub(size));
            density = Some((next - at) as f64 / size.max(1) as f64);
            at = next;
        }
    }

    /// Returns into how many pieces a size is cut so that they come nearest to the preferred one.
    fn parts(&self, size: usize) -> usize {
        let preferred = self.limits.preferred.max(1);
        let needed = size.div_ceil(self.limits.max.max(1));
        needed.max((size + preferred / 2) / preferred).max(1)
    }

    fn size(&self, bytes: Range<usize>) -> usize {
        self.sizer.size(&self.text[bytes])
    }

    /// Returns the bytes that a unit of size takes at a place, from a look at what follows.
    fn density(&self, at: usize, end: usize) -> f64 {
        let most = self.limits.most_bytes();
        let some = self.text.ceil_char_boundary(end.min(at + most.div_ceil(8)));
        (some - at) as f64 / self.size(at..some).max(1) as f64
    }

    /// Finds the piece that begins at a place: its end, and its size.
    fn piece(
        &self,
        at: usize,
        end: usize,
        ties: [Tie; 2],
        share: usize,
        density: f64,
    ) -> (usize, usize) {
        let max = self.limits.max;
        let most = end.min(at + self.limits.most_bytes()) - at;
        let aim = |density: f64| {
            // A float that is out of range saturates when it is cast.
            let bytes = |units: usize| ((units as f64 * density) as usize).clamp(1, most);
            Aim { at, goal: at + bytes(share), reach: at + bytes(max), ties }
        };
        let mut aimed = aim(density);
        let mut found: Option<(usize, usize)> = None;
        loop {
            let next = self.boundary(aimed);
            let size = self.size(at..next);
            let bytes = next - at;
            if size > max && bytes > self.first_character(at) {
                if let Some(found) = found {
                    return found;
                }
                // A sixteenth less than what would fit if the text were even, so that a few
                // attempts suffice when it is not.
                let select_within_budget = bytes * max / size;
                aimed.reach =
                    at + (select_within_budget - select_within_budget / 16).clamp(1, bytes - 1);
                aimed.goal = aimed.goal.min(at + (aimed.reach - at).div_ceil(2));
                continue;
            }
            let sparse = size.saturating_mul(2) < share && aimed.reach < at + most;
            if found.is_none() && sparse {
                found = Some((next, size));
                aimed = aim(bytes as f64 / size.max(1) as f64);
                continue;
            }
            return self.coarser(aimed, next, size, end).unwrap_or((next, size));
        }
    }

    /// Looks for a coarser cut behind a fine one, in case the guess fell short of it: what the
    /// piece was made of may lie closer than the average of the unit.
    fn coarser(&self, aim: Aim, next: usize, size: usize, end: usize) -> Option<(usize, usize)> {
        let most = (end - 1 - aim.at).min(self.limits.most_bytes());
        let bytes = (next - aim.at) * self.limits.max / size.max(1);
        let reach = aim.at + (bytes + bytes / 4).min(most);
        self.next_coarser(next, reach).into_iter().flatten().find_map(|candidate| {
            let size = self.size(aim.at..candidate);
            (candidate > aim.ties[1].place && size <= self.limits.max).then_some((candidate, size))
        })
    }
}
