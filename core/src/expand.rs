/*!
Expansion: which chunks belong to a hit.

It takes three steps, and the caller reads between them. [`plan()`] turns hits and their strategies
into probes, each of which an index answers, and into wants, which say whose context a probe's rows
may be. The caller reads the hits and all probes in one statement. [`choose()`] then gives every
chunk its role, keeps it once for its best hit, and spends the budget: hits first, then context by
the score of its hit, its distance and its role.

Nothing here depends on where the chunks lie; the tests answer probes from memory.
*/

mod choose;
mod plan;

pub use choose::{Budget, Choice, Pick, Row, Titles, choose};
pub use plan::{Plan, Probe, Shape, Want, plan};

use crate::section::Section;
use crate::{Kind, Strategy};
use uuid::Uuid;

/// A hit with what its strategy needs to know of it.
#[derive(Clone, Debug)]
pub struct Hit<'a> {
    /// The chunk that was found.
    pub chunk: Uuid,
    /// Its document.
    pub document: Uuid,
    /// Its position, or `None` where it has none: then it gets no context.
    pub ordinal: Option<i32>,
    /// Its section, or `None` in a store without sections: then it has no kin.
    pub section: Option<Section>,
    /// What it is made of, which decides the width of a window.
    pub kind: Option<Kind>,
    /// Its place among the scores, from 0; equal scores share one.
    pub class: usize,
    /// Which context it gets.
    pub strategy: &'a Strategy,
}

/// Why a chunk is there; of several roles a chunk has the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The search found it.
    Hit,
    /// It stands for the nearest section above the hit's that has a chunk before the hit.
    Parent,
    /// It stands for a section further up.
    Ancestor,
    /// A sibling before the hit.
    Preceding,
    /// A sibling after the hit.
    Following,
    /// It is one title below the hit, after it.
    Child,
    /// It stands next to the hit.
    Adjacent,
    /// It came with the hit's section or document.
    Section,
}

impl Role {
    /// Returns the name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Role::Hit => "hit",
            Role::Parent => "parent",
            Role::Ancestor => "ancestor",
            Role::Preceding => "preceding",
            Role::Following => "following",
            Role::Child => "child",
            Role::Adjacent => "adjacent",
            Role::Section => "section",
        }
    }
}
