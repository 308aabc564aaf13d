/*!
Auto-merging: a section gives way for its parts when enough of them was hit.

The parts of a section are the chunks exactly in it and the sections directly below it. It is merged
when the share of those that were hit, or merged themselves, exceeds a threshold; this is tried from
the deepest sections to the root, once. Then single chunks between two that come are filled in.

A section that is not read to its ends, since it is larger than `max_chunks` allows, is not merged.

# Source

The rule, its threshold of a half and the gaps are those of `LlamaIndex`'s auto-merging retriever.
*/

use super::claim::Found;
use super::{Details, Hit, PAUSE, Plan, Row, Rule};
use crate::section::{Section, parent};
use crate::strategy::CountBy;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use uuid::Uuid;

/// What merging gives to hits.
#[derive(Default)]
pub(super) struct Merging {
    /// Each hit with a row that comes for it.
    pub(super) claims: Vec<(usize, usize, Rule)>,
    /// For a hit that was merged, the section by a number.
    pub(super) of_hit: HashMap<usize, usize>,
}

/// Merges the sections of all documents.
pub(super) fn merged(hits: &[Hit], plan: &Plan, found: &Found, details: &impl Details) -> Merging {
    let mut documents: BTreeMap<Uuid, Document> = BTreeMap::new();
    for want in plan.wants.iter().filter(|want| want.rule == Rule::Merge) {
        let hit = &hits[want.hit];
        let document = documents.entry(hit.document).or_default();
        document.hits.push(want.hit);
        document.windows.push((want.first, want.last));
        for (i, row) in found.between(want.probe, want.first..=want.last).iter().enumerate() {
            if i % PAUSE == 0 {
                details.pause();
            }
            let ordinal = found.rows[*row].ordinal.unwrap_or_default();
            document.rows.entry(ordinal).or_insert_with(|| {
                let titles = details.titles(*row);
                (*row, titles.map(|titles| document.sections.number(titles)))
            });
        }
    }
    let mut merging = Merging::default();
    for document in documents.values() {
        document.merge(hits, found, &mut merging);
    }
    merging
}

/// The hits of a document and what was read around them.
#[derive(Default)]
struct Document {
    hits: Vec<usize>,
    windows: Vec<(i32, i32)>,
    /// By ordinal, each row with its section by number.
    rows: BTreeMap<i32, (usize, Option<usize>)>,
    sections: Sections,
}

/// Sections, each kept once: many chunks share one.
#[derive(Default)]
struct Sections {
    numbers: HashMap<Rc<[String]>, usize>,
    all: Vec<Rc<[String]>>,
}

impl Sections {
    fn number(&mut self, section: Section) -> usize {
        if let Some(number) = self.numbers.get(&section[..]) {
            return *number;
        }
        let section: Rc<[String]> = section.into();
        self.numbers.insert(Rc::clone(&section), self.all.len());
        self.all.push(section);
        self.all.len() - 1
    }
}

/// A section above a hit.
#[derive(Default)]
struct Node<'a> {
    /// Whether it may go on where nothing was read.
    open: bool,
    /// What its chunks weigh.
    own: u64,
    /// What of its parts was hit.
    hit: u64,
    /// Tokens of all chunks in it and below.
    tokens: u64,
    /// The titles directly below it.
    below: HashSet<&'a str>,
}

impl Document {
    /// Claims what is merged, and then what stands alone between two chunks that come.
    fn merge(&self, hits: &[Hit], found: &Found, merging: &mut Merging) {
        let merged = self.merged(hits, found);
        let mut numbers: HashMap<&[String], usize> = HashMap::new();
        let first = merging.of_hit.len();
        let mut comes: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for &hit in &self.hits {
            comes.entry(hits[hit].ordinal.unwrap_or_default()).or_default().push(hit);
            let Some(outermost) = above(&hits[hit]).find(|above| merged.contains(above)) else {
                continue;
            };
            let inside: Vec<bool> =
                self.sections.all.iter().map(|section| section.starts_with(outermost)).collect();
            let next = first + numbers.len();
            merging.of_hit.insert(hit, *numbers.entry(outermost).or_insert(next));
            for (ordinal, (row, section)) in &self.rows {
                if section.is_some_and(|section| inside[section]) {
                    merging.claims.push((hit, *row, Rule::Merge));
                    comes.entry(*ordinal).or_default().push(hit);
                }
            }
        }
        for (ordinal, before) in &comes {
            let (gap, next) = (ordinal.saturating_add(1), ordinal.saturating_add(2));
            if let (None, Some((row, _)), Some(after)) =
                (comes.get(&gap), self.rows.get(&gap), comes.get(&next))
            {
                let neighbours = before.iter().chain(after);
                merging.claims.extend(neighbours.map(|hit| (*hit, *row, Rule::Gap)));
            }
        }
    }

    /// Finds the sections of which enough was hit.
    fn merged<'a>(&self, hits: &'a [Hit], found: &Found) -> HashSet<&'a [String]> {
        let Some(strategy) = self.hits.first().map(|hit| hits[*hit].strategy) else {
            return HashSet::new();
        };
        let by_tokens = strategy.count_by == CountBy::Tokens;
        let mut nodes = self.nodes(hits, found, by_tokens);
        let mut order: Vec<&[String]> = nodes.keys().copied().collect();
        order.sort_by_key(|section| Reverse(section.len()));
        let mut merged = HashSet::new();
        for section in order {
            let node = &nodes[section];
            let all = if by_tokens { node.tokens } else { node.own + node.below.len() as u64 };
            if node.open || node.hit as f64 <= strategy.threshold * all as f64 {
                continue;
            }
            merged.insert(section);
            let weight = if by_tokens { node.tokens } else { 1 };
            if let Some(parent) = parent(section).and_then(|parent| nodes.get_mut(parent)) {
                parent.hit += weight;
            }
        }
        merged
    }

    /// Weighs the sections above the hits.
    fn nodes<'a>(
        &self,
        hits: &'a [Hit],
        found: &Found,
        by_tokens: bool,
    ) -> HashMap<&'a [String], Node<'_>> {
        let is_hit: HashSet<Uuid> = self.hits.iter().map(|hit| hits[*hit].chunk).collect();
        let windows = joined(&self.windows);
        let read =
            |ordinal| windows.iter().any(|(first, last)| (*first..=*last).contains(&ordinal));
        let mut nodes: HashMap<&[String], Node> = self
            .hits
            .iter()
            .flat_map(|hit| above(&hits[*hit]))
            .map(|s| (s, Node::default()))
            .collect();
        for (ordinal, (row, section)) in &self.rows {
            let Some(titles) = section.map(|section| &self.sections.all[section]) else { continue };
            let Row { tokens, chunk, .. } = &found.rows[*row];
            let tokens = u64::from(*tokens);
            let open = !read(ordinal.saturating_sub(1)) || !read(ordinal.saturating_add(1));
            for depth in 0..=titles.len() {
                let Some(node) = nodes.get_mut(&titles[..depth]) else { break };
                node.open |= open;
                node.tokens += tokens;
                if let Some(title) = titles.get(depth) {
                    node.below.insert(title);
                    continue;
                }
                let weight = if by_tokens { tokens } else { 1 };
                node.own += weight;
                node.hit += if is_hit.contains(chunk) { weight } else { 0 };
            }
        }
        nodes
    }
}

/// The sections above a hit and its own, the root first.
fn above<'a>(hit: &'a Hit) -> impl Iterator<Item = &'a [String]> {
    let section = hit.section.as_deref().unwrap_or_default();
    (0..=section.len()).map(move |depth| &section[..depth])
}

/// Windows as disjoint ranges.
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
