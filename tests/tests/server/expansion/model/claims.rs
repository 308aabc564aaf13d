/*!
Claims: the chunks that may be the context of a hit, each with its role.

Several hits may claim a chunk, and one hit may claim it for several reasons. `choice` decides which claim
counts.
*/

pub mod bridges;
mod container;
mod kin;
mod merge;
pub mod record;
mod section;
pub mod window;

pub use merge::gaps;

use super::chunk::{Chunk, Section};
use super::hit::Hit;
use super::strategy::WholeOf;
use uuid::Uuid;

/// The role of a chunk; of several roles a chunk has the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Hit,
    Parent,
    Ancestor,
    Preceding,
    Following,
    Child,
    Adjacent,
    Section,
    Linked,
}

/// A chunk that may be the context of a hit.
pub struct Claim<'a> {
    pub chunk: &'a Chunk,
    pub hit: usize,
    pub role: Role,
    /// Whether the chunk is in the unit of the container that was hit.
    pub is_own: bool,
    /// The number of a chunk of a linked section.
    pub number: Option<i64>,
}

/// A whole unit that a hit is widened to.
pub struct Whole<'a> {
    /// The section of the unit.
    pub section: Section,
    /// The begin of a container: the smallest ordinal exactly in its section.
    pub head: Option<i64>,
    /// The chunks, with that of the hit.
    pub chunks: Vec<&'a Chunk>,
    /// The first and the last chunk of a record.
    pub record: Option<(Uuid, Uuid)>,
    /// Whether a chunk may be missing at the edges of a record.
    pub has_gap: bool,
}

impl<'a> Whole<'a> {
    /// Returns a section, or a container if it has a head.
    pub fn unit(section: Section, head: Option<i64>, chunks: Vec<&'a Chunk>) -> Self {
        Self { section, head, chunks, record: None, has_gap: false }
    }

    /// Returns a record, by its chunks in the order of the document.
    pub fn record(hit: &Hit<'a>, chunks: Vec<&'a Chunk>, has_gap: bool) -> Self {
        let record = chunks.first().zip(chunks.last()).map(|(first, last)| (first.id, last.id));
        let section = hit.chunk.section.clone().unwrap_or_default();
        Self { section, head: None, chunks, record, has_gap }
    }

    /// Returns what hits of a document must share to have the same whole unit.
    pub fn identity(&self) -> (Option<(Uuid, Uuid)>, Option<&Section>) {
        (self.record, self.record.is_none().then_some(&self.section))
    }
}

/// The rejections of the whole unit of a hit so far.
#[derive(Clone, Default)]
pub struct State {
    /// Whether the hit has fallen back.
    pub has_fallen: bool,
    /// The number of its records that were rejected, from the widest one.
    pub rejected: usize,
    /// Whether the budget rejected one that was required.
    pub is_cut: bool,
}

/// Returns the whole unit of each hit, except of those that have fallen back.
pub fn wholes<'a>(hits: &[Hit<'a>], states: &[State]) -> Vec<Option<Whole<'a>>> {
    let whole = |(i, hit): (usize, &Hit<'a>)| match hit.strategy.whole {
        WholeOf::Section => section::whole(hit),
        WholeOf::Container if states[i].has_fallen => None,
        WholeOf::Container if record::applies(hit) => {
            let scopes = record::candidates(hit).scopes.into_iter();
            scopes.map(|candidate| candidate.whole).nth(states[i].rejected)
        }
        WholeOf::Container => container::whole(hits, hit),
        WholeOf::Merged => merge::whole(hits, hit),
        _ => None,
    };
    hits.iter().enumerate().map(whole).collect()
}

/// Returns the whole unit of a hit as if it were the only hit.
pub fn alone<'a>(hit: &Hit<'a>) -> Option<Whole<'a>> {
    match hit.strategy.whole {
        WholeOf::Container if record::applies(hit) => {
            let scopes = record::candidates(hit).scopes.into_iter();
            scopes.map(|candidate| candidate.whole).next()
        }
        WholeOf::Container => container::whole(&[], hit),
        _ => None,
    }
}

/// Returns all claims of all hits. "A hit without ordinal gets no context." Passages have bridges.
pub fn claims<'a>(
    hits: &[Hit<'a>],
    wholes: &[Option<Whole<'a>>],
    has_bridges: bool,
) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    for (i, hit) in hits.iter().enumerate() {
        let Some(ordinal) = hit.chunk.ordinal else { continue };
        let strategy = &hit.strategy;
        let mut claim = |chunk, role, is_own| {
            claims.push(Claim { chunk, hit: i, role, is_own, number: None });
        };

        let mut kin = kin::of(hit, ordinal, &strategy.kin);
        if fell_back(hit, wholes[i].as_ref()) {
            kin.extend(kin::of(hit, ordinal, &strategy.fallback));
        }
        for (chunk, role) in kin {
            claim(chunk, role, false);
        }
        for chunk in window::of(hit, ordinal) {
            claim(chunk, Role::Adjacent, false);
        }
        if strategy.whole == WholeOf::Document {
            for (_, chunk) in section::within_reach(hit, ordinal) {
                claim(chunk, Role::Section, false);
            }
        }
        if let Some(whole) = &wholes[i] {
            for chunk in &whole.chunks {
                claim(chunk, Role::Section, is_own(hit, whole, chunk));
            }
        }
        if strategy.whole == WholeOf::Merged {
            for chunk in gaps(hits, hit) {
                claim(chunk, Role::Adjacent, false);
            }
        }
        if has_bridges {
            for chunk in bridges::of(hits, hit) {
                claim(chunk, Role::Adjacent, false);
            }
        }
        for linked in &hit.linked {
            let (chunk, role, number) = (linked.chunk, Role::Linked, Some(linked.number));
            claims.push(Claim { chunk, hit: i, role, is_own: false, number });
        }
    }
    claims
}

/// Returns whether `hierarchical` found no container for a hit.
pub fn fell_back(hit: &Hit, whole: Option<&Whole>) -> bool {
    hit.strategy.whole == WholeOf::Container && whole.is_none()
}

/// Returns whether a chunk is in the unit of a container that was hit: "X != s and prefix(s, c.section)".
fn is_own(hit: &Hit, whole: &Whole, chunk: &Chunk) -> bool {
    let section = hit.chunk.section.as_deref().unwrap_or_default();
    whole.head.is_some() && whole.section != section && chunk.is_below(section)
}
