/*!
From rows to claims: whose context a chunk is.

A chunk that several hits want goes to the best of them: the one with the best score, of equal ones
the nearest. Only a hit whose container it is a part of goes before all others, for a container that
lacks a part is worth little.
*/

use super::merge::merged;
use super::probe::RowRequest;
use super::{ChunkRow, Hit, LazyColumns, Plan, Role, Rule, SelectedChunk, Shape};
use crate::{interrupt, section};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;
use uuid::Uuid;

/// The rows of a plan, those of each probe in the order of their document.
pub(super) struct ProbeRows<'a> {
    pub(super) rows: &'a [ChunkRow],
    of_probe: Vec<Vec<usize>>,
}

/// What the hits of a call claim.
pub(super) struct Claims {
    /// For each chunk that is no hit, its best claim.
    pub(super) chunks: Vec<SelectedChunk>,
    /// For each group of the plan, what it claims, ascending by ordinal.
    pub(super) scopes: Vec<Vec<usize>>,
    /// For each hit, the section that it was merged into, by a number.
    pub(super) merged: HashMap<usize, usize>,
}

impl<'a> ProbeRows<'a> {
    pub(super) fn new(plan: &Plan, rows: &'a [ChunkRow]) -> Self {
        let mut of_probe: Vec<Vec<usize>> = vec![Vec::new(); plan.probes.len()];
        for (row, chunk) in rows.iter().enumerate() {
            interrupt::poll_periodically(row);
            if let (Some(probe), Some(_)) = (chunk.probe, chunk.ordinal) {
                of_probe[probe].push(row);
            }
        }
        for of_probe in &mut of_probe {
            // Most rows come in order.
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

    /// Returns the rows of a probe with some ordinals.
    pub(super) fn between(&self, probe: usize, ordinals: RangeInclusive<i32>) -> &[usize] {
        let rows = self.all(probe);
        let start = rows.partition_point(|row| self.rows[*row].ordinal < Some(*ordinals.start()));
        let end = rows.partition_point(|row| self.rows[*row].ordinal <= Some(*ordinals.end()));
        &rows[start..end.max(start)]
    }

    fn ordinal(&self, row: usize) -> i32 {
        self.rows[row].ordinal.unwrap_or_default()
    }

    /// Returns what a hit's whole is made of: what lies between its ends, and what follows on
    /// either side.
    fn whole(&self, want: &RowRequest, (first, last): (i32, i32)) -> impl Iterator<Item = usize> {
        let inside = |row: &&usize| self.rows[**row].depth_below.is_some();
        let before = self.between(want.probe, want.first..=first.saturating_sub(1));
        let between = self.between(want.probe, first..=last);
        let after = self.between(want.probe, last.saturating_add(1)..=want.last);
        let sides = (before.iter().rev().take_while(inside), after.iter().take_while(inside));
        sides.0.chain(between.iter().filter(inside)).chain(sides.1).copied()
    }
}

/// Lets the hits claim the rows that a plan read for them; groups that failed claim nothing whole.
pub(super) fn claims(
    hits: &[Hit],
    plan: &Plan,
    found: &ProbeRows,
    columns: &impl LazyColumns,
    failed: &[bool],
) -> Claims {
    let mut places = HashMap::with_capacity(found.rows.len());
    places.extend(hits.iter().map(|hit| (hit.chunk, None)));
    let mut bids = Bids { hits, plan, found, places, best: Vec::new(), columns, count: 0 };
    let mut scopes = vec![Vec::new(); plan.groups.len()];
    for (place, want) in plan.requests.iter().enumerate() {
        interrupt::poll_periodically(place);
        let hit = &hits[want.hit];
        let unwanted = want.group.is_some_and(|group| failed[group])
            || want.in_place_of.is_some_and(|group| !failed[group]);
        let (Some(ordinal), false) = (hit.ordinal, unwanted) else { continue };
        match (want.rule, want.group) {
            (Rule::Imports | Rule::Merge, _) => {}
            (_, Some(group)) if plan.probes[want.probe].shape == Shape::Inside => {
                let reach = hit.strategy.reach();
                let core = plan.groups[group].core(want.hit, ordinal, reach);
                for row in found.whole(want, core) {
                    bids.bid(want.hit, row, (want.rule, want.rule.role()));
                    scopes[group].push(row);
                }
            }
            (_, group) => {
                bids.of(want);
                if let Some(group) = group {
                    let end = found.between(want.probe, want.first..=want.last);
                    scopes[group].extend_from_slice(end);
                }
            }
        }
    }
    for whole in &mut scopes {
        whole.sort_by_key(|row| found.rows[*row].ordinal);
        whole.dedup_by_key(|row| found.rows[*row].chunk);
    }
    let merging = merged(hits, plan, found, columns);
    for (hit, row, rule) in merging.claims {
        bids.bid(hit, row, (rule, rule.role()));
    }
    let chunks = bids.best.into_iter().map(|(_, pick)| pick).collect();
    Claims { chunks, scopes, merged: merging.of_hit }
}

/// What makes a claim better than another: that it is one of a container, and of the unit in it that
/// was hit; then class, distance, role and place of its hit.
type Worth = (bool, bool, usize, u32, Role, usize);

/// The best claim of each chunk.
struct Bids<'a, D> {
    hits: &'a [Hit<'a>],
    plan: &'a Plan,
    found: &'a ProbeRows<'a>,
    /// Where the claim of a chunk stands; a hit has none.
    places: HashMap<Uuid, Option<usize>>,
    /// In the order in which the chunks were first claimed, which is nearly that of the document.
    best: Vec<(Worth, SelectedChunk)>,
    columns: &'a D,
    count: usize,
}

