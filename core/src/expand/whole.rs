/*!
What comes whole with a hit: its section, or the container that it is a part of.

A container is a class, an object, a table: a section whose first chunk is the head of one. A hit in
it is widened to the nearest, and hits of a document that share one to the nearest that they share,
though never to the file, which in structured data is the outermost value. What is in no container
is whole by itself, prose is its section, and where the unit is unknown, as in stores that others
fill, the section above serves.
*/

use super::{Container, Hit};
use crate::interrupt;
use crate::section::Section;
use crate::strategy::Scope;
use crate::{Kind, Unit};
use std::collections::HashMap;
use uuid::Uuid;

/// Hits that are widened to the same section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeGroup {
    /// Their document.
    pub document: Uuid,
    /// What comes whole.
    pub section: Section,
    /// The first and the last ordinal exactly in it, where it is known to be a container.
    pub ends: Option<(i32, i32)>,
    /// Whether what comes is complete only if it is JSON.
    pub is_json: bool,
    /// The hits, by their places in the list, ascending.
    pub hits: Vec<usize>,
    /// Those of them for which it is a container, ascending: for the others it is only a section.
    pub inside: Vec<usize>,
    /// The probes that read it, by their places in the plan.
    pub probes: Vec<usize>,
}

/// Puts hits whose strategy brings a section whole into groups; a hit without one is in none.
pub(super) fn groups(hits: &[Hit]) -> Vec<ScopeGroup> {
    let shared = shared(hits);
    let mut groups: Vec<ScopeGroup> = Vec::new();
    let mut places: HashMap<(Uuid, &[String]), usize> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        interrupt::poll();
        let (Some(section), Some(_)) = (&hit.section, hit.ordinal) else { continue };
        let container = shared.get(&i);
        let depth = match (hit.strategy.scope, container) {
            (Scope::Section, _) => section.len(),
            (Scope::Container, Some(container)) => container.depth,
            (Scope::Container, None) => match alone(hit.unit, section.len()) {
                Some(depth) => depth,
                None => continue,
            },
            _ => continue,
        };
        let place = *places.entry((hit.document, &section[..depth])).or_insert_with(|| {
            groups.push(ScopeGroup {
                document: hit.document,
                section: section[..depth].to_vec(),
                ends: None,
                is_json: hit.is_json && hit.strategy.scope == Scope::Container,
                hits: Vec::new(),
                inside: Vec::new(),
                probes: Vec::new(),
            });
            groups.len() - 1
        });
        let group = &mut groups[place];
        group.ends = group.ends.or(container.map(|container| (container.first, container.last)));
        group.hits.push(i);
        group.inside.extend(container.map(|_| i));
    }
    groups
}

/// How many titles of a hit's section name what comes whole where there is no container.
fn alone(unit: Option<Unit>, depth: usize) -> Option<usize> {
    let depth = match unit {
        Some(Unit::Container | Unit::Member | Unit::Value | Unit::Text) => depth,
        Some(Unit::Module) => 0,
        None => depth - usize::from(depth > 1),
    };
    (depth > 0).then_some(depth)
}

/// The containers that a hit may be widened to, the nearest first.
fn eligible<'a>(hit: &'a Hit) -> &'a [Container] {
    let parts = [Some(Unit::Container), Some(Unit::Member), Some(Unit::Value)];
    if hit.strategy.scope != Scope::Container || !parts.contains(&hit.unit) {
        return &[];
    }
    match &hit.containers[..] {
        // The outermost value of data is the file, unless there is nothing else.
        [inner @ .., Container { depth: 1, .. }]
            if hit.kind == Some(Kind::Data) && !inner.is_empty() =>
        {
            inner
        }
        containers => containers,
    }
}

/// Finds for hits the nearest container that they share with the others of its outermost one.
fn shared(hits: &[Hit]) -> HashMap<usize, Container> {
    let mut families: HashMap<(Uuid, &[String], bool), Vec<usize>> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        if let (Some(section), Some(_), Some(outermost)) =
            (&hit.section, hit.ordinal, eligible(hit).last())
        {
            // What is widened to the file takes no other hit along.
            let is_file = outermost.depth == 1 && hit.kind == Some(Kind::Data);
            let family = (hit.document, &section[..outermost.depth], is_file);
            families.entry(family).or_default().push(i);
        }
    }
    let mut shared = HashMap::new();
    for family in families.values() {
        let titles = |hit: usize| hits[hit].section.as_deref().unwrap_or_default();
        let (first, others) = family.split_first().expect("a family has a hit");
        let common = eligible(&hits[*first]).iter().find(|container| {
            let section = &titles(*first)[..container.depth];
            others.iter().all(|other| {
                titles(*other).starts_with(section)
                    && eligible(&hits[*other]).iter().any(|of| of.depth == container.depth)
            })
        });
        if let Some(common) = common {
            shared.extend(family.iter().map(|hit| (*hit, *common)));
        }
    }
    shared
}

impl ScopeGroup {
    /// Returns the ends of the whole where it is a container for a hit.
    pub(super) fn ends(&self, hit: usize) -> Option<(i32, i32)> {
        self.ends.filter(|_| self.inside.binary_search(&hit).is_ok())
    }

    /// Returns the ordinals that are known to lie between the ends of the whole, as far as a hit
    /// reaches; where it is no container for it, the hit's own.
    pub(super) fn core(&self, hit: usize, ordinal: i32, reach: u32) -> (i32, i32) {
        let (first, last) = self.ends(hit).unwrap_or((ordinal, ordinal));
        (
            first.min(ordinal).max(ordinal.saturating_sub_unsigned(reach)),
            last.max(ordinal).min(ordinal.saturating_add_unsigned(reach)),
        )
    }
}
