/*!
Claims: which chunks may be the context of a hit, and in which role.

A chunk may be claimed by many hits, and by one for several reasons; which claim counts is decided
in `choice`.
*/

mod container;
mod kin;
mod merge;
mod section;
mod window;

pub use merge::gaps;

use super::chunk::{Chunk, Section};
use super::hit::Hit;
use super::strategy::WholeOf;

/// Why a chunk is there; of several roles a chunk has the first in this order.
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
}

/// A chunk that may be the context of a hit.
pub struct Claim<'a> {
    pub chunk: &'a Chunk,
    pub hit: usize,
    pub role: Role,
    /// What of a container comes first: 0 what stands around the hit below the container, 1 the
    /// container's own chunks, 2 the rest. Other claims are of stage 0.
    pub stage: u8,
    /// Whether it is of the unit that was hit in a container.
    pub is_own: bool,
}

/// What comes as a whole with a hit.
pub struct Whole<'a> {
    /// The section that is meant.
    pub section: Section,
    /// Where the container begins, if a container it is: the smallest ordinal exactly in it.
    pub head: Option<i64>,
    /// The chunks, the hit's own among them.
    pub chunks: Vec<&'a Chunk>,
}

/// What comes as a whole with each hit, those apart that have fallen back already.
pub fn wholes<'a>(hits: &[Hit<'a>], fallen: &[bool]) -> Vec<Option<Whole<'a>>> {
    let whole = |(i, hit): (usize, &Hit<'a>)| match hit.strategy.whole {
        WholeOf::Section => section::whole(hit),
        WholeOf::Container if !fallen[i] => container::whole(hits, hit),
        WholeOf::Merged => merge::whole(hits, hit),
        _ => None,
    };
    hits.iter().enumerate().map(whole).collect()
}

/// What a hit would be widened to if it were the only one.
pub fn alone<'a>(hit: &Hit<'a>) -> Option<Whole<'a>> {
    match hit.strategy.whole {
        WholeOf::Container => container::whole(&[], hit),
        _ => None,
    }
}

/// All claims of all hits. "A hit without ordinal gets no context."
pub fn claims<'a>(hits: &[Hit<'a>], wholes: &[Option<Whole<'a>>]) -> Vec<Claim<'a>> {
    let mut claims = Vec::new();
    for (i, hit) in hits.iter().enumerate() {
        let Some(ordinal) = hit.chunk.ordinal else { continue };
        let strategy = &hit.strategy;
        let mut claim = |chunk, role, stage| {
            let of_container = wholes[i].as_ref().is_some_and(|whole| whole.head.is_some());
            let is_own = of_container && role == Role::Section && stage == 0;
            claims.push(Claim { chunk, hit: i, role, stage, is_own });
        };

        let mut kin = kin::of(hit, ordinal, &strategy.kin);
        if fell_back(hit, wholes[i].as_ref()) {
            kin.extend(kin::of(hit, ordinal, &strategy.fallback));
        }
        for (chunk, role) in kin {
            claim(chunk, role, 0);
        }
        for chunk in window::of(hit, ordinal) {
            claim(chunk, Role::Adjacent, 0);
        }
        if strategy.whole == WholeOf::Document {
            for (_, chunk) in section::within_reach(hit, ordinal) {
                claim(chunk, Role::Section, 0);
            }
        }
        if let Some(whole) = &wholes[i] {
            for chunk in &whole.chunks {
                claim(chunk, Role::Section, stage(hit, whole, chunk));
            }
        }
        if strategy.whole == WholeOf::Merged {
            for chunk in gaps(hits, hit) {
                claim(chunk, Role::Adjacent, 0);
            }
        }
    }
    claims
}

/// Whether `hierarchical` found nothing to widen a hit to.
pub fn fell_back(hit: &Hit, whole: Option<&Whole>) -> bool {
    hit.strategy.whole == WholeOf::Container && whole.is_none()
}

/// "0 if X != s and prefix(s, c.section); else 1 if c.section == X; else 2."
fn stage(hit: &Hit, whole: &Whole, chunk: &Chunk) -> u8 {
    let section = hit.chunk.section.as_deref().unwrap_or_default();
    if whole.head.is_none() || whole.section != section && chunk.is_below(section) {
        0
    } else if chunk.is_in(&whole.section) {
        1
    } else {
        2
    }
}
