/*!
Selecting context: from rows to chunks with their roles.

The hits claim rows, and the budget is spent on the claims. Data that must be complete is then parsed. If it
was cut or does not parse, its hits get a narrower record or fall back, and the selection runs again.

Its twin in SQL is `sql/edition/expand.sql`.
*/

use super::budget::Budget;
use super::claim::{Claims, claims};
use super::closings::with_closings;
use super::imports::add_imports;
use super::open_containers::open_containers;
use super::outer_closings::outer_closings;
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::records::Records;
use super::selection::{BudgetDecision, SelectedChunk, Selection, Verdict, sorted};
use super::spend::spend;
use super::{ChunkRow, Hit, LazyColumns, Rule};
use crate::assemble::{Part, Separator, assemble};
use crate::strategy::Scope;
use passage_split::{DataFormat, interrupt};
use std::cmp::Reverse;
use std::collections::HashMap;
use uuid::Uuid;

/// Selects context among the rows that a plan read.
///
/// The rows include the hits, read by id with `probe` as `None`. A hit without such a row is not in the
/// result. With `explain`, [`Selection::considered`] lists every decision. If imports were planned, those that
/// the context uses come last.
///
/// ```
/// use passage_core::Strategy;
/// use passage_core::expand::{Budget, ChunkRow, Hit, LazyColumns, plan, select_context};
/// use passage_split::section::Section;
/// use uuid::Uuid;
///
/// struct NoColumns;
/// impl LazyColumns for NoColumns {
///     fn section(&self, _: usize) -> Option<Section> { None }
///     fn unit(&self, _: usize) -> Option<passage_split::Unit> { None }
///     fn level(&self, _: usize) -> Option<i32> { None }
///     fn content(&self, _: usize) -> String { String::new() }
///     fn span(&self, _: usize) -> Option<std::ops::Range<i32>> { None }
///     fn imports(&self, _: usize) -> Vec<String> { Vec::new() }
/// }
///
/// let strategy = Strategy::preset("adjacent").unwrap();
/// let (document, ids) = (Uuid::from_u128(1), [2, 3].map(Uuid::from_u128));
/// let hit = Hit {
///     chunk: ids[0], document, ordinal: Some(0), section: None, kind: None, unit: None,
///     containers: vec![], format: None, score_rank: 0, strategy: &strategy,
/// };
/// let plan = plan(std::slice::from_ref(&hit), false);
/// // The caller reads the hits and the probes; here the next chunk answers the only probe.
/// let row = |probe, chunk, ordinal| ChunkRow {
///     probe, chunk, ordinal: Some(ordinal), tokens: 10, depth_below: None,
/// };
/// let rows = [row(None, ids[0], 0), row(Some(0), ids[1], 1)];
/// let selection = select_context(&[hit], &plan, &rows, &NoColumns, Budget::default(), false);
/// assert_eq!(selection.chunks[1].role.name(), "adjacent");
/// ```
pub fn select_context(
    hits: &[Hit],
    plan: &Plan,
    rows: &[ChunkRow],
    columns: &impl LazyColumns,
    budget: Budget,
    explain: bool,
) -> Selection {
    let probe_rows = ProbeRows::new(plan, rows);
    let hits = &with_closings(hits, plan, &probe_rows, columns);
    let mut failed = vec![false; plan.groups.len()];
    // Context that the budget cut before a fallback still counts as cut.
    let mut cut_before = vec![false; hits.len()];
    // The context of hits that were cut, also what a fallback replaced: the hit and the tokens of each chunk.
    let mut wanted: HashMap<Uuid, (usize, u32)> = HashMap::new();
    let mut records = Records::new(hits, plan, &probe_rows, columns);
    loop {
        let claims = claims(hits, plan, &probe_rows, columns, &failed, &records);
        let mut selection = initial_selection(hits, plan, &probe_rows, &claims, &failed, &records);
        let Claims { chunks, scopes, .. } = claims;
        let considered = spend(hits, plan, &probe_rows, chunks, columns, budget, explain);
        for BudgetDecision { chunk, verdict, .. } in &considered {
            let is_link = chunk.rule == Rule::Links;
            let cut = if is_link { &mut selection.cut_links } else { &mut selection.truncated };
            cut[chunk.hit] |= *verdict != Verdict::Kept;
        }
        let mut all_parse = true;
        for (index, group) in plan.groups.iter().enumerate() {
            if group.is_json && !failed[index] {
                let cut = group.hits.iter().any(|hit| selection.truncated[*hit]);
                group.hits.iter().for_each(|hit| cut_before[*hit] |= selection.truncated[*hit]);
                failed[index] = cut || !parses(&scopes[index], columns);
                all_parse &= !failed[index];
            }
        }
        let mut lost = vec![false; hits.len()];
        let is_part = |one: &&BudgetDecision| one.chunk.rule == Rule::Container;
        for considered in considered.iter().filter(is_part) {
            lost[considered.chunk.hit] |= considered.verdict != Verdict::Kept;
        }
        all_parse &= !records.narrow(hits, &lost, columns);
        let is_cut = |hit: usize| selection.truncated[hit] || selection.cut_links[hit];
        let cut = considered.iter().filter(|one| is_cut(one.chunk.hit));
        wanted.extend(cut.map(|one| {
            let row = &rows[one.chunk.row];
            (row.chunk, (one.chunk.hit, row.tokens))
        }));
        if all_parse {
            let kept = considered.iter().filter(|one| one.verdict == Verdict::Kept);
            selection.chunks = kept.map(|one| one.chunk).collect();
            selection
                .truncated
                .iter_mut()
                .zip(&cut_before)
                .for_each(|(cut, before)| *cut |= before);
            for (hit, cut) in selection.truncated.iter_mut().enumerate() {
                *cut |= records.is_cut(hit);
            }
            selection.cut_tokens = cut_tokens(hits, rows, &selection.chunks, wanted);
            add_imports(hits, plan, &probe_rows, columns, budget, &mut selection);
            selection.chunks = ordered(hits, rows, selection.chunks);
            let is_own = |selected: &SelectedChunk| selected.rule != Rule::Links;
            let own = &selection.chunks[..selection.chunks.partition_point(is_own)];
            selection.outer_closings = outer_closings(hits, plan, columns, own);
            selection.closing_lines = open_containers(hits, plan, &probe_rows, columns, own);
            selection.considered = if explain { considered } else { Vec::new() };
            return selection;
        }
    }
}

