/*!
Expansion: the context of a hit.

Expansion takes three steps:

1. [`plan()`] turns hits and their strategies into probes, each answered by an index, and into requests,
   which say whose context the rows of a probe may be.
2. The caller reads the hits and all probes in one statement.
3. [`select_context()`] gives every chunk its role, keeps it once for its best hit, and spends the budget:
   hits first, then context by the score of its hit, its role and its distance.

Nothing here depends on storage; the tests answer probes from memory.
*/

mod budget;
mod claim;
mod closings;
mod excerpt;
mod imports;
mod ledger;
mod links;
mod members;
mod merge;
mod open_containers;
mod outer_closings;
mod plan;
mod probe;
mod probe_rows;
mod record_candidates;
mod record_limits;
mod records;
mod relatives;
mod scope_chunks;
mod scope_groups;
mod section_tree;
mod select_context;
mod selection;
mod spend;

pub use budget::{Budget, DefaultBudget};
pub(crate) use links::LINKED_CHUNKS;
pub use links::{LinkedSection, read_links};
pub use open_containers::add_closing_lines;
pub use plan::{bridge_hits, plan};
pub use probe::{Plan, Probe, ReplacedScope, RowRequest, Shape};
pub use scope_groups::ScopeGroup;
pub use select_context::select_context;
pub use selection::{BudgetDecision, ClosingLines, SelectedChunk, Selection, Verdict};

use crate::Strategy;
use passage_split::section::Section;
use passage_split::{DataFormat, Kind, Unit};
use std::ops::Range;
use uuid::Uuid;

/// A hit with the properties that its strategy needs.
#[derive(Clone, Debug)]
pub struct Hit<'a> {
    /// The id of the chunk.
    pub chunk: Uuid,
    /// The id of its document.
    pub document: Uuid,
    /// Its ordinal. A hit without one gets no context.
    pub ordinal: Option<i32>,
    /// Its section; `None` in a store without sections. Then the hit has no relatives.
    pub section: Option<Section>,
    /// Its kind, which decides the width of windows.
    pub kind: Option<Kind>,
    /// Its structural unit, which decides its scope.
    pub unit: Option<Unit>,
    /// The containers around it, the nearest first. Only [`Scope::Container`] uses them.
    ///
    /// [`Scope::Container`]: crate::strategy::Scope::Container
    pub containers: Vec<Container>,
    /// The format of its document, if that is data with a parser. Parsing proves a scope complete.
    pub format: Option<DataFormat>,
    /// The rank of its score, from 0; equal scores share a rank.
    pub score_rank: usize,
    /// Its strategy.
    pub strategy: &'a Strategy,
}

impl Hit<'_> {
    /// Returns whether the chunk between this hit and another one is context of a passage: its text is prose, and its
    /// strategy adds context.
    pub fn has_bridges(&self) -> bool {
        !matches!(self.kind, Some(Kind::Code | Kind::Data)) && self.strategy.has_context()
    }
}

/// A container around a hit: a section whose first chunk is the head of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Container {
    /// The number of the hit's titles that form its section.
    pub depth: usize,
    /// The ordinal of the first chunk directly in it.
    pub first: i32,
    /// The tokens of its first chunk.
    pub head_tokens: u32,
    /// The ordinal of the last chunk directly in it. [`select_context`] may find a later one that closes it.
    pub last: i32,
}

/// A row of a probe, or of a hit. Other types refer to it by its index.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkRow {
    /// The index of its probe; `None` for a hit that was read by its id.
    pub probe: Option<usize>,
    /// The id of the chunk.
    pub chunk: Uuid,
    /// Its ordinal.
    pub ordinal: Option<i32>,
    /// Its tokens, which count against the budget.
    pub tokens: u32,
    /// For an `Inside` probe, the number of titles below the section; `None` for a neighbour outside
    /// the section.
    pub depth_below: Option<u32>,
}

/// Loads columns that only few rows need.
pub trait LazyColumns {
    /// Returns the section of a row, if it has one.
    fn section(&self, row: usize) -> Option<Section>;
    /// Returns the structural unit of a row, if it is known.
    fn unit(&self, row: usize) -> Option<Unit>;
    /// Returns the level of a row, if it is known.
    fn level(&self, row: usize) -> Option<i32>;
    /// Returns the text of a row.
    fn content(&self, row: usize) -> String;
    /// Returns the byte span of a row in the source, if known.
    fn span(&self, row: usize) -> Option<Range<i32>>;
    /// Returns the names that the imports in a row bind.
    fn imports(&self, row: usize) -> Vec<String>;
}

/// The role of a chunk in a result. If several apply, the chunk has the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A hit of the search.
    Hit,
    /// The chunk of the nearest section above the hit's with a chunk before the hit.
    Parent,
    /// A chunk of a section further up, or imports that the passage uses.
    Ancestor,
    /// A sibling before the hit.
    Preceding,
    /// A sibling after the hit.
    Following,
    /// A chunk one title below the hit, after it.
    Child,
    /// A neighbour of the hit.
    Adjacent,
    /// A part of the hit's section, container or document.
    Section,
    /// A chunk of a section that a link of the hit leads to.
    Linked,
}

/// The rule that selected a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The chunk is a hit.
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
    /// The scope is the section.
    Section,
    /// The scope is the document.
    Document,
    /// The scope is the container.
    Container,
    /// The chunk is part of a merged section.
    Merge,
    /// A single chunk between two selected chunks.
    Gap,
    /// The chunk binds names that the passage uses.
    Imports,
    /// The limit `links`.
    Links,
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
            Role::Linked => "linked",
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
            Rule::Links => "links",
        }
    }

    /// Returns the role that a rule gives. With `Parents`, all but the nearest are ancestors instead.
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
            Rule::Links => Role::Linked,
        }
    }
}
