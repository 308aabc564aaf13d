//! Parts: the chunks that a budget keeps or cuts together.

use super::chunk::{Chunk, Section};
use super::claims::{Claim, Role, Whole, bridges};
use super::excerpt::{Body, PartChunk};
use super::hit::Hit;
use super::strategy::WholeOf;
use std::collections::BTreeSet;
use uuid::Uuid;

/// 0 for a bridge and 2 for a member, the rank of the hit, stage, role, distance, hit and position of the nearest chunk.
type PartOrder = (u8, usize, u8, Role, i64, usize, usize);

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Chunk,
    OwnUnit,
    OwnRun,
    Ends,
    Member,
}

/// Chunks of a part, the nearest to its hit first, each with its claim and its distance.
pub struct Part<'c, 'a> {
    pub kind: PartKind,
    pub chunks: Vec<(&'c Claim<'a>, i64)>,
    /// For units that were hit and ends, all chunks in document order, with the hits.
    pub pieces: Vec<PartChunk<'c, 'a>>,
    /// Whether chunks of several units were joined.
    pub is_joined: bool,
}

/// A document and a section in it.
type Scope = (Uuid, Section);

/// Identifies a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Chunk(Uuid),
    OwnUnit(Scope, Section),
    OwnRun(Scope, i64),
    Ends(Scope, usize),
    Member(Scope, Section),
    Merged(Uuid),
    Run(Scope, i64),
}

/// A chunk of a scope, or a hit in it.
struct ScopeChunk<'c, 'a> {
    scope: Scope,
    chunk: &'a Chunk,
    /// The hit that claims it, or itself.
    hit: usize,
    claim: Option<(&'c Claim<'a>, i64)>,
}

/// Divides the best claims into parts, in the order in which a budget is spent.
pub fn parts<'c, 'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    mut context: Vec<(&'c Claim<'a>, i64)>,
    has_bridges: bool,
) -> Vec<Part<'c, 'a>> {
    let all = scope_chunks(hits, wholes, &context);
    let keys: Vec<Key> = all.iter().map(|one| key(hits, wholes, &all, one)).collect();
    let groups = joined(&all, &keys);
    context.sort_by_key(|(claim, distance)| {
        (hits[claim.hit].class, distance.abs(), claim.role, claim.hit, claim.chunk.ordinal)
    });
    let mut parts: Vec<(PartOrder, BTreeSet<Key>, Part)> = Vec::new();
    for (index, (claim, distance)) in context.into_iter().enumerate() {
        let in_scope = all.iter().position(|one| one.chunk.id == claim.chunk.id);
        let group = match in_scope {
            Some(position) => {
                let is_of = |group: &&BTreeSet<Key>| group.contains(&keys[position]);
                groups.iter().find(is_of).expect("each key is in a group").clone()
            }
            None => BTreeSet::from([Key::Chunk(claim.chunk.id)]),
        };
        if let Some((_, _, part)) = parts.iter_mut().find(|(_, known, _)| *known == group) {
            part.chunks.push((claim, distance));
            continue;
        }
        let kind = kind(&group);
        let (stage, is_of_scope) = match kind {
            PartKind::Chunk => (0, false),
            PartKind::OwnUnit | PartKind::OwnRun => (0, true),
            PartKind::Ends => (1, true),
            PartKind::Member => (2, false),
        };
        let mut part = Part {
            kind,
            chunks: vec![(claim, distance)],
            pieces: Vec::new(),
            is_joined: group.len() > 1,
        };
        let mut class = hits[claim.hit].class;
        if is_of_scope {
            class = best_class(hits, wholes, claim.hit);
            let of_part = (0..all.len()).filter(|one| group.contains(&keys[*one]));
            part.pieces = of_part.map(|one| piece(&all, one)).collect();
        }
        let is_bridge = |ordinal| {
            let of_document =
                hits.iter().filter(|hit| hit.document.id == hits[claim.hit].document.id);
            has_bridges && of_document.into_iter().any(|hit| bridges::is_bridge(hits, hit, ordinal))
        };
        let part_class = match kind {
            _ if claim.role != Role::Linked && claim.chunk.ordinal.is_some_and(is_bridge) => 0,
            PartKind::Member => 2,
            _ => 1,
        };
        // "Linked sections come behind the other context of their hit."
        let stage = if claim.role == Role::Linked { 3 } else { stage };
        let order = (part_class, class, stage, claim.role, distance.abs(), claim.hit, index);
        parts.push((order, group, part));
    }
    parts.sort_by_key(|(order, _, _)| *order);
    parts.into_iter().map(|(_, _, part)| part).collect()
}

