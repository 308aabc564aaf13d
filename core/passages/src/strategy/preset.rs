//! The built-in strategies.
//!
//! Its twin in SQL is `sql/edition/strategy.sql`.

use super::{CountBy, NamedLimits, RelativeLimits, Scope, Siblings, Strategy, Window, Within};
use passage_split::media_type::{Family, MediaType};

/// A built-in strategy.
pub struct Preset {
    /// The name, as a call gives it.
    pub name: &'static str,
    /// A one-line description.
    pub description: &'static str,
    /// The limits; for `auto`, those of prose.
    pub strategy: Strategy,
}

/// All presets, in the order of the SQL function `strategies`.
///
/// ```
/// use passage_core::strategy::PRESETS;
///
/// assert!(PRESETS.iter().any(|preset| preset.name == "hierarchical"));
/// ```
///
/// # Source
///
/// `broad` and `hierarchical` are the two strategies of seed 004, `reassembly` has the limits of seed 000,
/// and `adjacent` has the windows of seed 002. `merge` is the auto-merging of `LlamaIndex` and Haystack,
/// with their threshold.
pub static PRESETS: [Preset; 9] = [
    Preset {
        name: "auto",
        description: "by the media type of the document: hierarchical for code and data, broad for prose",
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
        strategy: Strategy {
            relatives: RelativeLimits {
                parents: 1,
                preceding: 2,
                following: 2,
                children: 5,
                ..NONE.relatives
            },
            ..NONE
        },
    },
    Preset {
        name: "section",
        description: "the section of the hit with all below it",
        strategy: Strategy { scope: Scope::Section, ..LARGE },
    },
    Preset {
        name: "hierarchical",
        description: "the class, object or table around the hit, whole; of prose the section; else as broad",
        strategy: HIERARCHICAL,
    },
    Preset {
        name: "merge",
        description: "sections of which more than half is hit, and single chunks between two that come",
        strategy: Strategy { scope: Scope::Merge, ..LARGE },
    },
    Preset {
        name: "document",
        description: "the whole document, nearest to the hits first",
        strategy: Strategy { scope: Scope::Document, ..LARGE },
    },
];

const NONE: Strategy = Strategy {
    scope: Scope::None,
    relatives: RelativeLimits {
        parents: 0,
        preceding: 0,
        following: 0,
        children: 0,
        siblings: Siblings::Parent,
    },
    fallback: BROADLY,
    before: Window::uniform(0),
    after: Window::uniform(0),
    within: Within::Document,
    threshold: 0.5,
    count_by: CountBy::Chunks,
    max_tokens: None,
    max_passage_tokens: None,
    max_chunks: None,
    links: 0,
    named: NamedLimits::NONE,
};

const BROADLY: RelativeLimits = RelativeLimits {
    parents: 1,
    preceding: 1,
    following: 2,
    children: 3,
    siblings: Siblings::Parent,
};

const BROAD: Strategy = Strategy { relatives: BROADLY, ..NONE };

const LARGE: Strategy = Strategy { max_chunks: Some(500), ..NONE };

const HIERARCHICAL: Strategy = Strategy { scope: Scope::Container, ..LARGE };

const ADJACENT: Window = Window { prose: 2, code: 3, api_reference: 1 };

impl Strategy {
    /// Returns the limits of a preset, or `None` for an unknown name.
    pub fn preset(name: &str) -> Option<Strategy> {
        PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.strategy.clone())
    }

    /// Returns the preset that `auto` stands for, unless the store has a default for the media type.
    ///
    /// # Source
    ///
    /// The strategy selection of *Content-Agnostic Assembly* (seed 004).
    pub fn auto(media_type: &MediaType) -> Strategy {
        match media_type.family() {
            Family::Prose => BROAD,
            Family::Code | Family::Data => HIERARCHICAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use passage_split::Kind;

    #[test]
    fn presets_have_the_limits_of_the_seeds() {
        let limits = |name| {
            let relatives = Strategy::preset(name).unwrap().relatives;
            [relatives.parents, relatives.preceding, relatives.following, relatives.children]
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
    fn seed_004_media_types_select_the_strategy() {
        let whole = |name| Strategy::auto(&MediaType::new(name)).scope;
        for prose in ["text/markdown", "text/html", "text/plain", "text/x-unheard-of", ""] {
            assert_eq!(whole(prose), Scope::None, "{prose}");
        }
        for structured in [
            "text/x-typescript",
            "text/javascript",
            "text/x-python",
            "application/json",
            "text/json",
            "application/ld+json",
            "text/x-yaml",
            "text/x-toml",
        ] {
            assert_eq!(whole(structured), Scope::Container, "{structured}");
        }
    }
}
