//! Parts: the chunks that a budget keeps or cuts together.

use super::chunk::{Chunk, Section};
use super::claims::{Claim, Role, Whole};
use super::hit::Hit;
use super::strategy::WholeOf;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The rank of the hit, stage, distance, role, hit and position of the nearest chunk.
type PartOrder = (usize, u8, i64, Role, usize, usize);

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Chunk,
    OwnUnit,
    Ends,
    Member,
}

/// Chunks of a part, the nearest to its hit first, each with its claim and its distance.
pub struct Part<'c, 'a> {
    pub kind: PartKind,
    pub chunks: Vec<(&'c Claim<'a>, i64)>,
}

/// A document and a section in it.
type Scope = (Uuid, Section);

/// Identifies a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Chunk(Uuid),
    OwnUnit(usize),
    Ends(Scope, usize),
    Member(Scope, Section),
    Merged(Uuid),
    Run(Scope, i64),
}

/// A chunk of a scope, or a hit in it.
struct ScopeChunk<'a> {
    scope: Scope,
    chunk: &'a Chunk,
}

/// Divides the best claims into parts, in the order in which a budget is spent.
pub fn parts<'c, 'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    mut context: Vec<(&'c Claim<'a>, i64)>,
) -> Vec<Part<'c, 'a>> {
    let of_claims = context.iter().filter_map(|(claim, _)| {
        Some(ScopeChunk { scope: scope(hits, wholes, claim)?, chunk: claim.chunk })
    });
    let mut all: Vec<ScopeChunk> = of_claims.collect();
    let scopes: Vec<Scope> = all.iter().map(|one| one.scope.clone()).collect();
    for (hit, whole) in hits.iter().zip(wholes) {
        let section = match hit.strategy.whole {
            WholeOf::Document => Some(Section::new()),
            _ => whole.as_ref().filter(|w| w.record.is_none()).map(|whole| whole.section.clone()),
        };
        let scope = section.map(|section| (hit.document.id, section));
        if let Some(scope) = scope.filter(|scope| scopes.contains(scope)) {
            all.push(ScopeChunk { scope, chunk: hit.chunk });
        }
    }
    context.sort_by_key(|(claim, distance)| {
        (hits[claim.hit].class, distance.abs(), claim.role, claim.hit, claim.chunk.ordinal)
    });
    let mut parts: Vec<(PartOrder, Part)> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for (index, (claim, distance)) in context.into_iter().enumerate() {
        let key = key(hits, wholes, &all, claim);
        let (kind, stage) = match key {
            Key::Chunk(_) => (PartKind::Chunk, 0),
            Key::OwnUnit(_) => (PartKind::OwnUnit, 0),
            Key::Ends(..) => (PartKind::Ends, 1),
            Key::Member(..) | Key::Merged(_) | Key::Run(..) => (PartKind::Member, 2),
        };
        let place = *places.entry(key).or_insert_with(|| {
            let class = hits[claim.hit].class;
            let order = (class, stage, distance.abs(), claim.role, claim.hit, index);
            parts.push((order, Part { kind, chunks: Vec::new() }));
            parts.len() - 1
        });
        parts[place].1.chunks.push((claim, distance));
    }
    parts.sort_by_key(|(order, _)| *order);
    parts.into_iter().map(|(_, part)| part).collect()
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

fn key(hits: &[Hit], wholes: &[Option<Whole>], all: &[ScopeChunk], claim: &Claim) -> Key {
    let (hit, chunk) = (&hits[claim.hit], claim.chunk);
    let (Some(scope), Some(section), Some(ordinal)) =
        (scope(hits, wholes, claim), &chunk.section, chunk.ordinal)
    else {
        return Key::Chunk(chunk.id);
    };
    let titles = hit.chunk.section.clone().unwrap_or_default();
    if titles.len() > scope.1.len() && chunk.is_below(&titles) {
        return Key::OwnUnit(claim.hit);
    }
    if wholes[claim.hit].as_ref().is_some_and(|whole| whole.head.is_some()) {
        for depth in (scope.1.len().max(1)..=titles.len()).rev() {
            if is_end(hit, &titles[..depth], ordinal, all, &scope) {
                return Key::Ends(scope, depth);
            }
        }
    }
    let run = |ordinal: i64| run(all, &scope, ordinal);
    if hit.chunk.ordinal.is_some_and(|own| run(own) == run(ordinal)) {
        return Key::OwnUnit(claim.hit);
    }
    let common = section.iter().zip(&titles).take_while(|(a, b)| a == b).count();
    match unit(chunk) {
        _ if section.len() > common => Key::Member(scope, section[..=common].to_vec()),
        Some("container" | "module") => Key::Run(scope.clone(), run(ordinal)),
        _ => Key::Merged(chunk.id),
    }
}

/// Returns whether an ordinal is the first or the last one of a container. The last one is followed by nothing of
/// the container.
fn is_end(
    hit: &Hit,
    container: &[String],
    ordinal: i64,
    all: &[ScopeChunk],
    scope: &Scope,
) -> bool {
    let chunks = hit.document.in_order();
    let own: Vec<_> = chunks.iter().filter(|(_, chunk)| chunk.is_in(container)).collect();
    let (Some((first, head)), Some((last, _))) = (own.first(), own.last()) else { return false };
    let follows = |one: &ScopeChunk| {
        one.scope == *scope
            && one.chunk.ordinal == Some(ordinal + 1)
            && one.chunk.is_below(container)
    };
    let is_last = ordinal == *last && !all.iter().any(follows);
    unit(head) == Some("container") && (ordinal == *first || is_last)
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
