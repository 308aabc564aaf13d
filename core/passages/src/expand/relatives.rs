//! Probes by section: parents, siblings and children, and the heads of sections with imports.
//!
//! Its twin in SQL is `sql/edition/relatives.sql`.

use super::probe::{Plan, Probe, ReplacedScope, RowRequest, Shape};
use super::{Hit, Rule};
use crate::strategy::{RelativeLimits, Siblings};
use passage_split::key::{prefix_keys, section_key};
use passage_split::{is_release, section};
use std::collections::HashMap;
use uuid::Uuid;

/// The maximum number of sections above a hit that are searched for imports, and of chunks in each.
/// Imports are at the head of a file or a module.
const IMPORT_SECTIONS: usize = 8;
const IMPORT_CHUNKS: u32 = 64;

/// Adds the probes for the relatives of a hit (decisions 6 and 7).
pub(super) fn relatives(
    plan: &mut Plan,
    i: usize,
    hit: &Hit,
    limits: &RelativeLimits,
    in_place_of: Option<ReplacedScope>,
) {
    let &RelativeLimits { parents, preceding, following, children, siblings } = limits;
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
        plan.requests
            .push(RowRequest { in_place_of, ..RowRequest::of(i, probe, rule, (first, last)) });
    };

    // The keys from the root to the section, hashed once for all probes.
    let keys = prefix_keys(section);
    let parent = section::parent(section);
    if let Some(parent) = parent {
        let above = keys[..=parent.len()].iter().rev().copied().collect();
        probe(Rule::Parents, Shape::Ancestors, above, parent, before, parents);
    }
    // The releases before and after one say nothing about it.
    let is_release = section.last().is_some_and(|title| is_release(title));
    let (backward, forward, family) = match (siblings, parent) {
        (Siblings::Parent, Some(parent)) if !is_release => {
            (Shape::ParentBackward, Shape::ParentForward, parent)
        }
        _ => (Shape::SectionBackward, Shape::SectionForward, section.as_slice()),
    };
    let key = vec![keys[family.len()]];
    probe(Rule::Preceding, backward, key.clone(), family, before, preceding);
    probe(Rule::Following, forward, key, family, after, following);
    let key = vec![keys[section.len()]];
    probe(Rule::Children, Shape::ParentForward, key, section, after, children);
}

/// Adds the probes for the heads of the sections above hits, where imports are.
pub(super) fn heads(plan: &mut Plan, hits: &[Hit]) {
    let mut read: HashMap<(Uuid, &[String]), usize> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        let (Some(section), Some(_)) = (&hit.section, hit.ordinal) else { continue };
        for depth in (0..=section.len()).take(IMPORT_SECTIONS) {
            let above = &section[..depth];
            let probe = *read.entry((hit.document, above)).or_insert_with(|| {
                plan.read(Probe {
                    document: hit.document,
                    shape: Shape::SectionForward,
                    keys: vec![section_key(above)],
                    section: above.to_vec(),
                    first: i32::MIN,
                    last: i32::MAX,
                    limit: IMPORT_CHUNKS,
                })
            });
            plan.requests.push(RowRequest::of(i, probe, Rule::Imports, (i32::MIN, i32::MAX)));
        }
    }
}
