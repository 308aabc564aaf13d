/*!
From hits to probes: what has to be read.

Every probe names one document and is answered by one index, so its cost depends on what it
returns and not on the size of the document. Windows of one document that overlap or touch are
read once. Kin are found by section keys; the section itself goes along and is compared again,
since two sections may share a key.
*/

use super::whole::{Group, groups};
use super::{Hit, Rule};
use crate::key::prefix_keys;
use crate::section::{self, Section};
use crate::strategy::{Relatives, Siblings, Whole, Within};
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
pub struct Want {
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
    pub wants: Vec<Want>,
    /// The hits that are widened to a section together.
    pub groups: Vec<Group>,
}

/// How many sections above a hit are looked at for imports, and how many chunks of each: they
/// stand at the head of a file or of a module.
const IMPORT_SECTIONS: usize = 8;
const IMPORT_CHUNKS: u32 = 64;

/// Plans the reads for a list of hits; with `imports` also those of what the passages may use.
pub fn plan(hits: &[Hit], imports: bool) -> Plan {
    let mut plan = Plan { groups: groups(hits), ..Plan::default() };
    let mut group_of = vec![None; hits.len()];
    for (place, group) in plan.groups.iter().enumerate() {
        group.hits.iter().for_each(|hit| group_of[*hit] = Some(place));
    }
    let mut spans: HashMap<Uuid, Vec<Span>> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        let Some(ordinal) = hit.ordinal else { continue };
        if hit.section.is_some() {
            let strategy = hit.strategy;
            let (whole, group) = (strategy.whole == Whole::Container, group_of[i]);
            let own =
                if whole && group.is_none() { &strategy.fallback } else { &strategy.relatives };
            relatives(&mut plan, i, hit, own, None);
            if group.is_some_and(|group| plan.groups[group].json) {
                relatives(&mut plan, i, hit, &strategy.fallback, group);
            }
        }
        spans.entry(hit.document).or_default().extend(windows(i, hit, ordinal));
    }
    for group in 0..plan.groups.len() {
        whole(&mut plan, group, hits);
    }
    let mut spans: Vec<_> = spans.into_iter().filter(|(_, spans)| !spans.is_empty()).collect();
    // A map has no order of its own, and a plan must be the same each time.
    spans.sort_by_key(|(_, spans)| spans[0].hit);
    for (document, spans) in spans {
        ranges(&mut plan, document, spans);
    }
    if imports {
        heads(&mut plan, hits);
    }
    plan
}

impl Probe {
    /// Reads all chunks with some ordinals.
    fn range(document: Uuid, first: i32, last: i32) -> Self {
        let (keys, section) = (Vec::new(), Section::new());
        Self { document, shape: Shape::Range, keys, section, first, last, limit: 0 }
    }
}

impl Plan {
    fn read(&mut self, probe: Probe) -> usize {
        self.probes.push(probe);
        self.probes.len() - 1
    }
}

/// The ordinals that a hit wants of its document.
struct Span {
    hit: usize,
    first: i32,
    last: i32,
    rule: Rule,
    titles: usize,
}

impl Span {
    fn around(hit: usize, ordinal: i32, before: u32, after: u32, rule: Rule) -> Self {
        let first = ordinal.saturating_sub_unsigned(before);
        let last = ordinal.saturating_add_unsigned(after);
        Self { hit, first, last, rule, titles: 0 }
    }

    fn takes(&self, ordinal: i32) -> bool {
        (self.first..=self.last).contains(&ordinal)
    }

    fn want(&self, probe: usize) -> Want {
        let Self { hit, first, last, rule, titles } = *self;
        Want { hit, probe, rule, first, last, titles, group: None, in_place_of: None }
    }
}

/// The window around a hit, and what of its document is wanted or has to be known.
fn windows(i: usize, hit: &Hit, ordinal: i32) -> Vec<Span> {
    let strategy = hit.strategy;
    let reach = strategy.reach();
    let mut spans = Vec::new();
    match strategy.whole {
        Whole::Document => spans.push(Span::around(i, ordinal, reach, reach, Rule::Document)),
        Whole::Merge if hit.section.is_some() => {
            spans.push(Span::around(i, ordinal, reach, reach, Rule::Merge));
        }
        _ => {}
    }
    let (before, after) = (strategy.before.width(hit.kind), strategy.after.width(hit.kind));
    let depth = hit.section.as_ref().map_or(0, Vec::len);
    let titles = match strategy.within {
        Within::Document => 0,
        Within::Parent => depth.saturating_sub(1),
        Within::Section => depth,
    };
    if before > 0 {
        spans.push(Span { titles, ..Span::around(i, ordinal, before, 0, Rule::Before) });
    }
    if after > 0 {
        spans.push(Span { titles, ..Span::around(i, ordinal, 0, after, Rule::After) });
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
            _ => plan.read(Probe::range(document, span.first, span.last)),
        };
        plan.probes[probe].last = plan.probes[probe].last.max(span.last);
        plan.wants.push(span.want(probe));
        open = Some(probe);
    }
}

