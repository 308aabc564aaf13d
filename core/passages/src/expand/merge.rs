/*!
Auto-merging: a section replaces its parts if hits cover enough of it.

The parts of a section are its own chunks and its direct subsections. A section is merged when the share of
its parts that were hit or merged exceeds a threshold. This runs once, from the deepest sections to the
root. Then single chunks between two selected chunks are added.

A section larger than `max_chunks` is not read to its ends and therefore not merged.

# Source

The rule, its threshold of one half and the gap filling are those of `LlamaIndex`'s auto-merging retriever.

Its twin in SQL is `sql/edition/merge.sql`.
*/

use super::probe_rows::ProbeRows;
use super::section_tree::SectionTree;
use super::{Hit, LazyColumns, Plan, Rule};
use crate::strategy::CountBy;
use passage_split::interrupt;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// The result of merging.
#[derive(Default)]
pub(super) struct MergedSections {
    /// Each claimed row with the hit that claims it, as (hit, row, rule).
    pub(super) claims: Vec<(usize, usize, Rule)>,
    /// The number of the merged section of each merged hit.
    pub(super) of_hit: HashMap<usize, usize>,
}

/// Merges the sections of all documents.
pub(super) fn merged(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
) -> MergedSections {
    let mut documents: BTreeMap<Uuid, Document> = BTreeMap::new();
    for want in plan.requests.iter().filter(|want| want.rule == Rule::Merge) {
        interrupt::poll();
        let document = documents.entry(hits[want.hit].document).or_default();
        document.hits.push(want.hit);
        document.windows.push((want.first, want.last));
        document.probes.insert(want.probe);
    }
    let mut merging = MergedSections::default();
    for document in documents.values() {
        document.merge(hits, probe_rows, columns, &mut merging);
    }
    merging
}

/// The hits of a document, and the windows and probes around them.
#[derive(Default)]
struct Document {
    hits: Vec<usize>,
    windows: Vec<(i32, i32)>,
    probes: BTreeSet<usize>,
}

impl Document {
    /// Claims the rows of merged sections, then single rows between two selected ones.
    fn merge(
        &self,
        hits: &[Hit],
        probe_rows: &ProbeRows,
        columns: &impl LazyColumns,
        merging: &mut MergedSections,
    ) {
        let Some(strategy) = self.hits.first().map(|hit| hits[*hit].strategy) else { return };
        let mut tree = SectionTree::default();
        let node_of: HashMap<usize, usize> = self
            .hits
            .iter()
            .map(|hit| {
                interrupt::poll();
                (*hit, tree.insert(hits[*hit].section.as_deref().unwrap_or_default()))
            })
            .collect();
        let is_hit: HashSet<Uuid> = self.hits.iter().map(|hit| hits[*hit].chunk).collect();
        let windows = joined(&self.windows);
        let by_tokens = strategy.count_by == CountBy::Tokens;
        // By ordinal: the row, and the nearest section of the tree that contains it.
        let mut rows: BTreeMap<i32, (usize, Option<usize>)> = BTreeMap::new();
        for row in self.probes.iter().flat_map(|probe| probe_rows.all(*probe)) {
            interrupt::poll();
            let chunk = &probe_rows.rows[*row];
            let ordinal = chunk.ordinal.unwrap_or_default();
            if rows.contains_key(&ordinal) || !contains(&windows, ordinal) {
                continue;
            }
            let is_open = !contains(&windows, ordinal.saturating_sub(1))
                || !contains(&windows, ordinal.saturating_add(1));
            let node = columns.section(*row).map(|titles| {
                let tokens = u64::from(chunk.tokens);
                let weight = if by_tokens { tokens } else { 1 };
                let hit = if is_hit.contains(&chunk.chunk) { weight } else { 0 };
                tree.add(&titles, is_open, tokens, weight, hit)
            });
            rows.insert(ordinal, (*row, node));
        }
        let outermost = tree.merged(strategy.threshold, by_tokens);

        // The claimants of each merged section, and those at the ordinal of each unmerged hit.
        let mut claimants: HashMap<usize, Claimants> = HashMap::new();
        let mut unmerged: BTreeMap<i32, Claimants> = BTreeMap::new();
        let first = merging.of_hit.len();
        for hit in &self.hits {
            interrupt::poll();
            if let Some(section) = outermost[node_of[hit]] {
                merging.of_hit.insert(*hit, first + section);
                claimants.entry(section).or_default().add(*hit, hits);
            } else {
                let ordinal = hits[*hit].ordinal.unwrap_or_default();
                unmerged.entry(ordinal).or_default().add(*hit, hits);
            }
        }
        for (i, (ordinal, (row, node))) in rows.iter().enumerate() {
            interrupt::poll_periodically(i);
            if let Some(claimants) = node.and_then(|node| claimants.get(&outermost[node]?)) {
                merging.claims.push((claimants.nearest(*ordinal), *row, Rule::Merge));
            }
        }
        let at = |ordinal: i32| {
            let merged =
                rows.get(&ordinal).and_then(|(_, node)| claimants.get(&outermost[(*node)?]?));
            merged.or_else(|| unmerged.get(&ordinal))
        };
        for (i, (ordinal, (row, _))) in rows.iter().enumerate() {
            interrupt::poll_periodically(i);
            let sides = (at(ordinal.saturating_sub(1)), at(ordinal.saturating_add(1)));
            if let (None, (Some(before), Some(after))) = (at(*ordinal), sides) {
                let neighbours = [before.nearest(*ordinal), after.nearest(*ordinal)];
                merging.claims.extend(neighbours.map(|hit| (hit, *row, Rule::Gap)));
            }
        }
    }
}

/// The hits that may claim a row: those of the best score rank.
#[derive(Default)]
struct Claimants {
    score_rank: usize,
    /// The hits by ordinal; of equal ordinals the first.
    best: BTreeMap<i32, usize>,
}

impl Claimants {
    fn add(&mut self, hit: usize, hits: &[Hit]) {
        let score_rank = hits[hit].score_rank;
        if score_rank < self.score_rank {
            self.best.clear();
        }
        if self.best.is_empty() {
            self.score_rank = score_rank;
        }
        if score_rank == self.score_rank {
            self.best.entry(hits[hit].ordinal.unwrap_or_default()).or_insert(hit);
        }
    }

    /// Returns the hit nearest to an ordinal; of two equally near ones the better.
    fn nearest(&self, ordinal: i32) -> usize {
        let before = self.best.range(..=ordinal).next_back();
        let after = self.best.range(ordinal..).next();
        let both = before.into_iter().chain(after);
        let nearest = both.min_by_key(|(at, hit)| (at.abs_diff(ordinal), **hit));
        *nearest.expect("claimants have at least one hit").1
    }
}

/// Returns whether one of the windows contains an ordinal.
fn contains(windows: &[(i32, i32)], ordinal: i32) -> bool {
    let at = windows.partition_point(|(_, last)| *last < ordinal);
    windows.get(at).is_some_and(|(first, _)| *first <= ordinal)
}

/// Returns windows as disjoint ranges in ascending order.
fn joined(windows: &[(i32, i32)]) -> Vec<(i32, i32)> {
    let mut windows = windows.to_vec();
    windows.sort_unstable();
    windows.dedup_by(|next, before| {
        let joins = next.0 <= before.1.saturating_add(1);
        before.1 = if joins { before.1.max(next.1) } else { before.1 };
        joins
    });
    windows
}
