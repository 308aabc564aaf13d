//! Containers: the class, object or table around a hit, from its head to its closing part.

use super::{Whole, record, section};
use crate::expansion::model::chunk::{Chunk, Document};
use crate::expansion::model::hit::Hit;
use crate::expansion::model::strategy::WholeOf;
use std::collections::BTreeSet;

/// Returns the container that a hit is widened to, if there is one.
pub fn whole<'a>(hits: &[Hit<'a>], hit: &Hit<'a>) -> Option<Whole<'a>> {
    let (ordinal, titles) = (hit.chunk.ordinal?, hit.chunk.section.as_deref()?);
    if let Some(depth) = common_container(hits, hit) {
        let target = &titles[..depth];
        let (head, chunks) = head_to_closing(hit, ordinal, target);
        return Some(Whole::unit(target.to_vec(), Some(head), chunks));
    }
    let target = match hit.chunk.unit.as_deref() {
        Some("module") => None,
        // "X = s if s is not root (no container), else none."
        Some("container" | "member" | "value" | "text") => Some(titles),
        // "unit NULL or anything else: X = s[..len-1] if len(s) >= 2; s if len = 1; root: none."
        _ if titles.len() >= 2 => Some(&titles[..titles.len() - 1]),
        _ => Some(titles),
    };
    let target = target.filter(|target| !target.is_empty())?;
    let chunks = section::run(hit, ordinal, target);
    Some(Whole::unit(target.to_vec(), None, chunks))
}

/// Returns the depth of the nearest container that a hit shares with all hits below its outermost container.
fn common_container(hits: &[Hit], hit: &Hit) -> Option<usize> {
    let own = eligible(hit);
    let (titles, group) = (hit.chunk.section.as_deref()?, group(hit, &own)?);
    // "Hits of the same document (with such units, strategy container, eligible not empty) whose
    // outermost eligible section is the same section form a group."
    let may_share = |other: &&Hit| {
        other.document.id == hit.document.id && other.strategy.whole == WholeOf::Container
    };
    let others = hits.iter().filter(may_share).map(|other| (other, eligible(other)));
    let of_group: Vec<_> =
        others.filter(|(other, eligible)| self::group(other, eligible) == Some(group)).collect();
    // "X = the deepest container section (depth in eligible of all of them, same titles) common to
    // all hits of the group."
    let is_common = |depth: &usize| {
        of_group.iter().all(|(other, eligible)| {
            eligible.contains(depth) && other.chunk.is_below(&titles[..*depth])
        })
    };
    own.iter().rev().copied().find(is_common)
}

/// Returns the outermost container of a hit.
fn group<'h>(hit: &'h Hit, eligible: &BTreeSet<usize>) -> Option<&'h [String]> {
    Some(&hit.chunk.section.as_ref()?[..*eligible.first()?])
}

/// Returns the depths of the sections that a hit may be widened to.
fn eligible(hit: &Hit) -> BTreeSet<usize> {
    let (Some(_), Some(titles)) = (hit.chunk.ordinal, &hit.chunk.section) else {
        return BTreeSet::new();
    };
    let may_be = matches!(hit.chunk.unit.as_deref(), Some("container" | "member" | "value"));
    // "Data has records instead."
    if !may_be || record::applies(hit) {
        return BTreeSet::new();
    }
    // "Depths d in 1..=len(s) (only the 64 deepest) such that the FIRST chunk (smallest ordinal,
    // whole document) exactly in s[..d] has unit 'container'."
    let deepest = titles.len().saturating_sub(63).max(1)..=titles.len();
    let is_container = |depth: &usize| {
        let first = first_in(hit.document, &titles[..*depth]);
        first.is_some_and(|chunk| chunk.unit.as_deref() == Some("container"))
    };
    deepest.filter(is_container).collect()
}

fn first_in<'a>(document: &'a Document, section: &[String]) -> Option<&'a Chunk> {
    let chunks = document.chunks.iter().filter(|chunk| chunk.ordinal.is_some());
    chunks.filter(|chunk| chunk.is_in(section)).min_by_key(|chunk| chunk.ordinal)
}

/// Returns the begin of a container and its chunks around a hit.
fn head_to_closing<'a>(hit: &Hit<'a>, ordinal: i64, target: &[String]) -> (i64, Vec<&'a Chunk>) {
    let chunks = hit.document.in_order();
    let own = || chunks.iter().filter(|(_, chunk)| chunk.is_in(target)).map(|(own, _)| *own);
    // "F, L = smallest and largest ordinal exactly in X in the document."
    let head = own().min().expect("a container has a first chunk");
    let closing = own().max().expect("a container has a last chunk");
    // "lo = max(min(F, o), o - R), hi = min(max(L, o), o + R)."
    let reach = hit.strategy.reach();
    let low = head.min(ordinal).max(ordinal - reach);
    let high = closing.max(ordinal).min(ordinal + reach);
    // "All chunks with prefix X in [lo, hi], and more chunks beyond lo and hi as long as they
    // follow (over existing chunks) with prefix X; |distance| <= R."
    let near = section::within_reach(hit, ordinal);
    let is_inside = |(_, chunk): &&(i64, &'a Chunk)| chunk.is_below(target);
    let between = near.iter().filter(|(other, _)| (low..=high).contains(other)).filter(is_inside);
    let below = near.iter().rev().filter(|(other, _)| *other < low).take_while(is_inside);
    let above = near.iter().filter(|(other, _)| *other > high).take_while(is_inside);
    // "The chunks at F and L come from however far away."
    let is_far = |at: i64| (at - ordinal).abs() > reach;
    let ends = chunks.iter().filter(|(at, _)| (*at == head || *at == closing) && is_far(*at));
    let all = between.chain(below).chain(above).chain(ends);
    (head, all.map(|(_, chunk)| *chunk).collect())
}
