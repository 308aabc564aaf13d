//! Coverage: the rules that a call applies, so that a test can check that random calls apply all of them.

use super::Expansion;
use super::claims::{alone, fell_back, gaps};
use super::hit::Hit;
use super::passages::ExpectedPassage;
use super::strategy::WholeOf;
use std::collections::BTreeSet;

/// The rules that some call must apply.
pub const RULES: [&str; 31] = [
    "a budget cuts",
    "a common container",
    "a container",
    "containers of hits outside of a group",
    "a gap of one",
    "a merged section",
    "a merged section above the hit's",
    "a section for lack of a container",
    "a larger excerpt",
    "an excerpt",
    "an excerpt of the ends",
    "an excerpt with hits",
    "an excerpt with the best hit",
    "complete",
    "fallen back",
    "in pieces",
    "json that is in pieces",
    "joined units",
    "json that is whole",
    "one piece of a unit",
    "passages of one document",
    "role Adjacent",
    "role Ancestor",
    "role Child",
    "role Following",
    "role Linked",
    "role Parent",
    "role Preceding",
    "role Section",
    "the head alone",
    "truncated",
];

/// Returns the rules that an expansion applied.
pub fn of_expansion(hits: &[Hit], expansion: &Expansion) -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    let mut apply = |rule: &str, is_applied: bool| {
        if is_applied {
            rules.insert(rule.to_owned());
        }
    };
    for row in &expansion.choice.rows {
        apply(&format!("role {:?}", row.role), true);
    }
    for rule in &expansion.choice.rules {
        apply(rule, true);
    }
    apply("a budget cuts", expansion.choice.cut.contains(&true));
    for (hit, whole) in hits.iter().zip(&expansion.wholes) {
        let is_json = hit.document.is_json() && hit.strategy.whole == WholeOf::Container;
        let has_fallen = fell_back(hit, whole.as_ref());
        let alone = alone(hit);
        apply("fallen back", has_fallen);
        apply("json that is in pieces", is_json && has_fallen && alone.is_some());
        if hit.strategy.whole == WholeOf::Merged {
            apply("a gap of one", !gaps(hits, hit).is_empty());
        }
        let Some(whole) = whole else { continue };
        let is_own = hit.chunk.is_in(&whole.section);
        apply("json that is whole", is_json && whole.chunks.len() > 1);
        apply("a merged section", hit.strategy.whole == WholeOf::Merged);
        apply("a merged section above the hit's", hit.strategy.whole == WholeOf::Merged && !is_own);
        let is_container = hit.strategy.whole == WholeOf::Container;
        apply("a container", whole.head.is_some());
        apply("a section for lack of a container", is_container && whole.head.is_none());
        let is_common = alone.is_some_and(|alone| alone.section != whole.section);
        apply("a common container", is_container && is_common);
        let others = hits.iter().zip(&expansion.wholes).filter(|(other, _)| {
            other.document.id == hit.document.id && other.chunk.id != hit.chunk.id
        });
        let mut others = others.filter_map(|(_, other)| other.as_ref());
        let is_apart = others.any(|other| other.head.is_some() && other.section != whole.section);
        apply("containers of hits outside of a group", whole.head.is_some() && is_apart);
    }
    rules
}

/// Returns the rules that passages applied.
pub fn of_passages(passages: &[ExpectedPassage]) -> BTreeSet<String> {
    let mut met = BTreeSet::new();
    for passage in passages {
        let is_in_pieces = !passage.complete && !passage.truncated;
        let apart = passages.iter().filter(|other| other.document == passage.document).count() > 1;
        for (rule, is_applied) in [
            ("complete", passage.complete && passage.chunks.len() > 1),
            ("truncated", passage.truncated),
            ("in pieces", is_in_pieces),
            ("passages of one document", apart),
        ] {
            if is_applied {
                met.insert(rule.to_owned());
            }
        }
    }
    met
}
