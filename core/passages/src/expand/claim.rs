/*!
Claims: which hit a chunk is context of.

If several hits claim a chunk, the hit with the best score gets it; of equal scores the nearest. A hit whose
container includes the chunk has priority over all others, because an incomplete container is worth little.

Its twin in SQL is `sql/edition/read_claims.sql`.
*/

use super::merge::merged;
use super::probe::{Plan, ReplacedScope, RowRequest, Shape};
use super::probe_rows::ProbeRows;
use super::records::Records;
use super::selection::SelectedChunk;
use super::{ChunkRow, Hit, LazyColumns, Role, Rule};
use passage_split::{interrupt, section};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use uuid::Uuid;

/// The claims of all hits.
pub(super) struct Claims {
    /// The best claim of each chunk that is not a hit.
    pub(super) chunks: Vec<SelectedChunk>,
    /// The rows that each scope group claims, by ascending ordinal.
    pub(super) scopes: Vec<Vec<usize>>,
    /// The number of the section into which a hit was merged.
    pub(super) merged: HashMap<usize, usize>,
}

/// Assigns the rows of a plan to the hits. Failed scope groups claim nothing.
pub(super) fn claims(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    failed: &[bool],
    records: &Records,
) -> Claims {
    let mut positions = HashMap::with_capacity(probe_rows.rows.len());
    positions.extend(hits.iter().map(|hit| (hit.chunk, None)));
    let mut table =
        ClaimTable { hits, plan, probe_rows, positions, best: Vec::new(), columns, count: 0 };
    let mut scopes = vec![Vec::new(); plan.groups.len()];
    for (index, request) in plan.requests.iter().enumerate() {
        interrupt::poll_periodically(index);
        let hit = &hits[request.hit];
        let skipped = request.group.is_some_and(|group| failed[group])
            || request.is_record()
            || match request.in_place_of {
                Some(ReplacedScope::Group(group)) => !failed[group],
                Some(ReplacedScope::Record) => !records.fell_back(request.hit),
                None => false,
            };
        let (Some(ordinal), false) = (hit.ordinal, skipped) else { continue };
        match (request.rule, request.group) {
            (Rule::Imports | Rule::Merge | Rule::Links, _) => {}
            (_, Some(group)) if plan.probes[request.probe].shape == Shape::Inside => {
                let reach = hit.strategy.reach();
                let core = plan.groups[group].core(request.hit, ordinal, reach);
                for row in probe_rows.scope_rows(request, core) {
                    table.claim(request.hit, row, (request.rule, request.rule.role()));
                    scopes[group].push(row);
                }
            }
            (_, group) => {
                table.claim_request(request);
                if let Some(group) = group {
                    let end = probe_rows.between(request.probe, request.first..=request.last);
                    scopes[group].extend_from_slice(end);
                }
            }
        }
    }
    for whole in &mut scopes {
        whole.sort_by_key(|row| probe_rows.rows[*row].ordinal);
        whole.dedup_by_key(|row| probe_rows.rows[*row].chunk);
    }
    for scope in records.scopes(hits) {
        for (hit, row) in
            scope.hits.iter().flat_map(|hit| scope.rows.iter().map(|row| (*hit, *row)))
        {
            table.claim(hit, row, (Rule::Container, Rule::Container.role()));
        }
    }
    let merging = merged(hits, plan, probe_rows, columns);
    for (hit, row, rule) in merging.claims {
        table.claim(hit, row, (rule, rule.role()));
    }
    if plan.has_links {
        table.claim_links();
    }
    let chunks = table.best.into_iter().map(|(_, selected)| selected).collect();
    Claims { chunks, scopes, merged: merging.of_hit }
}

/// The order of claims, the best being the least: part of the hit's container, part of its own unit, score
/// rank, distance, role and position of the hit.
type Priority = (bool, bool, usize, u32, Role, usize);

/// The best claim of each chunk so far.
struct ClaimTable<'a, D> {
    hits: &'a [Hit<'a>],
    plan: &'a Plan,
    probe_rows: &'a ProbeRows<'a>,
    /// The position of each chunk's claim in `best`; `None` for hits.
    positions: HashMap<Uuid, Option<usize>>,
    /// In the order of the first claims, which is nearly document order.
    best: Vec<(Priority, SelectedChunk)>,
    columns: &'a D,
    count: usize,
}

