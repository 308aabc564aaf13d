//! Strategies: the presets, those of a store, and the limits of a call.

use super::media_type;
use std::collections::BTreeSet;

pub use passage_tests::read_calls::PRESETS;

/// The context that a hit gets.
#[derive(Clone, Debug)]
pub struct Strategy {
    pub whole: WholeOf,
    pub kin: Kin,
    /// The fallback of `hierarchical` for a hit without a container.
    pub fallback: Kin,
    pub before: Window,
    pub after: Window,
    pub within: &'static str,
    pub threshold: f64,
    pub count_by: &'static str,
    pub max_tokens: Option<i64>,
    pub max_passage_tokens: Option<i64>,
    pub max_chunks: Option<i64>,
    /// The number of sections that links lead to.
    pub links: i64,
    /// The numbers of chunks that the call or a row names.
    pub named: BTreeSet<&'static str>,
}

/// The kind of unit that is returned as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeOf {
    Nothing,
    Section,
    Document,
    Container,
    Merged,
}

/// The numbers of relatives; 0 means none.
#[derive(Clone, Debug)]
pub struct Kin {
    pub parents: i64,
    pub preceding: i64,
    pub following: i64,
    pub children: i64,
    pub siblings: &'static str,
}

/// The numbers of chunks on one side, for prose (also data and unknown kinds), code, and API reference.
pub type Window = [i64; 3];

/// The limits that a call or a row of a store overrides; `None` keeps that of the strategy.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub parents: Option<i64>,
    pub preceding: Option<i64>,
    pub following: Option<i64>,
    pub children: Option<i64>,
    pub before: Option<i64>,
    pub after: Option<i64>,
    pub windows: Option<[Option<i64>; 3]>,
    pub siblings: Option<&'static str>,
    pub within: Option<&'static str>,
    pub threshold: Option<f64>,
    pub count_by: Option<&'static str>,
    pub max_tokens: Option<i64>,
    pub max_passage_tokens: Option<i64>,
    pub max_chunks: Option<i64>,
    /// Of a call alone.
    pub min_score: Option<f64>,
    pub links: Option<i64>,
}

/// A strategy of a store.
#[derive(Clone, Debug)]
pub struct UserStrategy {
    pub name: String,
    pub base: &'static str,
    pub default_for: Vec<&'static str>,
    pub limits: Limits,
}

impl Strategy {
    /// Returns the strategy of a name for a document, with the limits of the call.
    pub fn resolve(
        name: &str,
        limits: &Limits,
        media_type: &str,
        own: &[UserStrategy],
        has_sections: bool,
    ) -> Self {
        let row = match name {
            "auto" => of_media_type(media_type, own),
            _ => own.iter().find(|row| row.name == name),
        };
        let strategy = match row {
            Some(row) => Self::preset(row.base, media_type).with(&row.limits),
            None if name == "auto" && !has_sections => Self::preset("adjacent", media_type),
            None => Self::preset(name, media_type),
        };
        strategy.with(limits)
    }

    fn preset(name: &str, media_type: &str) -> Self {
        let kin = |parents, preceding, following, children| Kin {
            parents,
            preceding,
            following,
            children,
            siblings: "parent",
        };
        let none = Self {
            whole: WholeOf::Nothing,
            kin: kin(0, 0, 0, 0),
            fallback: kin(1, 1, 2, 3),
            before: [0; 3],
            after: [0; 3],
            within: "document",
            threshold: 0.5,
            count_by: "chunks",
            max_tokens: None,
            max_passage_tokens: None,
            max_chunks: None,
            links: 0,
            named: BTreeSet::new(),
        };
        let whole = |whole| Self { whole, max_chunks: Some(500), ..none.clone() };
        match name {
            "none" => none,
            "adjacent" => {
                Self { before: [2, 3, 1], after: [2, 3, 1], max_chunks: Some(50), ..none }
            }
            "broad" => Self { kin: kin(1, 1, 2, 3), ..none },
            "reassembly" => Self { kin: kin(1, 2, 2, 5), ..none },
            "hierarchical" => whole(WholeOf::Container),
            "section" => whole(WholeOf::Section),
            "document" => whole(WholeOf::Document),
            "merge" => whole(WholeOf::Merged),
            "auto" if media_type::is_structured(media_type) => {
                Self::preset("hierarchical", media_type)
            }
            "auto" => Self::preset("broad", media_type),
            _ => panic!("{name} is not a preset"),
        }
    }

    /// Returns the strategy with overridden limits. `windows` wins over `before` and `after` for the kinds that
    /// it names. Limits of relatives also apply to the fallback.
    fn with(mut self, limits: &Limits) -> Self {
        for kin in [&mut self.kin, &mut self.fallback] {
            kin.parents = limits.parents.unwrap_or(kin.parents);
            kin.preceding = limits.preceding.unwrap_or(kin.preceding);
            kin.following = limits.following.unwrap_or(kin.following);
            kin.children = limits.children.unwrap_or(kin.children);
            kin.siblings = limits.siblings.unwrap_or(kin.siblings);
        }
        for (side, all) in [(&mut self.before, limits.before), (&mut self.after, limits.after)] {
            for (kind, width) in side.iter_mut().enumerate() {
                let of_kind = limits.windows.and_then(|windows| windows[kind]);
                *width = of_kind.or(all).unwrap_or(*width);
            }
        }
        let numbers = [
            ("parents", limits.parents),
            ("preceding", limits.preceding),
            ("following", limits.following),
            ("children", limits.children),
            ("before", limits.before),
            ("after", limits.after),
        ];
        self.named
            .extend(numbers.iter().filter(|(_, number)| number.is_some()).map(|(name, _)| *name));
        if limits.windows.is_some() {
            self.named.extend(["before", "after"]);
        }
        self.within = limits.within.unwrap_or(self.within);
        self.threshold = limits.threshold.unwrap_or(self.threshold);
        self.count_by = limits.count_by.unwrap_or(self.count_by);
        self.max_tokens = limits.max_tokens.or(self.max_tokens);
        self.max_passage_tokens = limits.max_passage_tokens.or(self.max_passage_tokens);
        self.max_chunks = limits.max_chunks.or(self.max_chunks);
        self.links = limits.links.unwrap_or(self.links);
        self
    }

    /// Returns what a hit gets that brings no context: its limits of tokens and chunks count for all hits.
    pub fn alone(self) -> Self {
        let Self { max_tokens, max_passage_tokens, max_chunks, named, .. } = self;
        let none = Self::preset("none", media_type::PLAIN);
        Self { max_tokens, max_passage_tokens, max_chunks, named, ..none }
    }

    /// Returns how far from a hit a whole unit may reach: "`max_chunks` of the strategy".
    pub fn reach(&self) -> i64 {
        self.max_chunks.unwrap_or(1_000_000)
    }
}

/// Returns the store's strategy that `auto` uses for a media type. A row names it "exactly, then as
/// `type/*`, then `*/*` (of several the first by name)". Aliases of a media type are equal.
fn of_media_type<'o>(media_type: &str, own: &'o [UserStrategy]) -> Option<&'o UserStrategy> {
    let name = media_type::name(media_type);
    let family = format!("{}/*", name.split('/').next().unwrap_or_default());
    [name.as_str(), &family, "*/*"].into_iter().find_map(|requested| {
        let is_requested = |pattern: &&str| media_type::name(pattern) == requested;
        let matching = own.iter().filter(|row| row.default_for.iter().any(is_requested));
        matching.min_by_key(|row| &row.name)
    })
}
