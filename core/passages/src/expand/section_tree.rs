//! The sections above hits as a tree, with the weight of their chunks.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Sections by number. The root is the first, and parents precede their children.
#[derive(Default)]
pub(super) struct SectionTree {
    nodes: Vec<Node>,
}

/// A section above a hit.
#[derive(Default)]
struct Node {
    parent: Option<usize>,
    children: HashMap<String, usize>,
    /// Hashes of the titles of its direct subsections with a row. There may be a million.
    subsections: HashSet<u64>,
    /// Whether the section may extend beyond the rows that were read.
    is_open: bool,
    /// The weight of the chunks directly in the section.
    own_weight: u64,
    /// The weight of the hit chunks and merged subsections.
    hit_weight: u64,
    /// The tokens of all chunks in the section and below.
    tokens: u64,
}

impl SectionTree {
    /// Inserts a section and its ancestors, and returns its number.
    pub(super) fn insert(&mut self, section: &[String]) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for title in section {
            let next = self.nodes.len();
            let children = *self.nodes[at].children.entry(title.clone()).or_insert(next);
            if children == next {
                self.nodes.push(Node { parent: Some(at), ..Node::default() });
            }
            at = children;
        }
        at
    }

    /// Adds a chunk to all sections above it, and returns the nearest section in the tree.
    pub(super) fn add(
        &mut self,
        section: &[String],
        is_open: bool,
        tokens: u64,
        weight: u64,
        hit_weight: u64,
    ) -> usize {
        let mut at = 0;
        for depth in 0..=section.len() {
            let node = &mut self.nodes[at];
            node.is_open |= is_open;
            node.tokens += tokens;
            let Some(title) = section.get(depth) else {
                node.own_weight += weight;
                node.hit_weight += hit_weight;
                break;
            };
            let mut hash = DefaultHasher::new();
            title.hash(&mut hash);
            node.subsections.insert(hash.finish());
            match node.children.get(title) {
                Some(children) => at = *children,
                None => break,
            }
        }
        at
    }

    /// Merges sections, the deepest first. Returns for each section the outermost merged section that
    /// contains it.
    pub(super) fn merged(mut self, threshold: f64, by_tokens: bool) -> Vec<Option<usize>> {
        let mut merged = vec![false; self.nodes.len()];
        // Children have higher numbers than their parents.
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let all = if by_tokens {
                node.tokens
            } else {
                node.own_weight + node.subsections.len() as u64
            };
            merged[number] = !node.is_open && node.hit_weight as f64 > threshold * all as f64;
            let weight = if by_tokens { node.tokens } else { 1 };
            if let (true, Some(parent)) = (merged[number], node.parent) {
                self.nodes[parent].hit_weight += weight;
            }
        }
        let mut outermost = vec![None; self.nodes.len()];
        for number in 0..self.nodes.len() {
            let parent = self.nodes[number].parent.and_then(|parent| outermost[parent]);
            outermost[number] = parent.or(merged[number].then_some(number));
        }
        outermost
    }
}