impl<D: LazyColumns> ClaimTable<'_, D> {
    /// Claims the requested rows of a probe.
    fn claim_request(&mut self, request: &RowRequest) {
        let hit = &self.hits[request.hit];
        let titles = hit.section.as_ref().map_or(&[][..], |section| &section[..request.titles]);
        let requested = self.probe_rows.between(request.probe, request.first..=request.last);
        let requested = requested
            .iter()
            .copied()
            .filter(|row| titles.is_empty() || is_below(self.columns, *row, titles));
        let nearest = match request.rule {
            Rule::Parents => {
                nearest_ancestor(hit, requested.clone(), self.probe_rows.rows, self.columns)
            }
            _ => None,
        };
        let roles: Vec<_> = requested
            .map(|row| match nearest {
                Some(nearest) if nearest != row => (row, Role::Ancestor),
                _ => (row, request.rule.role()),
            })
            .collect();
        for (row, role) in roles {
            self.claim(request.hit, row, (request.rule, role));
        }
    }

    fn claim(&mut self, hit_index: usize, row: usize, (rule, as_role): (Rule, Role)) {
        self.count += 1;
        interrupt::poll_periodically(self.count);
        let hit = &self.hits[hit_index];
        let distance =
            hit.ordinal.map_or(0, |own| self.probe_rows.ordinal(row).saturating_sub(own));
        let is_part = rule == Rule::Container;
        // A single hit has no competitor.
        let is_own =
            is_part && self.hits.len() > 1 && is_own(self.plan, hit_index, hit, row, self.columns);
        let priority =
            (!is_part, !is_own, hit.score_rank, distance.unsigned_abs(), as_role, hit_index);
        self.enter(priority, SelectedChunk { row, hit: hit_index, role: as_role, rule, distance });
    }

    /// Claims the chunks of linked sections, after all other claims. Those of a hit are numbered from 1, which is their distance.
    fn claim_links(&mut self) {
        let mut counts = vec![0; self.hits.len()];
        let plan = self.plan;
        for request in plan.requests.iter().filter(|request| request.rule == Rule::Links) {
            for row in self.probe_rows.all(request.probe) {
                counts[request.hit] += 1;
                self.claim_linked(request.hit, *row, counts[request.hit]);
            }
        }
    }

    /// Claims a chunk of a linked section, unless it is context for another reason.
    fn claim_linked(&mut self, hit: usize, row: usize, distance: i32) {
        self.count += 1;
        interrupt::poll_periodically(self.count);
        let known = self.positions.get(&self.probe_rows.rows[row].chunk);
        let is_free = known.is_none_or(|position| {
            position.is_some_and(|position| self.best[position].1.rule == Rule::Links)
        });
        if is_free {
            let score_rank = self.hits[hit].score_rank;
            let priority = (true, true, score_rank, distance.unsigned_abs(), Role::Linked, hit);
            let rule = Rule::Links;
            self.enter(priority, SelectedChunk { row, hit, role: Role::Linked, rule, distance });
        }
    }

    /// Enters a claim if it is the best one of its chunk.
    fn enter(&mut self, priority: Priority, selected: SelectedChunk) {
        let row = selected.row;
        match self.positions.entry(self.probe_rows.rows[row].chunk) {
            Entry::Vacant(entry) => {
                entry.insert(Some(self.best.len()));
                self.best.push((priority, selected));
            }
            Entry::Occupied(entry) => {
                if let Some(position) = *entry.get()
                    && priority < self.best[position].0
                {
                    self.best[position] = (priority, selected);
                }
            }
        }
    }
}

/// Returns whether a row belongs to the hit's own unit within its container.
pub(super) fn is_own(
    plan: &Plan,
    hit_index: usize,
    hit: &Hit,
    row: usize,
    columns: &impl LazyColumns,
) -> bool {
    let (Some(container), Some(section)) = (plan.container(hit_index), &hit.section) else {
        return false;
    };
    *section != container.section && is_below(columns, row, section)
}

/// Returns whether a row is in a section or below it.
pub(super) fn is_below(columns: &impl LazyColumns, row: usize, section: &[String]) -> bool {
    columns.section(row).is_some_and(|titles| titles.starts_with(section))
}

/// Returns the row of the nearest section above a hit, among rows of several such sections.
fn nearest_ancestor(
    hit: &Hit,
    mut requested: impl Iterator<Item = usize>,
    rows: &[ChunkRow],
    columns: &impl LazyColumns,
) -> Option<usize> {
    let first = requested.next()?;
    let section = hit.section.as_deref().unwrap_or_default();
    let above = section.len().saturating_sub(1);
    let depth = |row: usize| {
        let titles = columns.section(row).unwrap_or_default();
        section::common_prefix(&titles, section).len().min(above)
    };
    // Most hits have one such row; then its section need not be read.
    let Some(second) = requested.next() else { return Some(first) };
    [first, second].into_iter().chain(requested).max_by_key(|row| (depth(*row), rows[*row].ordinal))
}
