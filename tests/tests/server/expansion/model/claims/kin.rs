//! Relatives: parents, siblings and children of a hit, found by sections alone.

use super::Role;
use crate::expansion::model::chunk::Chunk;
use crate::expansion::model::hit::Hit;
use crate::expansion::model::strategy::Kin;

/// Returns the relatives of a hit, up to its limits.
pub fn of<'a>(hit: &Hit<'a>, ordinal: i64, limits: &Kin) -> Vec<(&'a Chunk, Role)> {
    let Some(section) = &hit.chunk.section else { return Vec::new() };
    let chunks = hit.document.in_order();
    let before = || chunks.iter().filter(|(other, _)| *other < ordinal).map(|(_, chunk)| *chunk);
    let after = || chunks.iter().filter(|(other, _)| *other > ordinal).map(|(_, chunk)| *chunk);
    let first = |limit: i64| usize::try_from(limit).expect("a limit is not negative");

    // With siblings 'parent': "chunks whose section has length len(s) and the same parent (so the
    // hit's own section too)". A root hit, or 'section': "chunks exactly in s".
    let is_sibling = |chunk: &&Chunk| match section.split_last() {
        Some((_, parent)) if limits.siblings == "parent" => chunk.is_child_of(parent),
        _ => chunk.is_in(section),
    };
    let preceding = before().rev().filter(is_sibling).take(first(limits.preceding));
    let following = after().filter(is_sibling).take(first(limits.following));
    // "The first `children` chunks after o whose section is s plus exactly one title."
    let is_child = |chunk: &&Chunk| chunk.is_child_of(section);
    let children = after().filter(is_child).take(first(limits.children));

    let mut kin = parents(section, &before().collect::<Vec<_>>(), first(limits.parents));
    kin.extend(preceding.map(|chunk| (chunk, Role::Preceding)));
    kin.extend(following.map(|chunk| (chunk, Role::Following)));
    kin.extend(children.map(|chunk| (chunk, Role::Child)));
    kin
}

/// Returns the chunks before the hit that represent the sections above it.
fn parents<'a>(section: &[String], before: &[&'a Chunk], limit: usize) -> Vec<(&'a Chunk, Role)> {
    // "Walk depth = len(s) - 1 down to 0; take the first `parents` depths that give something."
    let stands_in = |depth| representative(&section[..depth], before);
    let taken: Vec<_> = (0..section.len()).rev().filter_map(stands_in).take(limit).collect();
    // "Of the taken chunks the one for the nearest section is role parent (max of (min(common
    // prefix length with s, len(s) - 1), ordinal)), the others are ancestor."
    let nearness = |chunk: &&Chunk| {
        let own = chunk.section.as_deref().unwrap_or_default();
        let common = own.iter().zip(section).take_while(|(a, b)| a == b).count();
        (common.min(section.len() - 1), chunk.ordinal)
    };
    let nearest = taken.iter().copied().max_by_key(nearness).map(|chunk| chunk.id);
    let is_nearest = |chunk: &Chunk| nearest == Some(chunk.id);
    let role = |chunk| if is_nearest(chunk) { Role::Parent } else { Role::Ancestor };
    taken.into_iter().map(|chunk| (chunk, role(chunk))).collect()
}

/// "The LAST chunk before o exactly in p; if there is none and depth > 0: the FIRST chunk before o
/// whose section is p plus one title."
fn representative<'a>(section: &[String], before: &[&'a Chunk]) -> Option<&'a Chunk> {
    let own = before.iter().rev().find(|chunk| chunk.is_in(section));
    let child = || before.iter().find(|chunk| !section.is_empty() && chunk.is_child_of(section));
    own.or_else(child).copied()
}
