/*!
Planning the reads: from hits to probes.

Every probe names one document and uses one index, so its cost depends on its result and not on the size of
the document. Windows of one document that overlap or touch are read once. Relatives are found by section
keys. The probe also has the section itself, which is compared again, since two sections may share a key.

Its twin in SQL is `sql/edition/claims.sql`.
*/

use super::probe::{Plan, Probe, ReplacedScope, RowRequest, Shape};
use super::record_limits;
use super::relatives::{heads, relatives};
use super::scope_groups::groups;
use super::{Hit, Rule};
use crate::strategy::{Scope, Within};
use passage_split::interrupt;
use std::collections::HashMap;
use uuid::Uuid;

/// Plans the reads for a list of hits.
///
/// With `imports`, the plan also reads the chunks with imports that the passages may use. The caller executes
/// the probes and passes their rows to [`select_context`](super::select_context), which has an example.
pub fn plan(hits: &[Hit], imports: bool) -> Plan {
    let groups = groups(hits);
    let mut plan = Plan { group_of: vec![None; hits.len()], ..Plan::default() };
    for (index, group) in groups.iter().enumerate() {
        group.hits.iter().for_each(|hit| plan.group_of[*hit] = Some(index));
    }
    plan.groups = groups;
    let mut spans: HashMap<Uuid, Vec<OrdinalRange>> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        interrupt::poll();
        let Some(ordinal) = hit.ordinal else { continue };
        if hit.section.is_some() {
            let strategy = hit.strategy;
            let (whole, group) = (strategy.scope == Scope::Container, plan.group_of[i]);
            let group_in_json = group.filter(|group| plan.groups[*group].is_json);
            let replaced = if record_limits::applies(hit) {
                Some(ReplacedScope::Record)
            } else {
                group_in_json.map(ReplacedScope::Group)
            };
            let has_scope = group.is_some() || replaced.is_some();
            let own = if whole && !has_scope { &strategy.fallback } else { &strategy.relatives };
            relatives(&mut plan, i, hit, own, None);
            if replaced.is_some() {
                relatives(&mut plan, i, hit, &strategy.fallback, replaced);
            }
        }
        spans.entry(hit.document).or_default().extend(windows(i, hit, ordinal));
    }
    for group in 0..plan.groups.len() {
        interrupt::poll();
        scope(&mut plan, group, hits);
    }
    let mut spans: Vec<_> = spans.into_iter().filter(|(_, spans)| !spans.is_empty()).collect();
    // A map has no order, and plans must be deterministic.
    spans.sort_by_key(|(_, spans)| spans[0].hit);
    for (document, spans) in spans {
        ranges(&mut plan, document, spans);
    }
    if imports {
        heads(&mut plan, hits);
    }
    plan
}

/// Adds the single chunks between two hits of prose to a plan, for passages that read as one piece.
///
/// Hits whose strategy adds no context get none. The chunks come before other context.
pub fn bridge_hits(plan: &mut Plan, hits: &[Hit]) {
    let mut at: HashMap<(Uuid, i32), usize> = HashMap::new();
    for (index, hit) in hits.iter().enumerate() {
        interrupt::poll_periodically(index);
        if let Some(ordinal) = hit.ordinal {
            at.insert((hit.document, ordinal), index);
        }
    }
    for (index, hit) in hits.iter().enumerate().filter(|(_, hit)| hit.has_bridges()) {
        interrupt::poll_periodically(index);
        let neighbor = |offset: i32| {
            let ordinal = hit.ordinal?.checked_add(offset)?;
            Some((ordinal, at.get(&(hit.document, ordinal)).copied()))
        };
        let (Some((between, None)), Some((_, Some(next)))) = (neighbor(1), neighbor(2)) else {
            continue;
        };
        if !hits[next].has_bridges() {
            continue;
        }
        let probe = plan.read(Probe::range(hit.document, between, between));
        let request = |hit| RowRequest::of(hit, probe, Rule::Gap, (between, between));
        plan.requests.extend([index, next].map(request));
        plan.bridges.insert((hit.document, between));
    }
}

