//! What is looked for: the lexemes of a query, and words of the store that stand for them.

use super::proximity::WordsOf;
use crate::search::Lexemes;
use crate::search::bm25::{Candidate, Occurrence, Rarity};

/// How a lexeme of the store stands for one of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Match {
    /// It is the lexeme.
    Exact,
    /// It begins with it.
    Prefix,
    /// It is alike, from 0 to 1.
    Fuzzy(f64),
}

impl Match {
    /// Returns the word for a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Fuzzy(_) => "fuzzy",
        }
    }

    /// What it counts for: any number of lesser matches stay behind a better one.
    pub fn share(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.3,
            Self::Fuzzy(likeness) => 0.1 * likeness,
        }
    }
}

/// A lexeme of the store that stands for one of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The lexeme of the query, by its place in the list.
    pub of: usize,
    /// The lexeme itself.
    pub lexeme: String,
    /// How it stands for it.
    pub by: Match,
}

/// What is looked for.
pub struct Terms {
    /// The lexemes of the query, the variants behind them.
    pub(super) lexemes: Lexemes,
    variants: Vec<Variant>,
    pub(super) rarity: Rarity,
    pub(super) words: WordsOf,
}

impl Terms {
    /// Takes the lexemes of a query, how rare they are, and what stands for them in the store.
    pub fn new(mut lexemes: Lexemes, mut rarity: Rarity, variants: Vec<Variant>) -> Self {
        lexemes.list.extend(variants.iter().map(|variant| variant.lexeme.clone()));
        for variant in &variants {
            rarity.add(variant.of, variant.by.share());
        }
        let of: Vec<_> = variants.iter().map(|variant| variant.of).collect();
        let words = WordsOf::new(&lexemes, &of, &rarity);
        Self { lexemes, variants, rarity, words }
    }

    /// Returns the lexemes to look for, each by its place.
    pub fn lexemes(&self) -> &[String] {
        &self.lexemes.list
    }

    /// Returns how many words the query has.
    pub fn words(&self) -> usize {
        self.words.count()
    }

    /// Returns what lexemes are worth together, each of their words counted once.
    pub fn worth(&self, lexemes: impl Iterator<Item = usize>) -> f64 {
        let mut words: Vec<_> = lexemes.flat_map(|lexeme| self.words.of(lexeme)).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|word| self.words.worth(*word)).sum()
    }

    /// Returns how a chunk has what is looked for, at its best.
    pub fn matched(&self, candidate: &Candidate) -> Option<Match> {
        let own = self.lexemes.list.len() - self.variants.len();
        let by = |occurrence: &Occurrence| {
            occurrence.lexeme.checked_sub(own).map_or(Match::Exact, |place| self.variants[place].by)
        };
        let found = candidate.occurrences.iter().map(by);
        found.max_by(|a, b| a.share().total_cmp(&b.share()))
    }
}
