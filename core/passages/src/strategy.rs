/*!
Strategies: named rules for the context of a hit.

A strategy is a set of limits: the scope that is returned whole, the number of relatives, and the width of the
window on each side. Presets are built in. A custom strategy of a store is a preset with some limits changed,
and so is a call with named arguments. The `expand` module applies the limits.

The preset `auto` stands for another one, chosen by the media type of each hit's document.

Its twin in SQL is `sql/edition/strategy.sql`.
*/

mod custom_strategy;
mod limits;
mod overrides;
mod preset;

pub use custom_strategy::{CustomStrategy, MediaTypePatterns};
pub use overrides::{MAX_NAME, StrategyOverrides, check_length, check_limit, check_range};
pub use preset::{PRESETS, Preset};

use crate::error::sql_enum;
use passage_split::Kind;

/// The limits of the context of a hit.
///
/// ```
/// use passage_core::Strategy;
///
/// let broad = Strategy::preset("broad").unwrap();
/// assert_eq!((broad.relatives.parents, broad.relatives.children), (1, 3));
/// assert_eq!(Strategy::preset("wide"), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// The scope that is returned whole, at most `max_chunks` to each side.
    pub scope: Scope,
    /// The relatives by section.
    pub relatives: RelativeLimits,
    /// The relatives of a hit without a container, if the scope is the container.
    pub fallback: RelativeLimits,
    /// The number of chunks directly before the hit, in any section.
    pub before: Window,
    /// The number of chunks directly after the hit, in any section.
    pub after: Window,
    /// The bounds of `before` and `after`.
    pub within: Within,
    /// The share of a section that hits must exceed before the section is merged, 0 to 1.
    pub threshold: f64,
    /// The unit of that share.
    pub count_by: CountBy,
    /// The maximum tokens of hits and context together. Hits are returned even above it. 0 means no limit,
    /// `None` the default of the call.
    pub max_tokens: Option<u32>,
    /// The maximum tokens of the context of one hit, without the hit. 0 means no limit, `None` the default of
    /// the call.
    pub max_passage_tokens: Option<u32>,
    /// The maximum number of hits and context chunks. Hits are returned even above it.
    pub max_chunks: Option<u32>,
    /// The number of sections that links of the hit lead to.
    pub links: u32,
    /// The numbers of chunks that a call or a row names, such as `parents`. They count more than a default limit of
    /// tokens. Empty if tokens are limited by name too.
    pub named: NamedLimits,
}

/// The numbers of chunks, by the names of their arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedLimits(u8);

impl NamedLimits {
    /// No limit.
    pub const NONE: Self = Self(0);
    const NAMES: [&str; 6] = ["parents", "preceding", "following", "children", "before", "after"];

    /// Adds a limit. Others than numbers of chunks are left out.
    fn add(&mut self, name: &str) {
        self.0 |= Self::bit(name);
    }

    /// Returns whether a limit is among them.
    pub fn contains(self, name: &str) -> bool {
        self.0 & Self::bit(name) != 0
    }

    fn bit(name: &str) -> u8 {
        let at = Self::NAMES.iter().position(|known| *known == name);
        at.map_or(0, |at| 1 << at)
    }
}

/// The scope that is returned whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// No scope.
    None,
    /// The hit's section and all sections below it.
    Section,
    /// The document.
    Document,
    /// The container around the hit, such as a class or an object, from its head to its closing
    /// part; for prose the section.
    Container,
    /// The outermost section whose share of hits exceeds the threshold.
    Merge,
}

/// The number of related chunks, by their position in the section tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeLimits {
    /// The number of sections above the hit with one chunk each; the nearest is the parent.
    pub parents: u32,
    /// The number of siblings before the hit.
    pub preceding: u32,
    /// The number of siblings after the hit.
    pub following: u32,
    /// The number of chunks one title below the hit, after it.
    pub children: u32,
    /// The definition of siblings.
    pub siblings: Siblings,
}

/// The definition of siblings (decision 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siblings {
    /// Chunks in sections of the same length with the same parent, including the hit's section.
    Parent,
    /// Chunks of the hit's own section only.
    Section,
}

/// The bounds of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The document.
    Document,
    /// The parent of the hit's section.
    Parent,
    /// The hit's section.
    Section,
}

/// The unit in which the share of a section is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountBy {
    /// Its chunks and its direct subsections, one each.
    Chunks,
    /// The tokens of its chunks and subsections.
    Tokens,
}

/// The width of a window on one side, in chunks, by the kind of the hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The width for prose, data and unknown kinds.
    pub prose: u32,
    /// The width for code.
    pub code: u32,
    /// The width for entries of an API reference.
    pub api_reference: u32,
}

impl Window {
    /// Returns a window with the same width for every kind.
    pub const fn uniform(width: u32) -> Self {
        Self { prose: width, code: width, api_reference: width }
    }

    /// Returns the width for a kind.
    pub fn width(self, kind: Option<Kind>) -> u32 {
        match kind {
            Some(Kind::Code) => self.code,
            Some(Kind::ApiReference) => self.api_reference,
            Some(Kind::Prose | Kind::Data) | None => self.prose,
        }
    }

    /// Returns the largest width of all kinds.
    pub fn widest(self) -> u32 {
        self.prose.max(self.code).max(self.api_reference)
    }
}

impl Strategy {
    /// Returns whether the strategy adds anything to hits.
    pub fn has_context(&self) -> bool {
        let RelativeLimits { parents, preceding, following, children, .. } = self.relatives;
        self.scope != Scope::None
            || [parents, preceding, following, children].iter().any(|limit| *limit > 0)
            || self.before.widest().max(self.after.widest()) > 0
    }

    /// Returns the strategy of a hit that brings no context; budgets are those of all hits.
    ///
    /// ```
    /// use passage_core::Strategy;
    ///
    /// let section = Strategy { max_tokens: Some(500), ..Strategy::preset("section").unwrap() };
    /// let alone = section.without_context();
    /// assert_eq!((alone.has_context(), alone.max_tokens), (false, Some(500)));
    /// ```
    #[must_use]
    pub fn without_context(&self) -> Self {
        let Self { max_tokens, max_passage_tokens, max_chunks, named, .. } = *self;
        let none = Self::preset("none").expect("none is a preset");
        Self { max_tokens, max_passage_tokens, max_chunks, named, ..none }
    }

    /// Returns how many chunks of a scope are read on each side of a hit.
    pub(crate) fn reach(&self) -> u32 {
        self.max_chunks.unwrap_or(passage_split::MAX_LIMIT as u32)
    }
}

sql_enum!(Siblings, "siblings", r#""parent" and "section""#, "parent" => Parent, "section" => Section);
sql_enum!(
    Within, "within", r#""document", "parent" and "section""#,
    "document" => Document, "parent" => Parent, "section" => Section
);
sql_enum!(CountBy, "count_by", r#""chunks" and "tokens""#, "chunks" => Chunks, "tokens" => Tokens);