/// A range of ordinals that a hit requests from its document.
struct OrdinalRange {
    hit: usize,
    first: i32,
    last: i32,
    rule: Rule,
    titles: usize,
}

impl OrdinalRange {
    fn around(hit: usize, ordinal: i32, before: u32, after: u32, rule: Rule) -> Self {
        let first = ordinal.saturating_sub_unsigned(before);
        let last = ordinal.saturating_add_unsigned(after);
        Self { hit, first, last, rule, titles: 0 }
    }

    fn contains(&self, ordinal: i32) -> bool {
        (self.first..=self.last).contains(&ordinal)
    }

    fn request(&self, probe: usize) -> RowRequest {
        let Self { hit, first, last, rule, titles } = *self;
        RowRequest { titles, ..RowRequest::of(hit, probe, rule, (first, last)) }
    }
}

/// Returns the ranges of ordinals that a hit requests from its document.
fn windows(i: usize, hit: &Hit, ordinal: i32) -> Vec<OrdinalRange> {
    let strategy = hit.strategy;
    let reach = strategy.reach();
    let mut spans = Vec::new();
    match strategy.scope {
        Scope::Document => {
            spans.push(OrdinalRange::around(i, ordinal, reach, reach, Rule::Document));
        }
        Scope::Merge if hit.section.is_some() => {
            spans.push(OrdinalRange::around(i, ordinal, reach, reach, Rule::Merge));
        }
        Scope::Container if record_limits::applies(hit) => {
            // One more chunk shows whether a record ends.
            let reach = record_limits::reach(strategy).saturating_add(1);
            spans.push(OrdinalRange::around(i, ordinal, reach, reach, Rule::Container));
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
        spans.push(OrdinalRange {
            titles,
            ..OrdinalRange::around(i, ordinal, before, 0, Rule::Before)
        });
    }
    if after > 0 {
        spans.push(OrdinalRange {
            titles,
            ..OrdinalRange::around(i, ordinal, 0, after, Rule::After)
        });
    }
    spans
}

/// Adds the windows of one document. Windows that overlap or touch share a probe.
fn ranges(plan: &mut Plan, document: Uuid, mut spans: Vec<OrdinalRange>) {
    spans.sort_by_key(|span| span.first);
    let mut open: Option<usize> = None;
    for (index, span) in spans.iter().enumerate() {
        interrupt::poll_periodically(index);
        let probe = match open {
            Some(probe) if span.first <= plan.probes[probe].last.saturating_add(1) => probe,
            _ => plan.read(Probe::range(document, span.first, span.last)),
        };
        plan.probes[probe].last = plan.probes[probe].last.max(span.last);
        plan.requests.push(span.request(probe));
        open = Some(probe);
    }
}

/// Adds the probes of a scope group, one for all hits within each other's reach.
fn scope(plan: &mut Plan, index: usize, hits: &[Hit]) {
    let group = plan.groups[index].clone();
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
                plan.groups[index].probes.push(probe);
                probe
            }
        };
        let read = &mut plan.probes[probe];
        (read.first, read.last) = (read.first.min(first), read.last.max(last));
        read.limit = read.limit.max(reach);
        open = Some(probe);
        let rule = match hits[hit].strategy.scope {
            Scope::Section => Rule::Section,
            _ => Rule::Container,
        };
        let around = OrdinalRange::around(hit, ordinal, reach, reach, rule);
        plan.requests.push(RowRequest { group: Some(index), ..around.request(probe) });
        // The head and the closing part are read at any distance.
        let (head, close) = group.ends(hit).unwrap_or((ordinal, ordinal));
        for end in [head, close].into_iter().filter(|end| !around.contains(*end)) {
            let probe =
                *ends.entry(end).or_insert_with(|| plan.read(Probe::range(document, end, end)));
            let span = OrdinalRange {
                first: end,
                last: end,
                ..OrdinalRange::around(hit, end, 0, 0, rule)
            };
            plan.requests.push(RowRequest { group: Some(index), ..span.request(probe) });
        }
    }
}