impl<D: LazyColumns> Bids<'_, D> {
    /// Claims what a hit wants of a probe.
    fn of(&mut self, want: &RowRequest) {
        let hit = &self.hits[want.hit];
        let titles = hit.section.as_ref().map_or(&[][..], |section| &section[..want.titles]);
        let wanted = self.found.between(want.probe, want.first..=want.last);
        let wanted = wanted
            .iter()
            .copied()
            .filter(|row| titles.is_empty() || is_below(self.columns, *row, titles));
        let nearest = match want.rule {
            Rule::Parents => nearest_ancestor(hit, wanted.clone(), self.found.rows, self.columns),
            _ => None,
        };
        let roles: Vec<_> = wanted
            .map(|row| match nearest {
                Some(nearest) if nearest != row => (row, Role::Ancestor),
                _ => (row, want.rule.role()),
            })
            .collect();
        for (row, role) in roles {
            self.bid(want.hit, row, (want.rule, role));
        }
    }

    fn bid(&mut self, place: usize, row: usize, (rule, as_role): (Rule, Role)) {
        self.count += 1;
        interrupt::poll_periodically(self.count);
        let hit = &self.hits[place];
        let distance = hit.ordinal.map_or(0, |own| self.found.ordinal(row).saturating_sub(own));
        let is_part = rule == Rule::Container;
        // Where nobody else is, nobody else can want it.
        let is_own =
            is_part && self.hits.len() > 1 && is_own(self.plan, place, hit, row, self.columns);
        let worth = (!is_part, !is_own, hit.score_rank, distance.unsigned_abs(), as_role, place);
        let pick = SelectedChunk { row, hit: place, role: as_role, rule, distance };
        match self.places.entry(self.found.rows[row].chunk) {
            Entry::Vacant(entry) => {
                entry.insert(Some(self.best.len()));
                self.best.push((worth, pick));
            }
            Entry::Occupied(entry) => {
                if let Some(place) = *entry.get()
                    && worth < self.best[place].0
                {
                    self.best[place] = (worth, pick);
                }
            }
        }
    }
}

/// Tells whether a row is of the unit that was hit in a container.
pub(super) fn is_own(
    plan: &Plan,
    place: usize,
    hit: &Hit,
    row: usize,
    columns: &impl LazyColumns,
) -> bool {
    let (Some(container), Some(section)) = (plan.container(place), &hit.section) else {
        return false;
    };
    *section != container.section && is_below(columns, row, section)
}

/// Tells whether a row is in a section or below it.
fn is_below(columns: &impl LazyColumns, row: usize, section: &[String]) -> bool {
    columns.section(row).is_some_and(|titles| titles.starts_with(section))
}

/// Of the chunks that stand for the sections above a hit, the one for the nearest section.
fn nearest_ancestor(
    hit: &Hit,
    mut wanted: impl Iterator<Item = usize>,
    rows: &[ChunkRow],
    columns: &impl LazyColumns,
) -> Option<usize> {
    let first = wanted.next()?;
    let section = hit.section.as_deref().unwrap_or_default();
    let above = section.len().saturating_sub(1);
    let depth = |row: usize| {
        let titles = columns.section(row).unwrap_or_default();
        section::common_prefix(&titles, section).len().min(above)
    };
    // Most hits have one such chunk, whose titles then need not be looked at.
    let Some(second) = wanted.next() else { return Some(first) };
    [first, second].into_iter().chain(wanted).max_by_key(|row| (depth(*row), rows[*row].ordinal))
}
