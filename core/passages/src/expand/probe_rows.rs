//! The rows that a plan returned, grouped by probe.

use super::ChunkRow;
use super::probe::{Plan, RowRequest};
use passage_split::interrupt;
use std::ops::RangeInclusive;

/// The rows of a plan. Those of each probe are in document order.
pub(super) struct ProbeRows<'a> {
    pub(super) rows: &'a [ChunkRow],
    of_probe: Vec<Vec<usize>>,
}

impl<'a> ProbeRows<'a> {
    pub(super) fn new(plan: &Plan, rows: &'a [ChunkRow]) -> Self {
        let mut of_probe: Vec<Vec<usize>> = vec![Vec::new(); plan.probes.len()];
        for (row, chunk) in rows.iter().enumerate() {
            interrupt::poll_periodically(row);
            if let (Some(probe), Some(_)) = (chunk.probe, chunk.ordinal)
                && !plan.skipped.contains(&chunk.chunk)
            {
                of_probe[probe].push(row);
            }
        }
        for of_probe in &mut of_probe {
            // Most rows are already in order.
            if !of_probe.is_sorted_by_key(|row| rows[*row].ordinal) {
                of_probe.sort_by_key(|row| rows[*row].ordinal);
            }
        }
        Self { rows, of_probe }
    }

    /// Returns the rows of a probe.
    pub(super) fn all(&self, probe: usize) -> &[usize] {
        &self.of_probe[probe]
    }

    /// Returns the rows of a probe within a range of ordinals.
    pub(super) fn between(&self, probe: usize, ordinals: RangeInclusive<i32>) -> &[usize] {
        let rows = self.all(probe);
        let start = rows.partition_point(|row| self.rows[*row].ordinal < Some(*ordinals.start()));
        let end = rows.partition_point(|row| self.rows[*row].ordinal <= Some(*ordinals.end()));
        &rows[start..end.max(start)]
    }

    pub(super) fn ordinal(&self, row: usize) -> i32 {
        self.rows[row].ordinal.unwrap_or_default()
    }

    /// Returns the rows of a hit's scope: those between its ends, and the adjoining ones on either
    /// side.
    pub(super) fn scope_rows(
        &self,
        request: &RowRequest,
        (first, last): (i32, i32),
    ) -> impl Iterator<Item = usize> {
        let inside = |row: &&usize| self.rows[**row].depth_below.is_some();
        let before = self.between(request.probe, request.first..=first.saturating_sub(1));
        let between = self.between(request.probe, first..=last);
        let after = self.between(request.probe, last.saturating_add(1)..=request.last);
        let sides = (before.iter().rev().take_while(inside), after.iter().take_while(inside));
        sides.0.chain(between.iter().filter(inside)).chain(sides.1).copied()
    }
}
