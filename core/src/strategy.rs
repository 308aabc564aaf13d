/*!
Strategies: named rules for which context a hit gets.

A strategy is nothing but a set of limits: what comes as a whole, how many relatives come, and how
far the window to each side reaches. The presets are such sets; a user's own strategy is a preset
with some limits changed, and so is a call with named arguments. What they mean for a hit is
decided in [`mod@crate::expand`].

`auto` is the preset that stands for another one, chosen by the media type of each hit's document.
*/

mod custom_strategy;
mod overrides;
mod preset;

pub use custom_strategy::{CustomStrategy, MediaTypePatterns};
pub use overrides::{MAX_LIMIT, StrategyOverrides, check_limit, check_range};
pub use preset::{PRESETS, Preset};

use crate::Kind;
use crate::error::sql_enum;

/// Which context a hit gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// What comes as a whole, as far as `max_chunks` reaches to each side.
    pub scope: Scope,
    /// What comes by its section.
    pub relatives: RelativeLimits,
    /// What comes by its section in place of a container that a hit does not have.
    pub fallback: RelativeLimits,
    /// Chunks directly before the hit, whatever their section.
    pub before: Window,
    /// Chunks directly after the hit, whatever their section.
    pub after: Window,
    /// What bounds `before` and `after`.
    pub within: Within,
    /// The share of a section that hits must exceed for it to be merged, from 0 to 1.
    pub threshold: f64,
    /// What that share is counted in.
    pub count_by: CountBy,
    /// The most tokens that hits and context may take together; hits come even above it.
    pub max_tokens: Option<u32>,
    /// The most chunks that hits and context may be together; hits come even above it.
    pub max_chunks: Option<u32>,
}

/// What comes as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing.
    None,
    /// The hit's section with all below it.
    Section,
    /// The document.
    Document,
    /// The container around the hit, such as a class or an object, from its head to its closing
    /// part; of prose the section.
    Container,
    /// The outermost section of which enough is hit.
    Merge,
}

/// How many chunks come by their place in the tree of titles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeLimits {
    /// Sections above the hit's of which one chunk comes; the nearest is the parent.
    pub parents: u32,
    /// Siblings before the hit.
    pub preceding: u32,
    /// Siblings after the hit.
    pub following: u32,
    /// Chunks one title below the hit, after it.
    pub children: u32,
    /// Which chunks are siblings.
    pub siblings: Siblings,
}

/// Which chunks are siblings of a hit (decision 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siblings {
    /// Chunks whose section is as long and has the same parent, those of the hit's own included.
    Parent,
    /// Chunks of the hit's own section alone.
    Section,
}

/// What bounds a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The document.
    Document,
    /// The section that the hit's section stands in.
    Parent,
    /// The hit's section.
    Section,
}

/// What the share of a section that was hit is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountBy {
    /// Its chunks and the sections directly below it, one each.
    Chunks,
    /// The tokens of these.
    Tokens,
}

/// How many chunks a window takes to one side, by the kind of the hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// For prose, data and hits of unknown kind.
    pub prose: u32,
    /// For code.
    pub code: u32,
    /// For entries of a reference.
    pub api_reference: u32,
}

impl Window {
    /// Returns a window of one width for every kind.
    pub const fn uniform(width: u32) -> Self {
        Self { prose: width, code: width, api_reference: width }
    }

    /// Returns the width for a hit of some kind.
    pub fn width(self, kind: Option<Kind>) -> u32 {
        match kind {
            Some(Kind::Code) => self.code,
            Some(Kind::ApiReference) => self.api_reference,
            Some(Kind::Prose | Kind::Data) | None => self.prose,
        }
    }

    /// Returns the width for the kind that has most.
    pub fn widest(self) -> u32 {
        self.prose.max(self.code).max(self.api_reference)
    }
}

impl Strategy {
    /// Returns how far a whole is read to each side of a hit.
    pub(crate) fn reach(&self) -> u32 {
        self.max_chunks.unwrap_or(MAX_LIMIT as u32)
    }
}

sql_enum!(Siblings, "siblings", r#""parent" and "section""#, "parent" => Parent, "section" => Section);
sql_enum!(
    Within, "within", r#""document", "parent" and "section""#,
    "document" => Document, "parent" => Parent, "section" => Section
);
sql_enum!(CountBy, "count_by", r#""chunks" and "tokens""#, "chunks" => Chunks, "tokens" => Tokens);