/// Returns the chunks of code and data in their scopes, with the hits, in document order.
fn scope_chunks<'c, 'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    context: &[(&'c Claim<'a>, i64)],
) -> Vec<ScopeChunk<'c, 'a>> {
    let mut all: Vec<ScopeChunk> = Vec::new();
    for (claim, distance) in context {
        if let Some(scope) = scope(hits, wholes, claim) {
            let (chunk, hit, claim) = (claim.chunk, claim.hit, Some((*claim, *distance)));
            all.push(ScopeChunk { scope, chunk, hit, claim });
        }
    }
    for hit in 0..hits.len() {
        let scope = hit_scope(hits, wholes, hit);
        if let Some(scope) = scope.filter(|scope| all.iter().any(|one| one.scope == *scope)) {
            all.push(ScopeChunk { scope, chunk: hits[hit].chunk, hit, claim: None });
        }
    }
    all.sort_by_key(|one| (one.scope.clone(), one.chunk.ordinal));
    all
}

/// Returns the sets of keys whose chunks are kept or cut together. "A chunk that begins inside of an item does not parse
/// without the one before it", so their parts are joined.
fn joined(all: &[ScopeChunk], keys: &[Key]) -> Vec<BTreeSet<Key>> {
    let mut groups: Vec<BTreeSet<Key>> =
        keys.iter().map(|key| BTreeSet::from([key.clone()])).collect();
    for (index, one) in all.iter().enumerate() {
        if beginning(all, one) == Beginning::Inside && precedes(all, index) {
            groups.push(BTreeSet::from([keys[index - 1].clone(), keys[index].clone()]));
        }
    }
    // Sets that share a key become one, until none do.
    let mut apart: Vec<BTreeSet<Key>> = Vec::new();
    for mut group in groups {
        let (shared, rest): (Vec<_>, Vec<_>) =
            apart.into_iter().partition(|other| !other.is_disjoint(&group));
        group.extend(shared.into_iter().flatten());
        apart = rest;
        apart.push(group);
    }
    apart
}

/// Returns the kind of a part by the keys that it joins.
fn kind(group: &BTreeSet<Key>) -> PartKind {
    let of_key = |key: &Key| match key {
        Key::Chunk(_) => PartKind::Chunk,
        Key::OwnUnit(..) => PartKind::OwnUnit,
        Key::OwnRun(..) => PartKind::OwnRun,
        Key::Ends(..) => PartKind::Ends,
        Key::Member(..) | Key::Merged(_) | Key::Run(..) => PartKind::Member,
    };
    let kinds: Vec<PartKind> = group.iter().map(of_key).collect();
    let has = |kind| kinds.contains(&kind);
    match kinds[..] {
        [kind] => kind,
        _ if has(PartKind::Ends) => PartKind::Ends,
        _ if has(PartKind::OwnUnit) || has(PartKind::OwnRun) => PartKind::OwnUnit,
        _ => PartKind::Member,
    }
}

/// The beginning of a chunk, as far as its level shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
    Item,
    Inside,
    Unknown,
}

/// "The level of a chunk is that of its section, or of its members if it has several of a container, and one more
/// inside of an item."
fn beginning(all: &[ScopeChunk], one: &ScopeChunk) -> Beginning {
    let section = one.chunk.section.clone().unwrap_or_default();
    let is_head = |other: &ScopeChunk| {
        other.scope == one.scope
            && other.chunk.is_in(&section)
            && unit(other.chunk) == Some("container")
    };
    let has_members = unit(one.chunk) == Some("member") && all.iter().any(is_head);
    let items = section.len() as i64 + i64::from(has_members);
    match one.chunk.level {
        Some(level) if level == items => Beginning::Item,
        Some(level) if level > items => Beginning::Inside,
        _ => Beginning::Unknown,
    }
}

/// Returns whether the chunk before a chunk of a scope is the one directly before it in the document.
fn precedes(all: &[ScopeChunk], index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    all[before].scope == all[index].scope
        && all[before].chunk.ordinal.map(|ordinal| ordinal + 1) == all[index].chunk.ordinal
}

