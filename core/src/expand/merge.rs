/*!
Auto-merging: a section gives way for its parts when enough of them was hit.

The parts of a section are the chunks exactly in it and the sections directly below it. It is merged
when the share of those that were hit, or merged themselves, exceeds a threshold; this is tried from
the deepest sections to the root, once. Then single chunks between two that come are filled in.

A section that is not read to its ends, since it is larger than `max_chunks` allows, is not merged.

# Source

The rule, its threshold of a half and the gaps are those of `LlamaIndex`'s auto-merging retriever.
*/

mod tree;

use super::claim::ProbeRows;
use super::{Hit, LazyColumns, Plan, Rule};
use crate::{interrupt, strategy::CountBy};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tree::Tree;
use uuid::Uuid;

/// What merging gives to hits.
#[derive(Default)]
pub(super) struct MergedSections {
    /// Each row that comes, with the hit that it is worth most to.
    pub(super) claims: Vec<(usize, usize, Rule)>,
    /// For a hit that was merged, the section by a number.
    pub(super) of_hit: HashMap<usize, usize>,
}

/// Merges the sections of all documents.
pub(super) fn merged(
    hits: &[Hit],
    plan: &Plan,
    found: &ProbeRows,
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
        document.merge(hits, found, columns, &mut merging);
    }
    merging
}

/// The hits of a document and what was read around them.
#[derive(Default)]
struct Document {
    hits: Vec<usize>,
    windows: Vec<(i32, i32)>,
    probes: BTreeSet<usize>,
}

impl Document {
    /// Claims what is merged, and then what stands alone between two chunks that come.
    fn merge(
        &self,
        hits: &[Hit],
        found: &ProbeRows,
        columns: &impl LazyColumns,
        merging: &mut MergedSections,
    ) {
        let Some(strategy) = self.hits.first().map(|hit| hits[*hit].strategy) else { return };
        let mut tree = Tree::default();
        let node_of: HashMap<usize, usize> = self
            .hits
            .iter()
            .map(|hit| {
                interrupt::poll();
                (*hit, tree.grow(hits[*hit].section.as_deref().unwrap_or_default()))
            })
            .collect();
        let is_hit: HashSet<Uuid> = self.hits.iter().map(|hit| hits[*hit].chunk).collect();
        let windows = joined(&self.windows);
        let by_tokens = strategy.count_by == CountBy::Tokens;
        // By ordinal, each row with the nearest section of the tree that it is in.
        let mut rows: BTreeMap<i32, (usize, Option<usize>)> = BTreeMap::new();
        for row in self.probes.iter().flat_map(|probe| found.all(*probe)) {
            interrupt::poll();
            let chunk = &found.rows[*row];
            let ordinal = chunk.ordinal.unwrap_or_default();
            if rows.contains_key(&ordinal) || !reads(&windows, ordinal) {
                continue;
            }
            let is_open = !reads(&windows, ordinal.saturating_sub(1))
                || !reads(&windows, ordinal.saturating_add(1));
            let node = columns.section(*row).map(|titles| {
                let tokens = u64::from(chunk.tokens);
                let weight = if by_tokens { tokens } else { 1 };
                let hit = if is_hit.contains(&chunk.chunk) { weight } else { 0 };
                tree.add(&titles, is_open, tokens, weight, hit)
            });
            rows.insert(ordinal, (*row, node));
        }
        let outermost = tree.merged(strategy.threshold, by_tokens);

        // Who takes the rows of each merged section, and who comes at each ordinal.
        let mut takers: HashMap<usize, Takers> = HashMap::new();
        let mut comes: BTreeMap<i32, Takers> = BTreeMap::new();
        let first = merging.of_hit.len();
        for hit in &self.hits {
            interrupt::poll();
            if let Some(section) = outermost[node_of[hit]] {
                merging.of_hit.insert(*hit, first + section);
                takers.entry(section).or_default().add(*hit, hits);
            } else {
                let ordinal = hits[*hit].ordinal.unwrap_or_default();
                comes.entry(ordinal).or_default().add(*hit, hits);
            }
        }
        for (i, (ordinal, (row, node))) in rows.iter().enumerate() {
            interrupt::poll_periodically(i);
            if let Some(takers) = node.and_then(|node| takers.get(&outermost[node]?)) {
                merging.claims.push((takers.nearest(*ordinal), *row, Rule::Merge));
            }
        }
        let at = |ordinal: i32| {
            let merged = rows.get(&ordinal).and_then(|(_, node)| takers.get(&outermost[(*node)?]?));
            merged.or_else(|| comes.get(&ordinal))
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

/// The hits that may take a chunk and are worth most: those of the best class.
#[derive(Default)]
struct Takers {
    score_rank: usize,
    /// By ordinal, then place.
    best: BTreeMap<i32, usize>,
}

impl Takers {
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

    /// Returns the nearest to an ordinal, of two that are equally near the better.
    fn nearest(&self, ordinal: i32) -> usize {
        let before = self.best.range(..=ordinal).next_back();
        let after = self.best.range(ordinal..).next();
        let both = before.into_iter().chain(after);
        let nearest = both.min_by_key(|(at, hit)| (at.abs_diff(ordinal), **hit));
        *nearest.expect("whoever takes has a hit").1
    }
}

/// Tells whether an ordinal was read.
fn reads(windows: &[(i32, i32)], ordinal: i32) -> bool {
    let at = windows.partition_point(|(_, last)| *last < ordinal);
    windows.get(at).is_some_and(|(first, _)| *first <= ordinal)
}

/// Windows as disjoint ranges, ascending.
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
