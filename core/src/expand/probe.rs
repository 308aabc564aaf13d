//! Probes and wants: what is read, and whose context it may be.

use super::Rule;
use super::whole::ScopeGroup;
use crate::section::Section;
use uuid::Uuid;

/// One read by index.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The document that is read.
    pub document: Uuid,
    /// Which chunks are meant.
    pub shape: Shape,
    /// The key that finds them; for `Ancestors` one for each section, the nearest first, and none
    /// for `Range` and `Inside`.
    pub keys: Vec<i64>,
    /// The section that belongs to the first key, or that `Inside` is about.
    pub section: Section,
    /// The first ordinal of the span that the shape speaks of.
    pub first: i32,
    /// The last ordinal of it, inclusive.
    pub last: i32,
    /// The most chunks to return; for `Inside`, how far to go beyond the span on each side.
    pub limit: u32,
}

/// Which chunks a probe means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All in the span.
    Range,
    /// All in the span, and on either side as many more as follow without one that is not in the
    /// section or below it; and the next one on either side.
    Inside,
    /// The last in the span that are exactly in the section.
    SectionBackward,
    /// The first in the span that are exactly in the section.
    SectionForward,
    /// The last in the span of which the section is the parent.
    ParentBackward,
    /// The first in the span of which the section is the parent.
    ParentForward,
    /// For the section and each one above it, the last in the span that is exactly in it; where
    /// there is none, and it is not the root, the first in the span of which it is the parent.
    Ancestors,
}

/// Whose context the rows of a probe may be.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRequest {
    /// The hit, by its place in the list of hits.
    pub hit: usize,
    /// The probe, by its place in the plan.
    pub probe: usize,
    /// Why the rows are wanted.
    pub rule: Rule,
    /// The first ordinal that is wanted.
    pub first: i32,
    /// The last ordinal that is wanted, inclusive.
    pub last: i32,
    /// How many of the hit's titles a row must share.
    pub titles: usize,
    /// The group whose whole the rows are of, by its place in the plan.
    pub group: Option<usize>,
    /// The group that the rows are wanted in place of.
    pub in_place_of: Option<usize>,
}

/// What to read, and for whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The reads, in no particular order.
    pub probes: Vec<Probe>,
    /// Who may have their rows.
    pub requests: Vec<RowRequest>,
    /// The hits that are widened to a section together.
    pub groups: Vec<ScopeGroup>,
    /// For each hit, its group by its place among them.
    pub group_of: Vec<Option<usize>>,
}

impl Probe {
    /// Reads all chunks with some ordinals.
    pub(super) fn range(document: Uuid, first: i32, last: i32) -> Self {
        let (keys, section) = (Vec::new(), Section::new());
        Self { document, shape: Shape::Range, keys, section, first, last, limit: 0 }
    }
}

impl RowRequest {
    /// Wants rows of a probe for no more than what they are.
    pub(super) fn of(hit: usize, probe: usize, rule: Rule, (first, last): (i32, i32)) -> Self {
        Self { hit, probe, rule, first, last, titles: 0, group: None, in_place_of: None }
    }
}

impl Plan {
    /// Returns the container that a hit is widened to, if that is what it is.
    pub(super) fn container(&self, hit: usize) -> Option<&ScopeGroup> {
        let group = &self.groups[self.group_of[hit]?];
        group.ends(hit).map(|_| group)
    }

    pub(super) fn read(&mut self, probe: Probe) -> usize {
        self.probes.push(probe);
        self.probes.len() - 1
    }
}