fn piece<'c, 'a>(all: &[ScopeChunk<'c, 'a>], index: usize) -> PartChunk<'c, 'a> {
    let one = &all[index];
    let ordinal = one.chunk.ordinal.expect("a chunk of a scope has an ordinal");
    let begins_inside = beginning(all, one) == Beginning::Inside;
    let before = if precedes(all, index) {
        edge(all, index)
    } else {
        beside_unread(all, one).filter(|_| !begins_inside)
    };
    let has_next = index + 1 < all.len() && precedes(all, index + 1);
    let after = if has_next { edge(all, index + 1) } else { beside_unread(all, one) };
    PartChunk { chunk: one.chunk, ordinal, hit: one.hit, claim: one.claim, before, after }
}

/// Returns the body that is cut between a chunk and the one before it. "The body of an edge is the section that both
/// sides share. Long own text of a container is in a body of its own."
fn edge(all: &[ScopeChunk], index: usize) -> Option<Body> {
    let (before, one) = (&all[index - 1], &all[index]);
    let [left, right] = [before, one].map(|one| one.chunk.section.clone().unwrap_or_default());
    let is_run = left == right && unit(before.chunk) == unit(one.chunk);
    match beginning(all, one) {
        Beginning::Inside => return None,
        Beginning::Unknown if is_run => return None,
        _ => {}
    }
    let shared = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let is_own = is_run && unit(one.chunk) == Some("container");
    let run = one.chunk.ordinal.filter(|_| is_own).map(|ordinal| run(all, &one.scope, ordinal));
    Some((right[..shared].to_vec(), run))
}

/// Returns the body that a chunk is an item of, if the chunk beside it was not read. "A chunk with a level may be a part
/// of a longer unit. Without a level it counts as a whole one." Own text is in its section.
fn beside_unread(all: &[ScopeChunk], one: &ScopeChunk) -> Option<Body> {
    let mut section = one.chunk.section.clone().unwrap_or_default();
    match (unit(one.chunk), beginning(all, one)) {
        (Some("container" | "module"), _) => {}
        (_, Beginning::Unknown) => drop(section.pop()),
        _ => return None,
    }
    Some((section, None))
}

/// Returns the best class of the hits that share the whole unit of a hit. Their units and its ends are spent
/// before any member.
fn best_class(hits: &[Hit], wholes: &[Option<Whole>], hit: usize) -> usize {
    let identity = |other: usize| {
        let whole = wholes[other].as_ref().filter(|whole| whole.record.is_none())?;
        Some((hits[other].document.id, whole.section.clone()))
    };
    let own = identity(hit);
    let others = (0..hits.len()).filter(|other| own.is_some() && identity(*other) == own);
    others.chain([hit]).map(|hit| hits[hit].class).min().expect("the hit itself is among them")
}

/// Returns the scope that a hit is in.
fn hit_scope(hits: &[Hit], wholes: &[Option<Whole>], hit: usize) -> Option<Scope> {
    let own = &hits[hit];
    // A hit that brings no context is a part of the document that another one brings.
    let is_around = |other: &Hit| {
        other.document.id == own.document.id && other.strategy.whole == WholeOf::Document
    };
    let section = match own.strategy.whole {
        WholeOf::Document => Section::new(),
        WholeOf::Nothing if hits.iter().any(is_around) => Section::new(),
        _ => wholes[hit].as_ref().filter(|whole| whole.record.is_none())?.section.clone(),
    };
    (own.chunk.ordinal.is_some() && own.chunk.section.is_some())
        .then_some((own.document.id, section))
}

/// "Code and data consist of members: in a container, a section and a document." A record is kept whole or gives
/// way to a narrower one, so its chunks are not members.
fn scope(hits: &[Hit], wholes: &[Option<Whole>], claim: &Claim) -> Option<Scope> {
    let (hit, whole) = (&hits[claim.hit], wholes[claim.hit].as_ref());
    let is_structured = matches!(hit.chunk.kind.as_deref(), Some("code" | "data"));
    let has_head = whole.is_some_and(|whole| whole.head.is_some());
    let is_record = whole.is_some_and(|whole| whole.record.is_some());
    let section = match hit.strategy.whole {
        _ if is_record => None,
        _ if claim.role != Role::Section || claim.chunk.section.is_none() => None,
        WholeOf::Container if is_structured || has_head => Some(whole?.section.clone()),
        WholeOf::Section if is_structured => Some(whole?.section.clone()),
        WholeOf::Document if is_structured => Some(Section::new()),
        _ => None,
    };
    section.map(|section| (hit.document.id, section))
}

