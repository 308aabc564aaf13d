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
    /// For ends with a hit, the chunks in the run of this hit.
    pub near: Option<Vec<Uuid>>,
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
    let hit_keys: Vec<Option<Key>> = (0..hits.len())
        .map(|hit| {
            Some(key(hits, wholes, &all, (hit, hits[hit].chunk, hit_scope(hits, wholes, hit)?)))
        })
        .collect();
    context.sort_by_key(|(claim, distance)| {
        (hits[claim.hit].class, distance.abs(), claim.role, claim.hit, claim.chunk.ordinal)
    });
    let mut parts: Vec<(PartOrder, Part)> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for (index, (claim, distance)) in context.into_iter().enumerate() {
        let scope = scope(hits, wholes, claim);
        let is_known = claim.chunk.section.is_some() && claim.chunk.ordinal.is_some();
        let key = match scope.filter(|_| is_known) {
            Some(scope) => key(hits, wholes, &all, (claim.hit, claim.chunk, scope)),
            None => Key::Chunk(claim.chunk.id),
        };
        let (kind, stage) = match key {
            Key::Chunk(_) => (PartKind::Chunk, 0),
            Key::OwnUnit(..) | Key::OwnRun(..) => (PartKind::OwnUnit, 0),
            Key::Ends(..) => (PartKind::Ends, 1),
            Key::Member(..) | Key::Merged(_) | Key::Run(..) => (PartKind::Member, 2),
        };
        let place = *places.entry(key.clone()).or_insert_with(|| {
            let class = match kind {
                PartKind::OwnUnit | PartKind::Ends => best_class(hits, wholes, claim.hit),
                _ => hits[claim.hit].class,
            };
            let order = (class, stage, distance.abs(), claim.role, claim.hit, index);
            let in_part = (0..hits.len()).filter(|hit| hit_keys[*hit].as_ref() == Some(&key));
            let best = in_part.min_by_key(|hit| (*hit != claim.hit, *hit));
            let near = best.filter(|_| kind == PartKind::Ends).and_then(|hit| {
                let scope = hit_scope(hits, wholes, hit)?;
                let own = run(&all, &scope, hits[hit].chunk.ordinal?);
                let near = all.iter().filter(|one| {
                    one.scope == scope
                        && one.chunk.ordinal.is_some_and(|at| run(&all, &scope, at) == own)
                });
                Some(near.map(|one| one.chunk.id).collect())
            });
            parts.push((order, Part { kind, chunks: Vec::new(), near }));
            parts.len() - 1
        });
        parts[place].1.chunks.push((claim, distance));
    }
    parts.sort_by_key(|(order, _)| *order);
    parts.into_iter().map(|(_, part)| part).collect()
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
    let of = &hits[hit];
    let section = match of.strategy.whole {
        WholeOf::Document => Section::new(),
        _ => wholes[hit].as_ref().filter(|whole| whole.record.is_none())?.section.clone(),
    };
    (of.chunk.ordinal.is_some() && of.chunk.section.is_some()).then_some((of.document.id, section))
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

fn key(
    hits: &[Hit],
    wholes: &[Option<Whole>],
    all: &[ScopeChunk],
    (hit_index, chunk, scope): (usize, &Chunk, Scope),
) -> Key {
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
