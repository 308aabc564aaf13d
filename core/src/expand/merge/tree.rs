//! The sections above hits, as a tree that weighs what lies in them.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Sections by number, each above those that are below it; the root is the first.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A section above a hit.
#[derive(Default)]
struct Node {
    above: Option<usize>,
    depth_below: HashMap<String, usize>,
    /// The titles directly below it of which something was read, as hashes: there may be a million.
    parts: HashSet<u64>,
    /// Whether it may go on where nothing was read.
    is_open: bool,
    /// What its own chunks weigh.
    own: u64,
    /// What of its parts was hit.
    hit: u64,
    /// Tokens of all chunks in it and below.
    tokens: u64,
}

impl Tree {
    /// Makes a section and those above it; returns its number.
    pub(super) fn grow(&mut self, section: &[String]) -> usize {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for title in section {
            let next = self.nodes.len();
            let depth_below = *self.nodes[at].depth_below.entry(title.clone()).or_insert(next);
            if depth_below == next {
                self.nodes.push(Node { above: Some(at), ..Node::default() });
            }
            at = depth_below;
        }
        at
    }

    /// Weighs a chunk in all sections above it; returns the nearest that there is.
    pub(super) fn add(
        &mut self,
        section: &[String],
        is_open: bool,
        tokens: u64,
        weight: u64,
        hit: u64,
    ) -> usize {
        let mut at = 0;
        for depth in 0..=section.len() {
            let node = &mut self.nodes[at];
            node.is_open |= is_open;
            node.tokens += tokens;
            let Some(title) = section.get(depth) else {
                node.own += weight;
                node.hit += hit;
                break;
            };
            let mut hash = DefaultHasher::new();
            title.hash(&mut hash);
            node.parts.insert(hash.finish());
            match node.depth_below.get(title) {
                Some(depth_below) => at = *depth_below,
                None => break,
            }
        }
        at
    }

    /// Merges sections, the deepest first; returns for each the outermost merged one that it is in.
    pub(super) fn merged(mut self, threshold: f64, by_tokens: bool) -> Vec<Option<usize>> {
        let mut merged = vec![false; self.nodes.len()];
        // What is below was made after what is above.
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let all = if by_tokens { node.tokens } else { node.own + node.parts.len() as u64 };
            merged[number] = !node.is_open && node.hit as f64 > threshold * all as f64;
            let weight = if by_tokens { node.tokens } else { 1 };
            if let (true, Some(above)) = (merged[number], node.above) {
                self.nodes[above].hit += weight;
            }
        }
        let mut outermost = vec![None; self.nodes.len()];
        for number in 0..self.nodes.len() {
            let above = self.nodes[number].above.and_then(|above| outermost[above]);
            outermost[number] = above.or(merged[number].then_some(number));
        }
        outermost
    }
}