/// Reads what comes whole once for all hits of a group that can reach each other.
fn whole(plan: &mut Plan, place: usize, hits: &[Hit]) {
    let group = plan.groups[place].clone();
    let mut members: Vec<(i32, usize)> =
        group.hits.iter().filter_map(|hit| Some((hits[*hit].ordinal?, *hit))).collect();
    members.sort_unstable();
    let document = group.document;
    let mut open: Option<usize> = None;
    let mut ends: HashMap<i32, usize> = HashMap::new();
    for (ordinal, hit) in members {
        let reach = hits[hit].strategy.reach();
        let (first, last) = group.core(hit, ordinal, reach);
        let probe = match open {
            Some(probe) if first.saturating_sub_unsigned(reach) <= plan.probes[probe].last => probe,
            _ => {
                let probe = plan.read(Probe {
                    document,
                    shape: Shape::Inside,
                    keys: Vec::new(),
                    section: group.section.clone(),
                    first,
                    last,
                    limit: 0,
                });
                plan.groups[place].probes.push(probe);
                probe
            }
        };
        let read = &mut plan.probes[probe];
        (read.first, read.last) = (read.first.min(first), read.last.max(last));
        read.limit = read.limit.max(reach);
        open = Some(probe);
        let rule = match hits[hit].strategy.whole {
            Whole::Section => Rule::Section,
            _ => Rule::Container,
        };
        let around = Span::around(hit, ordinal, reach, reach, rule);
        plan.wants.push(Want { group: Some(place), ..around.want(probe) });
        // Head and closing part come from however far away.
        let (head, close) = group.ends(hit).unwrap_or((ordinal, ordinal));
        for end in [head, close].into_iter().filter(|end| !around.takes(*end)) {
            let probe =
                *ends.entry(end).or_insert_with(|| plan.read(Probe::range(document, end, end)));
            let span = Span { first: end, last: end, ..Span::around(hit, end, 0, 0, rule) };
            plan.wants.push(Want { group: Some(place), ..span.want(probe) });
        }
    }
}

/// Reads what is related to a hit by its section (decisions 6 and 7).
fn relatives(plan: &mut Plan, i: usize, hit: &Hit, limits: &Relatives, in_place_of: Option<usize>) {
    let &Relatives { parents, preceding, following, children, siblings } = limits;
    let (Some(ordinal), Some(section)) = (hit.ordinal, &hit.section) else { return };
    if (parents, preceding, following, children) == (0, 0, 0, 0) {
        return;
    }
    let (before, after) =
        ((i32::MIN, ordinal.saturating_sub(1)), (ordinal.saturating_add(1), i32::MAX));
    let mut probe = |rule, shape, keys, section: &[String], (first, last), limit| {
        if limit == 0 {
            return;
        }
        let section = section.to_vec();
        let document = hit.document;
        let probe = plan.read(Probe { document, shape, keys, section, first, last, limit });
        let (titles, group) = (0, None);
        plan.wants.push(Want { hit: i, probe, rule, first, last, titles, group, in_place_of });
    };

    // From the root to the section itself, hashed once for all probes.
    let keys = prefix_keys(section);
    let parent = section::parent(section);
    if let Some(parent) = parent {
        let above = keys[..=parent.len()].iter().rev().copied().collect();
        probe(Rule::Parents, Shape::Ancestors, above, parent, before, parents);
    }
    let (backward, forward, family) = match (siblings, parent) {
        (Siblings::Parent, Some(parent)) => (Shape::ParentBackward, Shape::ParentForward, parent),
        _ => (Shape::SectionBackward, Shape::SectionForward, section.as_slice()),
    };
    let key = vec![keys[family.len()]];
    probe(Rule::Preceding, backward, key.clone(), family, before, preceding);
    probe(Rule::Following, forward, key, family, after, following);
    let key = vec![keys[section.len()]];
    probe(Rule::Children, Shape::ParentForward, key, section, after, children);
}

/// Reads what stands at the head of the sections above hits, where imports are.
fn heads(plan: &mut Plan, hits: &[Hit]) {
    let mut read: HashMap<(Uuid, &[String]), usize> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        let (Some(section), Some(_)) = (&hit.section, hit.ordinal) else { continue };
        for depth in (0..=section.len()).take(IMPORT_SECTIONS) {
            let above = &section[..depth];
            let probe = *read.entry((hit.document, above)).or_insert_with(|| {
                plan.read(Probe {
                    document: hit.document,
                    shape: Shape::SectionForward,
                    keys: prefix_keys(above).pop().into_iter().collect(),
                    section: above.to_vec(),
                    first: i32::MIN,
                    last: i32::MAX,
                    limit: IMPORT_CHUNKS,
                })
            });
            plan.wants.push(Want {
                hit: i,
                probe,
                rule: Rule::Imports,
                first: i32::MIN,
                last: i32::MAX,
                titles: 0,
                group: None,
                in_place_of: None,
            });
        }
    }
}
