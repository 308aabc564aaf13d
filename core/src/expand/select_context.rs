/*!
From rows to context: what comes back, and why.

The hits claim rows, and the budget is spent on them. What must be JSON as a whole is then parsed: if
it was cut or does not parse, its hits fall back, and all is chosen again without it.
*/

use super::budget::{self, BudgetDecision, Verdict};
use super::claim::{Claims, ProbeRows, claims};
use super::imports::add_imports;
use super::{Budget, ChunkRow, Hit, LazyColumns, Plan, Role, Rule};
use crate::assemble::{Part, Separator, assemble};
use crate::interrupt;
use crate::strategy::Scope;
use serde::de::IgnoredAny;
use std::cmp::Reverse;
use std::collections::HashMap;
use uuid::Uuid;

/// A chunk that comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedChunk {
    /// Its place in the list of rows.
    pub row: usize,
    /// The hit it is there for, by its place in the list of hits.
    pub hit: usize,
    /// Why it is there.
    pub role: Role,
    /// By which rule.
    pub rule: Rule,
    /// Its ordinal less that of its hit.
    pub distance: i32,
}

/// What comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The chunks, ordered by the best score of their document, then by ordinal.
    pub chunks: Vec<SelectedChunk>,
    /// For each hit, whether the budget cut some of its context.
    pub truncated: Vec<bool>,
    /// For each hit, the whole that it was widened to, by a number that others may share.
    pub scopes: Vec<Option<usize>>,
    /// The chunks of each such whole; none for those that sections were merged into.
    pub scope_chunks: Vec<Vec<Uuid>>,
    /// For each hit, whether it has no whole although its strategy wants a container.
    pub fell_back: Vec<bool>,
    /// For each hit, whether a part of its whole is missing in the store.
    pub broken: Vec<bool>,
    /// What could have come back, in the order in which the budget was spent; if that was asked.
    pub considered: Vec<BudgetDecision>,
}

/// Chooses among the rows that a plan read; with `explain` tells of those left out, too. Where
/// imports were planned, those that the context uses come last.
///
/// The rows hold the hits as well, read by their ids; a hit without such a row has no place in the
/// result.
pub fn select_context(
    hits: &[Hit],
    plan: &Plan,
    rows: &[ChunkRow],
    columns: &impl LazyColumns,
    budget: Budget,
    explain: bool,
) -> Selection {
    let found = ProbeRows::new(plan, rows);
    let mut failed = vec![false; plan.groups.len()];
    // What a budget cut before its hits fell back was cut all the same.
    let mut cut_before = vec![false; hits.len()];
    loop {
        let claims = claims(hits, plan, &found, columns, &failed);
        let mut selection = told(hits, plan, &found, &claims, &failed);
        let Claims { chunks, scopes, .. } = claims;
        let considered = budget::spend(hits, plan, &found, chunks, columns, budget, explain);
        for considered in &considered {
            selection.truncated[considered.chunk.hit] |= considered.verdict != Verdict::Kept;
        }
        let mut all_parse = true;
        for (place, group) in plan.groups.iter().enumerate() {
            if group.is_json && !failed[place] {
                let cut = group.hits.iter().any(|hit| selection.truncated[*hit]);
                group.hits.iter().for_each(|hit| cut_before[*hit] |= selection.truncated[*hit]);
                failed[place] = cut || !parses(&scopes[place], columns);
                all_parse &= !failed[place];
            }
        }
        if all_parse {
            let kept = considered.iter().filter(|one| one.verdict == Verdict::Kept);
            selection.chunks = kept.map(|one| one.chunk).collect();
            selection
                .truncated
                .iter_mut()
                .zip(&cut_before)
                .for_each(|(cut, before)| *cut |= before);
            add_imports(hits, plan, &found, columns, budget, &mut selection);
            selection.chunks = ordered(hits, rows, selection.chunks);
            selection.considered = if explain { considered } else { Vec::new() };
            return selection;
        }
    }
}

/// What is known of each hit before the budget is spent.
fn told(
    hits: &[Hit],
    plan: &Plan,
    found: &ProbeRows,
    claims: &Claims,
    failed: &[bool],
) -> Selection {
    let mut selection = Selection {
        truncated: vec![false; hits.len()],
        scopes: vec![None; hits.len()],
        fell_back: hits.iter().map(|hit| hit.strategy.scope == Scope::Container).collect(),
        broken: vec![false; hits.len()],
        scope_chunks: claims
            .scopes
            .iter()
            .map(|rows| rows.iter().map(|row| found.rows[*row].chunk).collect())
            .collect(),
        ..Selection::default()
    };
    for (place, group) in plan.groups.iter().enumerate().filter(|(place, _)| !failed[*place]) {
        let broken = is_broken(plan, place, found, &claims.scopes[place]);
        for hit in &group.hits {
            let ends = group.ends(*hit);
            let behind_head = ends.is_none_or(|(first, _)| Some(first) <= hits[*hit].ordinal);
            selection.scopes[*hit] = Some(place);
            selection.fell_back[*hit] = false;
            selection.broken[*hit] = broken || !behind_head;
        }
    }
    for (hit, number) in &claims.merged {
        selection.scopes[*hit] = Some(plan.groups.len() + number);
    }
    selection
}

/// Tells whether what follows a whole on either side is not the next chunk, or is a part of it.
fn is_broken(plan: &Plan, group: usize, found: &ProbeRows, whole: &[usize]) -> bool {
    let ordinal = |row: &usize| found.rows[*row].ordinal;
    let (Some(first), Some(last)) =
        (whole.first().and_then(ordinal), whole.last().and_then(ordinal))
    else {
        return true;
    };
    let is_next = |row: &usize, expected: Option<i32>| {
        ordinal(row) == expected && found.rows[*row].depth_below.is_none()
    };
    let rows = || plan.groups[group].probes.iter().flat_map(|probe| found.all(*probe));
    let before = rows().filter(|row| ordinal(row) < Some(first)).max_by_key(|row| ordinal(row));
    let after = rows().filter(|row| ordinal(row) > Some(last)).min_by_key(|row| ordinal(row));
    before.is_some_and(|row| !is_next(row, first.checked_sub(1)))
        || after.is_some_and(|row| !is_next(row, last.checked_add(1)))
}

/// Tells whether rows are one JSON value together.
fn parses(rows: &[usize], columns: &impl LazyColumns) -> bool {
    let part = |row: &usize| {
        interrupt::poll();
        let content = columns.content(*row).into();
        Part { content, span: columns.span(*row) }
    };
    let parts: Vec<_> = rows.iter().map(part).collect();
    interrupt::json::<IgnoredAny>(&assemble(&parts, Separator::Text("")).text).is_ok()
}

/// Orders chunks by the best hit of their document, then by ordinal.
fn ordered(hits: &[Hit], rows: &[ChunkRow], chunks: Vec<SelectedChunk>) -> Vec<SelectedChunk> {
    let mut best: HashMap<Uuid, (usize, usize)> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        interrupt::poll_periodically(i);
        let place = best.entry(hit.document).or_insert((hit.score_rank, i));
        *place = (*place).min((hit.score_rank, i));
    }
    let place = |pick: &SelectedChunk| {
        let ordinal = rows[pick.row].ordinal;
        // A chunk without an ordinal comes behind those that have one.
        (best[&hits[pick.hit].document], Reverse(ordinal.is_some()), ordinal, pick.hit)
    };
    budget::sorted(chunks, place)
}
