/*!
From hits to probes: what has to be read.

Every probe names one document and is answered by one index, so its cost depends on what it
returns and not on the size of the document. Windows of one document that overlap or touch are
read once. Kin are found by section keys; the section itself goes along and is compared again,
since two sections may share a key.
*/

use super::{Hit, Role};
use crate::key::prefix_keys;
use crate::section::{self, Section};
use crate::strategy::{Siblings, Whole, Within};
use std::collections::HashMap;
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
    /// The section that belongs to the first key, or that `Inside` stays in.
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
    /// All in the span that are in the section or below it, and on either side as many more as
    /// follow without one that is not.
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
pub struct Want {
    /// The hit, by its place in the list of hits.
    pub hit: usize,
    /// The probe, by its place in the plan.
    pub probe: usize,
    /// What the rows are to the hit.
    pub role: Role,
    /// The first ordinal that is wanted.
    pub first: i32,
    /// The last ordinal that is wanted, inclusive.
    pub last: i32,
    /// How many of the hit's titles a row must share.
    pub titles: usize,
}

/// What to read, and for whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The reads, in no particular order.
    pub probes: Vec<Probe>,
    /// Who may have their rows.
    pub wants: Vec<Want>,
}

/// Plans the reads for a list of hits.
pub fn plan(hits: &[Hit]) -> Plan {
    let mut plan = Plan::default();
    let mut spans: HashMap<Uuid, Vec<Span>> = HashMap::new();
    let mut wholes: HashMap<(Uuid, &Section), Vec<Span>> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        let Some(ordinal) = hit.ordinal else { continue };
        if let Some(section) = &hit.section {
            kin(&mut plan, i, hit, ordinal, section);
            if hit.strategy.whole == Whole::Section {
                let reach = hit.strategy.reach();
                let span = Span::around(i, ordinal, reach, reach, Role::Section, section.len());
                wholes.entry((hit.document, section)).or_default().push(span);
            }
        }
        spans.entry(hit.document).or_default().extend(windows(i, hit, ordinal));
    }
    let mut wholes: Vec<_> = wholes.into_iter().collect();
    // Maps have no order of their own, and a plan must be the same each time.
    wholes.sort_by_key(|(_, spans)| spans[0].hit);
    for ((document, section), spans) in wholes {
        whole_section(&mut plan, document, section, spans);
    }
    let mut spans: Vec<_> = spans.into_iter().filter(|(_, spans)| !spans.is_empty()).collect();
    spans.sort_by_key(|(_, spans)| spans[0].hit);
    for (document, spans) in spans {
        ranges(&mut plan, document, spans);
    }
    plan
}

/// The ordinals that a hit wants of its document.
struct Span {
    hit: usize,
    ordinal: i32,
    first: i32,
    last: i32,
    role: Role,
    titles: usize,
}

impl Span {
    fn around(
        hit: usize,
        ordinal: i32,
        before: u32,
        after: u32,
        role: Role,
        titles: usize,
    ) -> Self {
        let first = ordinal.saturating_sub_unsigned(before);
        let last = ordinal.saturating_add_unsigned(after);
        Self { hit, ordinal, first, last, role, titles }
    }

    fn want(&self, probe: usize) -> Want {
        let Self { hit, first, last, role, titles, .. } = *self;
        Want { hit, probe, role, first, last, titles }
    }
}

/// The window around a hit, and its document where all of that is wanted.
fn windows(i: usize, hit: &Hit, ordinal: i32) -> Vec<Span> {
    let strategy = hit.strategy;
    let mut spans = Vec::new();
    if strategy.whole == Whole::Document {
        let reach = strategy.reach();
        spans.push(Span::around(i, ordinal, reach, reach, Role::Section, 0));
    }
    let (before, after) = (strategy.before.width(hit.kind), strategy.after.width(hit.kind));
    if before > 0 || after > 0 {
        let depth = hit.section.as_ref().map_or(0, Vec::len);
        let titles = match strategy.within {
            Within::Document => 0,
            Within::Parent => depth.saturating_sub(1),
            Within::Section => depth,
        };
        spans.push(Span::around(i, ordinal, before, after, Role::Adjacent, titles));
    }
    spans
}

/// Reads the windows of one document, those that overlap or touch together.
fn ranges(plan: &mut Plan, document: Uuid, mut spans: Vec<Span>) {
    spans.sort_by_key(|span| span.first);
    let mut open: Option<usize> = None;
    for span in &spans {
        let probe = match open {
            Some(probe) if span.first <= plan.probes[probe].last.saturating_add(1) => probe,
            _ => {
                plan.probes.push(Probe {
                    document,
                    shape: Shape::Range,
                    keys: Vec::new(),
                    section: Section::new(),
                    first: span.first,
                    last: span.last,
                    limit: 0,
                });
                plan.probes.len() - 1
            }
        };
        plan.probes[probe].last = plan.probes[probe].last.max(span.last);
        plan.wants.push(span.want(probe));
        open = Some(probe);
    }
}

/// Reads a section once for all hits in it that can reach each other.
fn whole_section(plan: &mut Plan, document: Uuid, section: &Section, mut spans: Vec<Span>) {
    spans.sort_by_key(|span| span.ordinal);
    let mut open: Option<usize> = None;
    for span in &spans {
        let probe = match open {
            Some(probe) if span.first <= plan.probes[probe].last => probe,
            _ => {
                plan.probes.push(Probe {
                    document,
                    shape: Shape::Inside,
                    keys: Vec::new(),
                    section: section.clone(),
                    first: span.ordinal,
                    last: span.ordinal,
                    limit: 0,
                });
                plan.probes.len() - 1
            }
        };
        let read = &mut plan.probes[probe];
        read.last = span.ordinal;
        read.limit = read.limit.max(span.last.abs_diff(span.ordinal));
        plan.wants.push(span.want(probe));
        open = Some(probe);
    }
}

/// Reads what is related to a hit by its section (decisions 6 and 7).
fn kin(plan: &mut Plan, i: usize, hit: &Hit, ordinal: i32, section: &Section) {
    let strategy = hit.strategy;
    let (before, after) =
        ((i32::MIN, ordinal.saturating_sub(1)), (ordinal.saturating_add(1), i32::MAX));
    let mut probe = |role, shape, keys, section: &[String], (first, last), limit| {
        if limit == 0 {
            return;
        }
        let section = section.to_vec();
        let probe = plan.probes.len();
        plan.probes.push(Probe {
            document: hit.document,
            shape,
            keys,
            section,
            first,
            last,
            limit,
        });
        plan.wants.push(Want { hit: i, probe, role, first, last, titles: 0 });
    };

    // From the root to the section itself, hashed once for all probes.
    let keys = prefix_keys(section);
    let parent = section::parent(section);
    if let Some(parent) = parent {
        let above = keys[..=parent.len()].iter().rev().copied().collect();
        probe(Role::Parent, Shape::Ancestors, above, parent, before, strategy.parents);
    }
    let (backward, forward, family) = match (strategy.siblings, parent) {
        (Siblings::Parent, Some(parent)) => (Shape::ParentBackward, Shape::ParentForward, parent),
        _ => (Shape::SectionBackward, Shape::SectionForward, section.as_slice()),
    };
    if strategy.preceding > 0 || strategy.following > 0 {
        let key = vec![keys[family.len()]];
        probe(Role::Preceding, backward, key.clone(), family, before, strategy.preceding);
        probe(Role::Following, forward, key, family, after, strategy.following);
    }
    if strategy.children > 0 {
        let key = vec![keys[section.len()]];
        probe(Role::Child, Shape::ParentForward, key, section, after, strategy.children);
    }
}
