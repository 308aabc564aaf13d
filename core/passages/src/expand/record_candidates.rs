//! Candidates: the scopes to which a hit of data may be widened, by the chunks around it.
//!
//! Its twin in SQL is `sql/edition/records.sql`.

use super::probe_rows::ProbeRows;
use super::{Hit, LazyColumns, record_limits};
use passage_split::{DataFormat, Unit, interrupt, section};
use std::ops::RangeInclusive;

/// The scopes to which a hit may be widened.
pub(super) struct Candidates {
    /// The rows around the hit, in document order.
    pub(super) rows: Vec<usize>,
    /// The scopes, the widest last.
    pub(super) scopes: Vec<Candidate>,
    /// Whether the record, or the hit's own entry, exceeds the budget.
    pub(super) is_cut: bool,
    /// Whether the record does not parse.
    pub(super) is_broken: bool,
}

pub(super) struct Candidate {
    /// The positions of its rows among the rows around the hit.
    pub(super) positions: RangeInclusive<usize>,
    /// Whether it is the record or the hit's own entry, and not a parent.
    is_required: bool,
    /// Whether a chunk is missing at its edges.
    pub(super) has_gap: bool,
}

/// Why a scope is rejected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The budget cut it.
    Cut,
    /// Its entries do not parse.
    Unparsable,
}

impl Candidates {
    /// Finds the candidates of a hit among the rows around it.
    pub(super) fn new(
        hit: &Hit,
        rows: &[usize],
        probe_rows: &ProbeRows,
        columns: &impl LazyColumns,
    ) -> Self {
        HitWindow { hit, rows, probe_rows, columns }.candidates()
    }

    /// Rejects the widest scope, and returns whether that changed anything.
    ///
    /// A record that was cut gives way to the hit's own entry.
    pub(super) fn reject(&mut self, reason: Reason, format: Option<DataFormat>) -> bool {
        let is_required = self.scopes.last().is_some_and(|candidate| candidate.is_required);
        let must_parse = format.is_some_and(DataFormat::must_parse);
        match reason {
            Reason::Unparsable if is_required && must_parse => self.scopes.clear(),
            Reason::Unparsable if is_required => {
                return !std::mem::replace(&mut self.is_broken, true);
            }
            _ => {
                self.is_cut |= is_required;
                self.scopes.pop();
            }
        }
        true
    }
}

/// The rows around a hit.
struct HitWindow<'a, D> {
    hit: &'a Hit<'a>,
    rows: &'a [usize],
    probe_rows: &'a ProbeRows<'a>,
    columns: &'a D,
}

/// The run of rows that share a number of titles with the hit.
struct Run {
    positions: RangeInclusive<usize>,
    tokens: u64,
    has_gap: bool,
    /// Whether it has too many tokens or continues beyond the rows that were read.
    is_too_large: bool,
}

impl<D: LazyColumns> HitWindow<'_, D> {
    fn candidates(&self) -> Candidates {
        let mut candidates = Candidates {
            rows: self.rows.to_vec(),
            scopes: Vec::new(),
            is_cut: false,
            is_broken: false,
        };
        let is_hit = |row: &usize| self.probe_rows.rows[*row].chunk == self.hit.chunk;
        let Some(position) = self.rows.iter().position(is_hit) else { return candidates };
        let depth = self.hit.section.as_ref().map_or(0, Vec::len);
        let root = record_limits::root_depth(self.hit);
        let strategy = self.hit.strategy;
        let budget = u64::from(record_limits::budget(strategy));
        let share = u64::from(record_limits::share(strategy));
        // The number of titles of the record, and of the parent that it may grow to.
        let (own, record) = match self.hit.unit {
            Some(Unit::Value) => (Some(depth), depth.saturating_sub(1)),
            Some(Unit::Member) => (None, 0),
            _ => (None, depth),
        };
        let record = Some(record).filter(|record| *record > root);
        let parent = record.or(own).unwrap_or(depth + 1).saturating_sub(1);
        // The root counts only for its own entries, and never for the lines of a file.
        let is_of_root = parent == root && self.hit.format != Some(DataFormat::JsonLines);
        let outermost = if is_of_root && record.is_none() { root } else { root + 1 };
        let own = match own {
            Some(depth) => self.run(position, depth, budget),
            None => self.chunk(position),
        };
        let required = [Some(own), record.map(|depth| self.run(position, depth, budget))];
        for run in required.into_iter().flatten() {
            if run.is_too_large {
                candidates.is_cut = true;
            } else {
                candidates.scopes.push(run.candidate(true));
            }
        }
        for depth in (outermost..=parent).rev() {
            let run = self.run(position, depth, share);
            if run.is_too_large || run.tokens > share {
                break;
            }
            candidates.scopes.push(run.candidate(false));
        }
        candidates
    }

    fn tokens(&self, position: usize) -> u64 {
        u64::from(self.probe_rows.rows[self.rows[position]].tokens)
    }

    /// Returns the run of a row alone.
    fn chunk(&self, position: usize) -> Run {
        let tokens = self.tokens(position);
        Run { positions: position..=position, tokens, has_gap: false, is_too_large: false }
    }

    /// Returns the run of rows around the hit that share so many of its titles, up to a number of tokens.
    /// A single row is never too large.
    fn run(&self, position: usize, titles: usize, max_tokens: u64) -> Run {
        let section = self.hit.section.as_deref().unwrap_or_default();
        let ordinal = |position: usize| self.probe_rows.ordinal(self.rows[position]);
        let is_inside = |position: usize| {
            let titles_of = self.columns.section(self.rows[position]).unwrap_or_default();
            section::common_prefix(&titles_of, section).len() >= titles
        };
        let mut run = self.chunk(position);
        let reach = record_limits::reach(self.hit.strategy);
        // Adds the next row on a side, and returns whether there was one.
        let mut add = |from: usize, next: Option<usize>| {
            interrupt::poll();
            let next = next.filter(|next| *next < self.rows.len() && !run.is_too_large)?;
            if ordinal(next).abs_diff(ordinal(from)) != 1 {
                run.has_gap = true;
                return None;
            }
            if !is_inside(next) {
                return None;
            }
            run.tokens += self.tokens(next);
            let is_far = ordinal(next).abs_diff(ordinal(position)) > reach;
            run.is_too_large = is_far || run.tokens > max_tokens;
            Some(next)
        };
        let (mut start, mut end) = (position, position);
        while let Some(before) = add(start, start.checked_sub(1)) {
            start = before;
        }
        while let Some(after) = add(end, end.checked_add(1)) {
            end = after;
        }
        run.positions = start..=end;
        run
    }
}

impl Run {
    fn candidate(self, is_required: bool) -> Candidate {
        Candidate { positions: self.positions, is_required, has_gap: self.has_gap }
    }
}
