/*!
Segments: the pieces of a long unit that can be left out.

A splitter cuts a long unit at the beginning of a line, which may be inside of a statement. A piece that begins
with an item of the unit, such as a statement of a function, begins a segment. Without its inner segments the
unit still parses, but not without its first and last one.
*/

use super::members::{Part, PartKind};
use super::scope_chunks::Beginning;
use super::selection::SelectedChunk;
use std::ops::Range;

/// The segments of a part.
pub(super) struct Segments<'a> {
    part: &'a Part,
    ranges: Vec<Range<usize>>,
}

impl<'a> Segments<'a> {
    pub(super) fn of(part: &'a Part) -> Self {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (index, piece) in part.pieces.iter().enumerate() {
            let is_run = index > 0 && part.pieces[index - 1].run == piece.run;
            let begins = match piece.beginning {
                Beginning::Item => true,
                Beginning::Inside => false,
                // The ends of a container are apart.
                Beginning::Unknown => !is_run && part.kind == PartKind::Ends,
            };
            match ranges.last_mut() {
                Some(last) if !begins => last.end = index + 1,
                _ => ranges.push(index..index + 1),
            }
        }
        Self { part, ranges }
    }

    /// Returns the number of segments.
    pub(super) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the segments with hits, that of the best hit first.
    pub(super) fn with_hits(&self) -> Vec<usize> {
        let best = |segment: &usize| {
            let pieces = &self.part.pieces[self.ranges[*segment].clone()];
            let of_hits = pieces.iter().filter(|piece| piece.selected.is_none());
            of_hits.map(|piece| (piece.hit != self.part.hit(), piece.hit)).min()
        };
        let mut segments: Vec<usize> =
            (0..self.count()).filter(|segment| best(segment).is_some()).collect();
        segments.sort_by_key(best);
        segments
    }

    /// Returns the first and the last segment, without which the unit does not parse.
    pub(super) fn ends(&self) -> [usize; 2] {
        [0, self.count() - 1]
    }

    /// Returns the run of a segment.
    pub(super) fn run(&self, segment: usize) -> usize {
        self.part.pieces[self.ranges[segment].start].run
    }

    /// Returns the context in segments.
    pub(super) fn chunks(&self, segments: impl IntoIterator<Item = usize>) -> Vec<SelectedChunk> {
        let mut segments: Vec<usize> = segments.into_iter().collect();
        segments.sort_unstable();
        segments.dedup();
        let pieces = segments
            .into_iter()
            .flat_map(|segment| &self.part.pieces[self.ranges[segment].clone()]);
        pieces.filter_map(|piece| piece.selected).collect()
    }

    /// Returns the segments by their distance from the hits.
    pub(super) fn by_distance(&self) -> Vec<usize> {
        let distance = |segment: &usize| {
            let chunks = self.chunks([*segment]);
            chunks.iter().map(|chunk| chunk.distance.unsigned_abs()).min().unwrap_or(0)
        };
        let mut segments: Vec<usize> = (0..self.count()).collect();
        segments.sort_by_cached_key(distance);
        segments
    }
}