fn key(hits: &[Hit], wholes: &[Option<Whole>], all: &[ScopeChunk], one: &ScopeChunk) -> Key {
    let (hit_index, chunk, scope) = (one.hit, one.chunk, one.scope.clone());
    let hit = &hits[hit_index];
    let section = chunk.section.as_ref().expect("a chunk of a scope has a section");
    let ordinal = chunk.ordinal.expect("a chunk of a scope has an ordinal");
    let titles = hit.chunk.section.clone().unwrap_or_default();
    let has_head = wholes[hit_index].as_ref().is_some_and(|whole| whole.head.is_some());
    let containers = (scope.1.len().max(1)..=titles.len()).rev();
    let containers: Vec<usize> =
        containers.filter(|depth| has_head && is_container(hit, &titles[..*depth])).collect();
    // The unit of the hit is directly in its nearest container.
    let own = containers.first().map_or(titles.len(), |nearest| titles.len().min(nearest + 1));
    let is_unit = !has_head && unit(hit.chunk) == Some("member") && !titles.is_empty();
    if (own > scope.1.len() || is_unit) && chunk.is_below(&titles[..own]) {
        return Key::OwnUnit(scope, titles[..own].to_vec());
    }
    for depth in containers {
        if is_end(hit, &titles[..depth], ordinal, all, &scope) {
            return Key::Ends(scope, depth);
        }
    }
    let run = |ordinal: i64| run(all, &scope, ordinal);
    let is_run = matches!(unit(chunk), Some("container" | "module"));
    if hit.chunk.ordinal.is_some_and(|own| run(own) == run(ordinal)) && (is_run || !has_head) {
        return Key::OwnRun(scope.clone(), run(ordinal));
    }
    let common = section.iter().zip(&titles).take_while(|(a, b)| a == b).count();
    match unit(chunk) {
        _ if section.len() > common => Key::Member(scope, section[..=common].to_vec()),
        _ if is_run => Key::Run(scope.clone(), run(ordinal)),
        _ => Key::Merged(chunk.id),
    }
}

/// Returns the first ordinals of the containers around a hit, the nearest first.
pub fn heads(hit: &Hit) -> Vec<i64> {
    let titles = hit.chunk.section.clone().unwrap_or_default();
    let depths = (1..=titles.len()).rev().filter(|depth| is_container(hit, &titles[..*depth]));
    let first = |depth: usize| {
        let chunks = hit.document.in_order().into_iter();
        chunks.filter(|(_, chunk)| chunk.is_in(&titles[..depth])).map(|(at, _)| at).next()
    };
    depths.filter_map(first).collect()
}

/// Returns whether the first chunk of a section is the head of a container.
fn is_container(hit: &Hit, section: &[String]) -> bool {
    let chunks = hit.document.in_order();
    let first = chunks.iter().find(|(_, chunk)| chunk.is_in(section));
    first.is_some_and(|(_, chunk)| unit(chunk) == Some("container"))
}

/// Returns whether an ordinal is in the first or the last run of a container. The last one is followed by nothing
/// of the container.
fn is_end(
    hit: &Hit,
    container: &[String],
    ordinal: i64,
    all: &[ScopeChunk],
    scope: &Scope,
) -> bool {
    let chunks = hit.document.in_order();
    let own: Vec<_> = chunks.iter().filter(|(_, chunk)| chunk.is_in(container)).collect();
    let (Some((first, _)), Some((last, _))) = (own.first(), own.last()) else { return false };
    let follows = |one: &ScopeChunk| {
        one.scope == *scope && one.chunk.ordinal == Some(last + 1) && one.chunk.is_below(container)
    };
    let is_run = |end: i64| {
        let known = run(all, scope, end);
        known != i64::MIN && known == run(all, scope, ordinal)
    };
    is_run(*first) || is_run(*last) && !all.iter().any(follows)
}

/// Returns the first ordinal of the consecutive chunks around one that have its section and its unit.
fn run(all: &[ScopeChunk], scope: &Scope, mut ordinal: i64) -> i64 {
    let at =
        |ordinal| all.iter().find(|one| one.scope == *scope && one.chunk.ordinal == Some(ordinal));
    let Some(one) = at(ordinal) else { return i64::MIN };
    let is_same = |other: &ScopeChunk| {
        other.chunk.section == one.chunk.section && unit(other.chunk) == unit(one.chunk)
    };
    while at(ordinal - 1).is_some_and(is_same) {
        ordinal -= 1;
    }
    ordinal
}

fn unit(chunk: &Chunk) -> Option<&str> {
    let known = ["module", "container", "member", "value", "text"];
    chunk.unit.as_deref().filter(|unit| known.contains(unit))
}
