/*!
Scopes: the section or container to which hits are widened.

A container is a class or another unit of source code: a section whose first chunk is its head. A hit in
containers is widened to the nearest one. Hits of a document that share containers are widened to the nearest
shared one. Without a container the scope is the hit's own section, and for unknown units, as in stores that
others fill, the section above it. The scopes of data are records.

Its twin in SQL is `sql/edition/hits.sql`.
*/

use super::{Container, Hit, record_limits};
use crate::strategy::Scope;
use passage_split::interrupt;
use passage_split::section::Section;
use passage_split::{DataFormat, Unit};
use std::collections::HashMap;
use uuid::Uuid;

/// Hits that are widened to the same scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeGroup {
    /// The document of the hits.
    pub document: Uuid,
    /// The section that is returned whole.
    pub section: Section,
    /// The first and the last ordinal directly in the section, if it is a container.
    pub ends: Option<(i32, i32)>,
    /// Whether the scope must parse as JSON to be complete.
    pub is_json: bool,
    /// The indexes of the hits, ascending.
    pub hits: Vec<usize>,
    /// The indexes of the hits for which the scope is a container, ascending. For others it is a section.
    pub inside: Vec<usize>,
    /// The indexes of the probes that read the scope.
    pub probes: Vec<usize>,
}

/// Groups hits by their scope. A hit without a scope is in no group.
pub(super) fn groups(hits: &[Hit]) -> Vec<ScopeGroup> {
    let shared = shared(hits);
    let mut groups: Vec<ScopeGroup> = Vec::new();
    let mut indexes: HashMap<(Uuid, &[String]), usize> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        interrupt::poll();
        let (Some(section), Some(_)) = (&hit.section, hit.ordinal) else { continue };
        if record_limits::applies(hit) {
            continue;
        }
        let container = shared.get(&i);
        let depth = match (hit.strategy.scope, container) {
            (Scope::Section, _) => section.len(),
            (Scope::Container, Some(container)) => container.depth,
            (Scope::Container, None) => match depth_without_container(hit.unit, section.len()) {
                Some(depth) => depth,
                None => continue,
            },
            _ => continue,
        };
        let index = *indexes.entry((hit.document, &section[..depth])).or_insert_with(|| {
            groups.push(ScopeGroup {
                document: hit.document,
                section: section[..depth].to_vec(),
                ends: None,
                is_json: hit.format == Some(DataFormat::Json)
                    && hit.strategy.scope == Scope::Container,
                hits: Vec::new(),
                inside: Vec::new(),
                probes: Vec::new(),
            });
            groups.len() - 1
        });
        let group = &mut groups[index];
        group.ends = group.ends.or(container.map(|container| (container.first, container.last)));
        group.hits.push(i);
        group.inside.extend(container.map(|_| i));
    }
    groups
}

/// Returns the number of titles of the scope of a hit without a container.
fn depth_without_container(unit: Option<Unit>, depth: usize) -> Option<usize> {
    let depth = match unit {
        Some(Unit::Container | Unit::Member | Unit::Value | Unit::Text) => depth,
        Some(Unit::Module) => 0,
        None => depth - usize::from(depth > 1),
    };
    (depth > 0).then_some(depth)
}

/// Returns the containers to which a hit may be widened, the nearest first.
fn eligible<'a>(hit: &'a Hit) -> &'a [Container] {
    let parts = [Some(Unit::Container), Some(Unit::Member), Some(Unit::Value)];
    let applies = hit.strategy.scope == Scope::Container && parts.contains(&hit.unit);
    if applies && !record_limits::applies(hit) { &hit.containers } else { &[] }
}

/// Returns the nearest container that each hit shares with the others in its outermost container.
fn shared(hits: &[Hit]) -> HashMap<usize, Container> {
    let mut families: HashMap<(Uuid, &[String]), Vec<usize>> = HashMap::new();
    for (i, hit) in hits.iter().enumerate() {
        if let (Some(section), Some(_), Some(outermost)) =
            (&hit.section, hit.ordinal, eligible(hit).last())
        {
            let family = (hit.document, &section[..outermost.depth]);
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
                    && eligible(&hits[*other])
                        .iter()
                        .any(|candidate| candidate.depth == container.depth)
            })
        });
        if let Some(common) = common {
            shared.extend(family.iter().map(|hit| (*hit, *common)));
        }
    }
    shared
}

impl ScopeGroup {
    /// Returns the ends of the scope if it is a container for a hit.
    pub(super) fn ends(&self, hit: usize) -> Option<(i32, i32)> {
        self.ends.filter(|_| self.inside.binary_search(&hit).is_ok())
    }

    /// Returns the range of ordinals between the ends of the scope, within the hit's reach. Without a
    /// container this is the hit's own ordinal.
    pub(super) fn core(&self, hit: usize, ordinal: i32, reach: u32) -> (i32, i32) {
        let (first, last) = self.ends(hit).unwrap_or((ordinal, ordinal));
        (
            first.min(ordinal).max(ordinal.saturating_sub_unsigned(reach)),
            last.max(ordinal).min(ordinal.saturating_add_unsigned(reach)),
        )
    }
}
