/*!
The neighborhood of a single hit: the chunks around it, read together with it.

Most context is near the hit: a sibling, the children, often the parent. So the first statement reads a
few chunks on both sides of the hit, and a probe whose complete answer is among them is not executed.
For one hit of `broad` that is one index scan of 12 us instead of five of 38 us. If probes reach
further, the second statement has fewer subqueries. Several hits share the subqueries of the second
statement, so a neighborhood saves nothing for them.
*/

use super::hit_lookup::{AFTER, BEFORE, HitLookup};
use super::hits::Hits;
use passage_core::expand::{Probe, Shape};
use passage_split::section::Section;
use std::cell::OnceCell;

/// The chunks around a hit that the caller may see.
pub struct Neighborhood<'a> {
    /// Ordered by ordinal.
    chunks: Vec<Neighbor<'a>>,
    first: i64,
    last: i64,
}

/// A chunk around a hit.
struct Neighbor<'a> {
    hits: &'a Hits<'a>,
    row: usize,
    ordinal: i32,
    section: OnceCell<Section>,
}

impl<'a> Neighborhood<'a> {
    /// Returns the chunks that were read with a hit, if it has an ordinal.
    pub fn new(hits: &'a Hits<'a>) -> Option<Self> {
        let ([hit], HitLookup::WithNeighbors) = (&hits.list[..], hits.lookup) else {
            return None;
        };
        let ordinal = i64::from(hit.ordinal?);
        let mut chunks: Vec<_> = (0..hits.rows.len())
            .filter_map(|row| {
                let ordinal = hits.row(row).ordinal()?;
                Some(Neighbor { hits, row, ordinal, section: OnceCell::new() })
            })
            .collect();
        chunks.sort_by_key(|chunk| chunk.ordinal);
        Some(Self { chunks, first: ordinal - BEFORE, last: ordinal + AFTER })
    }

    /// Returns the rows that answer a probe of the hit's document, or `None` if the answer may include
    /// chunks further away.
    pub fn answer(&self, probe: &Probe) -> Option<Vec<usize>> {
        let (first, last) = (i64::from(probe.first), i64::from(probe.last));
        let (has_first, has_last) = (self.first <= first, last <= self.last);
        let limit = probe.limit as usize;
        let within = || {
            let chunks = self.chunks.iter();
            chunks.filter(|chunk| (probe.first..=probe.last).contains(&chunk.ordinal))
        };
        let key = probe.keys.first().copied();
        let own = |chunk: &&Neighbor| chunk.is_in(key, &probe.section);
        let child = |chunk: &&Neighbor| chunk.is_child_of(key, &probe.section);
        // The nearest chunks are complete if the near end is covered. With fewer rows than the limit,
        // chunks further away may be missing.
        let complete = |is_covered: bool, rows: Vec<usize>| {
            (is_covered && (rows.len() == limit || has_first && has_last)).then_some(rows)
        };
        match probe.shape {
            Shape::Range if has_first && has_last => {
                Some(within().map(|chunk| chunk.row).collect())
            }
            Shape::SectionBackward => {
                complete(has_last, first_rows(within().rev().filter(own), limit))
            }
            Shape::ParentBackward => {
                complete(has_last, first_rows(within().rev().filter(child), limit))
            }
            Shape::SectionForward => complete(has_first, first_rows(within().filter(own), limit)),
            Shape::ParentForward => complete(has_first, first_rows(within().filter(child), limit)),
            Shape::Ancestors if has_last => {
                // A section without a chunk of its own here may have one further away.
                let above = (0..=probe.section.len()).rev().map(|depth| &probe.section[..depth]);
                let nearest = |(section, key): (&[String], &i64)| {
                    within().rev().find(|chunk| chunk.is_in(Some(*key), section))
                };
                let nearest_chunks = above.zip(&probe.keys).take(limit).map(nearest);
                nearest_chunks.map(|chunk| chunk.map(|chunk| chunk.row)).collect()
            }
            Shape::Range | Shape::Inside | Shape::Ancestors => None,
        }
    }
}

/// Returns the rows of the first chunks, at most `limit`.
fn first_rows<'a>(chunks: impl Iterator<Item = &'a Neighbor<'a>>, limit: usize) -> Vec<usize> {
    chunks.take(limit).map(|chunk| chunk.row).collect()
}

impl Neighbor<'_> {
    /// Returns whether the chunk is directly in a section.
    fn is_in(&self, key: Option<i64>, section: &[String]) -> bool {
        self.key(0) == key && key.is_some() && self.section() == section
    }

    /// Returns whether a section is the parent of the chunk's section.
    fn is_child_of(&self, key: Option<i64>, section: &[String]) -> bool {
        self.key(1) == key
            && key.is_some()
            && self.section().split_last().is_some_and(|(_, parent)| parent == section)
    }

    /// Returns the key of the chunk's section (0) or of its parent section (1).
    fn key(&self, which: usize) -> Option<i64> {
        self.hits.rows.get(self.row, self.hits.rows.columns() - 2 + which)
    }

    fn section(&self) -> &[String] {
        self.section.get_or_init(|| self.hits.row(self.row).section().unwrap_or_default())
    }
}
