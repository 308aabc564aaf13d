/*!
Strategies: named rules for which context a hit gets.

A strategy is nothing but a set of limits: how many parents, siblings and children come, how far
the window to each side reaches, and whether the whole section or document comes. The presets are
such sets; a user's own strategy is a preset with some limits changed, and so is a call with named
arguments. What they mean for a hit is decided in [`mod@crate::expand`].

`auto` is the preset that stands for another one, chosen by the media type of each hit's document.
*/

use crate::{Error, Kind};

/// The most that any limit may be.
pub const MOST: i64 = 1_000_000;

/// Which context a hit gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// What comes as a whole, apart from the limits.
    pub whole: Whole,
    /// Sections above the hit's of which one chunk comes; the nearest is the parent.
    pub parents: u32,
    /// Siblings before the hit.
    pub preceding: u32,
    /// Siblings after the hit.
    pub following: u32,
    /// Chunks one title below the hit, after it.
    pub children: u32,
    /// Chunks directly before the hit, whatever their section.
    pub before: Window,
    /// Chunks directly after the hit, whatever their section.
    pub after: Window,
    /// Which chunks are siblings.
    pub siblings: Siblings,
    /// What bounds `before` and `after`.
    pub within: Within,
    /// The most tokens that hits and context may take together; hits come even above it.
    pub max_tokens: Option<u32>,
    /// The most chunks that hits and context may be together; hits come even above it.
    pub max_chunks: Option<u32>,
}

/// What comes as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Nothing.
    None,
    /// The hit's section with all below it.
    Section,
    /// The document.
    Document,
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
}

/// A strategy that needs no store: its name, what it is for, and its limits.
pub struct Preset {
    /// The name that a call gives.
    pub name: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// The limits; for `auto`, those of prose.
    pub strategy: Strategy,
}

/// Every preset, as `strategies` lists them.
///
/// # Source
///
/// `broad` is the markdown strategy of seed 004, `reassembly` the limits of seed 000, and the
/// windows of `adjacent` those of seed 002.
pub static PRESETS: [Preset; 7] = [
    Preset {
        name: "auto",
        description: "by the media type of the document; broad for prose",
        strategy: BROAD,
    },
    Preset { name: "none", description: "the hits alone", strategy: NONE },
    Preset {
        name: "adjacent",
        description: "the chunks next to the hit, more of code than of prose",
        strategy: Strategy { before: ADJACENT, after: ADJACENT, max_chunks: Some(50), ..NONE },
    },
    Preset {
        name: "broad",
        description: "the parent, a sibling before, two after, and three children",
        strategy: BROAD,
    },
    Preset {
        name: "reassembly",
        description: "the parent, two siblings on each side, and five children",
        strategy: Strategy { parents: 1, preceding: 2, following: 2, children: 5, ..NONE },
    },
    Preset {
        name: "section",
        description: "the section of the hit with all below it",
        strategy: Strategy { whole: Whole::Section, max_chunks: Some(500), ..NONE },
    },
    Preset {
        name: "document",
        description: "the whole document, nearest to the hits first",
        strategy: Strategy { whole: Whole::Document, max_chunks: Some(500), ..NONE },
    },
];

const NONE: Strategy = Strategy {
    whole: Whole::None,
    parents: 0,
    preceding: 0,
    following: 0,
    children: 0,
    before: Window::uniform(0),
    after: Window::uniform(0),
    siblings: Siblings::Parent,
    within: Within::Document,
    max_tokens: None,
    max_chunks: None,
};

const BROAD: Strategy = Strategy { parents: 1, preceding: 1, following: 2, children: 3, ..NONE };

const ADJACENT: Window = Window { prose: 2, code: 3, api_reference: 1 };

impl Strategy {
    /// Returns the limits of a preset, or `None` if there is no preset of this name.
    pub fn preset(name: &str) -> Option<Strategy> {
        PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.strategy.clone())
    }

    /// Returns how far a whole section or document is read to each side of a hit.
    pub(crate) fn reach(&self) -> u32 {
        self.max_chunks.unwrap_or(MOST as u32)
    }
}

/// Limits that replace those of a strategy: `None` leaves them as they are.
///
/// This is what the named arguments of a call and the rows of a store's table `strategies` hold,
/// as SQL gives them: unchecked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// See [`Strategy::parents`].
    pub parents: Option<i32>,
    /// See [`Strategy::preceding`].
    pub preceding: Option<i32>,
    /// See [`Strategy::following`].
    pub following: Option<i32>,
    /// See [`Strategy::children`].
    pub children: Option<i32>,
    /// See [`Strategy::before`]; for every kind.
    pub before: Option<i32>,
    /// See [`Strategy::after`]; for every kind.
    pub after: Option<i32>,
    /// `parent` or `section`.
    pub siblings: Option<String>,
    /// `document`, `parent` or `section`.
    pub within: Option<String>,
    /// See [`Strategy::max_tokens`].
    pub max_tokens: Option<i32>,
    /// See [`Strategy::max_chunks`].
    pub max_chunks: Option<i32>,
}

