//! Probes and row requests: the reads of a plan, and the hits that may use their rows.

use super::Rule;
use super::scope_groups::ScopeGroup;
use passage_split::section::Section;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// One index lookup in one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The document.
    pub document: Uuid,
    /// The condition that the chunks meet.
    pub shape: Shape,
    /// The section keys of the lookup. `Ancestors` has one for each section, the nearest first; `Range`
    /// and `Inside` have none.
    pub keys: Vec<i64>,
    /// The section of the first key, or the section of `Inside`.
    pub section: Section,
    /// The first ordinal of the range.
    pub first: i32,
    /// The last ordinal of the range, inclusive.
    pub last: i32,
    /// The maximum number of chunks; for `Inside`, the maximum beyond the range on each side.
    pub limit: u32,
}

/// The condition of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All chunks in the range.
    Range,
    /// All chunks in the range; on either side the adjoining chunks in the section or below it; and
    /// the next chunk behind those.
    Inside,
    /// The last chunks in the range that are directly in the section.
    SectionBackward,
    /// The first chunks in the range that are directly in the section.
    SectionForward,
    /// The last chunks in the range whose parent is the section.
    ParentBackward,
    /// The first chunks in the range whose parent is the section.
    ParentForward,
    /// For the section and each one above it, the last chunk in the range that is directly in it. If
    /// there is none, and the section is not the root, the first chunk in the range whose parent it is.
    Ancestors,
}

/// A hit's request for rows of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRequest {
    /// The index of the hit.
    pub hit: usize,
    /// The index of the probe in the plan.
    pub probe: usize,
    /// The rule that requests the rows.
    pub rule: Rule,
    /// The first requested ordinal.
    pub first: i32,
    /// The last requested ordinal, inclusive.
    pub last: i32,
    /// The number of the hit's titles that a row must share.
    pub titles: usize,
    /// The index of the scope group whose rows they are.
    pub group: Option<usize>,
    /// The scope that the rows replace if it fails.
    pub in_place_of: Option<ReplacedScope>,
}

/// A scope that other rows replace if it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacedScope {
    /// A scope group, by its index.
    Group(usize),
    /// The record of the hit.
    Record,
}

/// The probes of a call, and the requests for their rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The probes, in no particular order.
    pub probes: Vec<Probe>,
    /// The requests for their rows.
    pub requests: Vec<RowRequest>,
    /// The groups of hits with a common scope.
    pub groups: Vec<ScopeGroup>,
    /// For each hit, the index of its group.
    pub group_of: Vec<Option<usize>>,
    /// For each document whose first chunk is read, the index of its probe.
    pub first_chunks: HashMap<Uuid, usize>,
    /// The documents and ordinals of single chunks between two hits, which come before other context.
    pub bridges: HashSet<(Uuid, i32)>,
    /// The chunks that never are context, because the caller has shown them already.
    pub skipped: HashSet<Uuid>,
    /// Whether it reads sections that links lead to.
    pub(super) has_links: bool,
}

impl Probe {
    /// Creates a probe for all chunks in a range of ordinals.
    pub(super) fn range(document: Uuid, first: i32, last: i32) -> Self {
        let (keys, section) = (Vec::new(), Section::new());
        Self { document, shape: Shape::Range, keys, section, first, last, limit: 0 }
    }
}

impl RowRequest {
    /// Creates a request without other conditions.
    pub(super) fn of(hit: usize, probe: usize, rule: Rule, (first, last): (i32, i32)) -> Self {
        Self { hit, probe, rule, first, last, titles: 0, group: None, in_place_of: None }
    }

    /// Returns whether its rows are those around a hit of data, which show its record.
    pub(super) fn is_record(&self) -> bool {
        self.rule == Rule::Container && self.group.is_none()
    }
}

impl Plan {
    /// Also reads the first chunk of a document. No hit gets it as context.
    pub fn read_first_chunk(&mut self, document: Uuid) {
        if !self.first_chunks.contains_key(&document) {
            let probe = self.read(Probe::range(document, 0, 0));
            self.first_chunks.insert(document, probe);
        }
    }

    /// Returns the group of a hit if its scope is a container.
    pub(super) fn container(&self, hit: usize) -> Option<&ScopeGroup> {
        let group = &self.groups[self.group_of[hit]?];
        group.ends(hit).map(|_| group)
    }

    pub(super) fn read(&mut self, probe: Probe) -> usize {
        self.probes.push(probe);
        self.probes.len() - 1
    }
}
