/*!
Expansion: which chunks belong to a hit.

It takes three steps, and the caller reads between them. [`plan()`] turns hits and their strategies
into probes, each of which an index answers, and into wants, which say whose context a probe's rows
may be. The caller reads the hits and all probes in one statement. [`select_context()`] then gives every
chunk its role, keeps it once for its best hit, and spends the budget: hits first, then context by
the score of its hit, its distance and its role.

Nothing here depends on where the chunks lie; the tests answer probes from memory.
*/

mod budget;
mod claim;
mod imports;
mod merge;
mod plan;
mod probe;
mod relatives;
mod select_context;
mod whole;

pub use budget::{Budget, BudgetDecision, Verdict};
pub use plan::plan;
pub use probe::{Plan, Probe, RowRequest, Shape};
pub use select_context::{SelectedChunk, Selection, select_context};
pub use whole::ScopeGroup;

use crate::section::Section;
use crate::{Kind, Strategy, Unit};
use std::ops::Range;
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
    /// The structural unit it belongs to, which decides what it is widened to.
    pub unit: Option<Unit>,
    /// The containers around it, the nearest first; looked at for [`Scope::Container`] alone.
    ///
    /// [`Scope::Container`]: crate::strategy::Scope::Container
    pub containers: Vec<Container>,
    /// Whether its document is JSON, so that what came whole can be told by parsing it.
    pub is_json: bool,
    /// Its place among the scores, from 0; equal scores share one.
    pub score_rank: usize,
    /// Which context it gets.
    pub strategy: &'a Strategy,
}

/// A section around a hit that is a container: its first chunk is the head of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container {
    /// How many of the hit's titles it has.
    pub depth: usize,
    /// The ordinal of the first chunk exactly in it.
    pub first: i32,
    /// The ordinal of the last one.
    pub last: i32,
}

/// A chunk that was read; its place in the list of rows is how it is known here.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkRow {
    /// The probe that returned it, or `None` for a hit that was read by its id.
    pub probe: Option<usize>,
    /// The chunk.
    pub chunk: Uuid,
    /// Its position.
    pub ordinal: Option<i32>,
    /// What it costs of the budget.
    pub tokens: u32,
    /// What an `Inside` probe says of it: how many titles it is below the section; `None` where it
    /// is not in it, but next to what is.
    pub depth_below: Option<u32>,
}

/// Tells of rows what is looked at for few of them.
pub trait LazyColumns {
    /// Returns the section of a row, or `None` where it has none.
    fn section(&self, row: usize) -> Option<Section>;
    /// Returns the text of a row.
    fn content(&self, row: usize) -> String;
    /// Returns the bytes of the source that a row holds, where they are known.
    fn span(&self, row: usize) -> Option<Range<i32>>;
    /// Returns the names that the imports in a row bind.
    fn imports(&self, row: usize) -> Vec<String>;
}

/// Why a chunk is there; of several roles a chunk has the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The search found it.
    Hit,
    /// It stands for the nearest section above the hit's that has a chunk before the hit.
    Parent,
    /// It stands for a section further up, or holds imports that the passage uses.
    Ancestor,
    /// A sibling before the hit.
    Preceding,
    /// A sibling after the hit.
    Following,
    /// It is one title below the hit, after it.
    Child,
    /// It stands next to the hit.
    Adjacent,
    /// It came with the hit's section, container or document.
    Section,
}

/// By which rule a chunk came into consideration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// It is a hit.
    Hit,
    /// The limit `parents`.
    Parents,
    /// The limit `preceding`.
    Preceding,
    /// The limit `following`.
    Following,
    /// The limit `children`.
    Children,
    /// The limit `before`.
    Before,
    /// The limit `after`.
    After,
    /// It is of the whole section.
    Section,
    /// It is of the whole document.
    Document,
    /// It is of the whole container.
    Container,
    /// It is of a section of which enough was hit.
    Merge,
    /// It stands alone between two chunks that come.
    Gap,
    /// It binds names that the passage uses.
    Imports,
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

impl Rule {
    /// Returns the name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Hit => "hit",
            Rule::Parents => "parents",
            Rule::Preceding => "preceding",
            Rule::Following => "following",
            Rule::Children => "children",
            Rule::Before => "before",
            Rule::After => "after",
            Rule::Section => "section",
            Rule::Document => "document",
            Rule::Container => "container",
            Rule::Merge => "merge",
            Rule::Gap => "gap",
            Rule::Imports => "imports",
        }
    }

    /// Returns what the rule makes of a chunk; `parents` makes ancestors of all but the nearest.
    fn role(self) -> Role {
        match self {
            Rule::Hit => Role::Hit,
            Rule::Parents => Role::Parent,
            Rule::Preceding => Role::Preceding,
            Rule::Following => Role::Following,
            Rule::Children => Role::Child,
            Rule::Before | Rule::After | Rule::Gap => Role::Adjacent,
            Rule::Section | Rule::Document | Rule::Container | Rule::Merge => Role::Section,
            Rule::Imports => Role::Ancestor,
        }
    }
}