impl Overrides {
    /// Replaces the limits of a strategy by those that are given.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OutOfRange`] for a limit below zero or above [`MOST`], and
    /// [`Error::UnknownValue`] for a word that `siblings` or `within` does not take.
    pub fn apply(&self, strategy: &mut Strategy) -> Result<(), Error> {
        let limits = [
            ("parents", self.parents, &mut strategy.parents),
            ("preceding", self.preceding, &mut strategy.preceding),
            ("following", self.following, &mut strategy.following),
            ("children", self.children, &mut strategy.children),
        ];
        for (argument, given, limit) in limits {
            if let Some(value) = given {
                *limit = checked(argument, value)?;
            }
        }
        let windows = [
            ("before", self.before, &mut strategy.before),
            ("after", self.after, &mut strategy.after),
        ];
        for (argument, given, window) in windows {
            if let Some(value) = given {
                *window = Window::uniform(checked(argument, value)?);
            }
        }
        let budgets = [
            ("max_tokens", self.max_tokens, &mut strategy.max_tokens),
            ("max_chunks", self.max_chunks, &mut strategy.max_chunks),
        ];
        for (argument, given, budget) in budgets {
            if let Some(value) = given {
                *budget = Some(checked(argument, value)?);
            }
        }
        if let Some(siblings) = &self.siblings {
            strategy.siblings = Siblings::from_name(siblings)?;
        }
        if let Some(within) = &self.within {
            strategy.within = Within::from_name(within)?;
        }
        Ok(())
    }
}

impl Siblings {
    /// Returns the reading of a name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownValue`] for any other word.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "parent" => Ok(Self::Parent),
            "section" => Ok(Self::Section),
            _ => Err(unknown("siblings", name, "\"parent\" and \"section\"")),
        }
    }

    /// Returns the name that a call gives.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Section => "section",
        }
    }
}

impl Within {
    /// Returns the bound of a name.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownValue`] for any other word.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "document" => Ok(Self::Document),
            "parent" => Ok(Self::Parent),
            "section" => Ok(Self::Section),
            _ => Err(unknown("within", name, "\"document\", \"parent\" and \"section\"")),
        }
    }

    /// Returns the name that a call gives.
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Parent => "parent",
            Self::Section => "section",
        }
    }
}

/// Checks a limit that SQL gave.
///
/// # Errors
///
/// Returns [`Error::OutOfRange`] below zero and above [`MOST`].
pub fn checked(argument: &'static str, value: i32) -> Result<u32, Error> {
    u32::try_from(value).ok().filter(|limit| i64::from(*limit) <= MOST).ok_or(Error::OutOfRange {
        argument,
        value: value.into(),
        most: MOST,
    })
}

fn unknown(argument: &'static str, value: &str, valid: &'static str) -> Error {
    Error::UnknownValue { argument, value: value.to_owned(), valid }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_limits_of_the_seeds() {
        let limits = |name| {
            let strategy = Strategy::preset(name).unwrap();
            [strategy.parents, strategy.preceding, strategy.following, strategy.children]
        };
        assert_eq!(limits("broad"), [1, 1, 2, 3]);
        assert_eq!(limits("reassembly"), [1, 2, 2, 5]);
        assert_eq!(limits("none"), [0; 4]);
        let adjacent = Strategy::preset("adjacent").unwrap().before;
        let kinds =
            [Some(Kind::Prose), Some(Kind::Code), Some(Kind::ApiReference), Some(Kind::Data), None];
        assert_eq!(kinds.map(|kind| adjacent.width(kind)), [2, 3, 1, 2, 2]);
    }

    #[test]
    fn an_override_replaces_one_limit_and_leaves_the_others() {
        let mut strategy = Strategy::preset("broad").unwrap();
        let given = Overrides { children: Some(0), before: Some(4), ..Overrides::default() };
        given.apply(&mut strategy).unwrap();
        assert_eq!((strategy.children, strategy.following), (0, 2));
        assert_eq!(strategy.before, Window::uniform(4));
    }

    #[test]
    fn limits_below_zero_and_above_a_million_are_refused() {
        for value in [-1, 1_000_001] {
            let given = Overrides { max_tokens: Some(value), ..Overrides::default() };
            let error = given.apply(&mut BROAD.clone()).unwrap_err();
            assert_eq!(
                error,
                Error::OutOfRange { argument: "max_tokens", value: value.into(), most: MOST }
            );
        }
        let given = Overrides { within: Some("page".into()), ..Overrides::default() };
        assert!(matches!(given.apply(&mut BROAD.clone()), Err(Error::UnknownValue { .. })));
    }
}