/// Returns for each hit the tokens of the context that it wanted and that is not selected.
fn cut_tokens(
    hits: &[Hit],
    rows: &[ChunkRow],
    selected: &[SelectedChunk],
    mut wanted: HashMap<Uuid, (usize, u32)>,
) -> Vec<u64> {
    let mut tokens = vec![0; hits.len()];
    if wanted.is_empty() {
        return tokens;
    }
    for (index, chunk) in selected.iter().enumerate() {
        interrupt::poll_periodically(index);
        wanted.remove(&rows[chunk.row].chunk);
    }
    for (hit, own) in wanted.into_values() {
        tokens[hit] += u64::from(own);
    }
    tokens
}

/// Returns the properties of each hit before the budget is spent.
fn initial_selection(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    claims: &Claims,
    failed: &[bool],
    records: &Records,
) -> Selection {
    let mut selection = Selection {
        truncated: vec![false; hits.len()],
        cut_links: vec![false; hits.len()],
        scopes: vec![None; hits.len()],
        fell_back: hits.iter().map(|hit| hit.strategy.scope == Scope::Container).collect(),
        broken: vec![false; hits.len()],
        scope_chunks: claims
            .scopes
            .iter()
            .map(|rows| rows.iter().map(|row| probe_rows.rows[*row].chunk).collect())
            .collect(),
        ..Selection::default()
    };
    for (index, group) in plan.groups.iter().enumerate().filter(|(index, _)| !failed[*index]) {
        let broken = is_broken(plan, index, probe_rows, &claims.scopes[index]);
        for hit in &group.hits {
            let ends = group.ends(*hit);
            let behind_head = ends.is_none_or(|(first, _)| Some(first) <= hits[*hit].ordinal);
            selection.scopes[*hit] = Some(index);
            selection.fell_back[*hit] = false;
            selection.broken[*hit] = broken || !behind_head;
        }
    }
    for scope in records.scopes(hits) {
        let number = selection.scope_chunks.len();
        for hit in scope.hits {
            selection.scopes[hit] = Some(number);
            selection.fell_back[hit] = false;
            selection.broken[hit] = !scope.is_whole;
        }
        let chunks = scope.rows.iter().map(|row| probe_rows.rows[*row].chunk);
        selection.scope_chunks.push(chunks.collect());
    }
    for (hit, number) in &claims.merged {
        selection.scopes[*hit] = Some(selection.scope_chunks.len() + number);
    }
    selection
}

/// Returns whether a scope has a missing chunk at either side, or continues there.
fn is_broken(plan: &Plan, group: usize, probe_rows: &ProbeRows, whole: &[usize]) -> bool {
    let ordinal = |row: &usize| probe_rows.rows[*row].ordinal;
    let (Some(first), Some(last)) =
        (whole.first().and_then(ordinal), whole.last().and_then(ordinal))
    else {
        return true;
    };
    let is_next = |row: &usize, expected: Option<i32>| {
        ordinal(row) == expected && probe_rows.rows[*row].depth_below.is_none()
    };
    let rows = || plan.groups[group].probes.iter().flat_map(|probe| probe_rows.all(*probe));
    let before = rows().filter(|row| ordinal(row) < Some(first)).max_by_key(|row| ordinal(row));
    let after = rows().filter(|row| ordinal(row) > Some(last)).min_by_key(|row| ordinal(row));
    before.is_some_and(|row| !is_next(row, first.checked_sub(1)))
        || after.is_some_and(|row| !is_next(row, last.checked_add(1)))
}

/// Returns whether the entries in rows of JSON parse.
fn parses(rows: &[usize], columns: &impl LazyColumns) -> bool {
    let part = |row: &usize| {
        interrupt::poll();
        let content = columns.content(*row).into();
        Part { content, span: columns.span(*row) }
    };
    let parts: Vec<_> = rows.iter().map(part).collect();
    DataFormat::Json.excerpt_parses(&assemble(&parts, Separator::Text("")).text)
}

/// Orders chunks by the best hit of their document, then by ordinal; those of linked sections by hit and distance, last.
fn ordered(hits: &[Hit], rows: &[ChunkRow], chunks: Vec<SelectedChunk>) -> Vec<SelectedChunk> {
    let mut best: HashMap<Uuid, (usize, usize)> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        interrupt::poll_periodically(i);
        let best_rank = best.entry(hit.document).or_insert((hit.score_rank, i));
        *best_rank = (*best_rank).min((hit.score_rank, i));
    }
    let sort_key = |selected: &SelectedChunk| {
        if selected.rule == Rule::Links {
            let place = (selected.hit, 0);
            return (true, place, Reverse(true), Some(selected.distance), selected.hit);
        }
        let ordinal = rows[selected.row].ordinal;
        // Chunks without an ordinal come last.
        let document = best[&hits[selected.hit].document];
        (false, document, Reverse(ordinal.is_some()), ordinal, selected.hit)
    };
    sorted(chunks, sort_key)
}
