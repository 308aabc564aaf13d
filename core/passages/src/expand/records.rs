/*!
Records: the entries of structured data to which hits are widened.

A record is an object, an array or a table that is an item or a member of another one. A hit is widened to
the nearest record around it. The record grows to its parent while the parent takes at most a small share of
the budget, so that a hit in a long list does not bring the list. The root of a document is not a record.

A chunk with several records is whole itself, and so is an entry of the root. They grow in the same way, an
entry of the root also to the root. If a record exceeds the budget, it gives way to the hit's own entry, and
that to the relatives of the fallback.

A record is all chunks around the hit whose sections begin with its own. One window of chunks around the hit
shows all its candidates.

Its twin in SQL is `sql/edition/records.sql`.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::record_candidates::{Candidate, Candidates, Reason};
use super::{Hit, LazyColumns};
use crate::assemble::{Part, Separator, assemble};
use passage_split::{DataFormat, interrupt};
use std::collections::HashMap;
use uuid::Uuid;

/// The records of all hits of data.
#[derive(Default)]
pub(super) struct Records {
    of_hit: HashMap<usize, Candidates>,
    /// For each scope whose text was parsed, whether it parses.
    parsed: HashMap<ScopeKey, bool>,
}

/// The document of a scope, and its first and last row.
type ScopeKey = (Uuid, usize, usize);

/// A scope that hits share.
pub(super) struct RecordScope<'r> {
    pub(super) hits: Vec<usize>,
    pub(super) rows: &'r [usize],
    /// Whether it is certain that nothing of the record is missing.
    pub(super) is_whole: bool,
}

impl Records {
    /// Finds the candidates of all hits among the rows of a plan.
    pub(super) fn new(
        hits: &[Hit],
        plan: &Plan,
        probe_rows: &ProbeRows,
        columns: &impl LazyColumns,
    ) -> Self {
        let mut records = Self::default();
        for request in plan.requests.iter().filter(|request| request.is_record()) {
            interrupt::poll();
            let hit = &hits[request.hit];
            let rows = probe_rows.between(request.probe, request.first..=request.last);
            let candidates = Candidates::new(hit, rows, probe_rows, columns);
            records.of_hit.insert(request.hit, candidates);
        }
        records
    }

    /// Returns the scopes that hits are widened to at present, in the order of their first hit.
    pub(super) fn scopes(&self, hits: &[Hit]) -> Vec<RecordScope<'_>> {
        let mut indexes: HashMap<ScopeKey, usize> = HashMap::new();
        let mut scopes: Vec<RecordScope<'_>> = Vec::new();
        for hit in 0..hits.len() {
            let Some((candidates, candidate)) = self.chosen(hit) else { continue };
            let index = *indexes.entry(key(candidates, hits, hit)).or_insert_with(|| {
                let rows = &candidates.rows[candidate.positions.clone()];
                scopes.push(RecordScope { hits: Vec::new(), rows, is_whole: true });
                scopes.len() - 1
            });
            scopes[index].hits.push(hit);
            scopes[index].is_whole &= !candidate.has_gap && !candidates.is_broken;
        }
        scopes
    }

    fn chosen(&self, hit: usize) -> Option<(&Candidates, &Candidate)> {
        let candidates = self.of_hit.get(&hit)?;
        Some((candidates, candidates.scopes.last()?))
    }

    /// Returns whether a hit of data has no scope left.
    pub(super) fn fell_back(&self, hit: usize) -> bool {
        self.of_hit.get(&hit).is_some_and(|candidates| candidates.scopes.is_empty())
    }

    /// Returns whether a part of a hit's record was left out.
    pub(super) fn is_cut(&self, hit: usize) -> bool {
        self.of_hit.get(&hit).is_some_and(|candidates| candidates.is_cut)
    }

    /// Narrows the hits that lost a part of their scope to the budget, or whose scope does not parse.
    ///
    /// Returns whether there were any.
    pub(super) fn narrow(
        &mut self,
        hits: &[Hit],
        lost: &[bool],
        columns: &impl LazyColumns,
    ) -> bool {
        let mut rejected: Vec<(usize, Reason)> = Vec::new();
        let mut parsed = std::mem::take(&mut self.parsed);
        for scope in self.scopes(hits) {
            interrupt::poll();
            let first = scope.hits[0];
            let (candidates, _) = self.chosen(first).expect("a hit of a scope has one");
            let is_parsed = |format: DataFormat| {
                let key = key(candidates, hits, first);
                *parsed.entry(key).or_insert_with(|| parses(format, scope.rows, columns))
            };
            let reason = if scope.hits.iter().any(|hit| lost[*hit]) {
                Reason::Cut
            } else if !hits[first].format.is_none_or(is_parsed) {
                Reason::Unparsable
            } else {
                continue;
            };
            rejected.extend(scope.hits.iter().map(|hit| (*hit, reason)));
        }
        self.parsed = parsed;
        let mut any = false;
        for (hit, reason) in rejected {
            let candidates = self.of_hit.get_mut(&hit).expect("the hit has a scope");
            any |= candidates.reject(reason, hits[hit].format);
        }
        any
    }
}

fn key(candidates: &Candidates, hits: &[Hit], hit: usize) -> ScopeKey {
    let positions = &candidates.scopes.last().expect("the hit has a scope").positions;
    (hits[hit].document, candidates.rows[*positions.start()], candidates.rows[*positions.end()])
}

/// Returns whether the entries in rows parse.
fn parses(format: DataFormat, rows: &[usize], columns: &impl LazyColumns) -> bool {
    let part = |row: &usize| {
        interrupt::poll();
        Part { content: columns.content(*row).into(), span: columns.span(*row) }
    };
    let parts: Vec<_> = rows.iter().map(part).collect();
    format.excerpt_parses(&assemble(&parts, Separator::Text("")).text)
}
