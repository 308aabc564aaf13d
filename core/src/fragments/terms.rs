//! What is looked for: the lexemes of a query, and words of the store that stand for them.

use super::proximity::WordsOf;
use crate::search::QueryLexemes;
use crate::search::bm25::{Candidate, Idf, Occurrence};

/// How a lexeme of the store stands for one of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchKind {
    /// It is the lexeme.
    Exact,
    /// It begins with it.
    Prefix,
    /// It is alike, from 0 to 1.
    Fuzzy(f64),
}

impl MatchKind {
    /// Returns the word for a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Fuzzy(_) => "fuzzy",
        }
    }

    /// What it counts for: any number of lesser matches stay behind a better one.
    pub fn weight(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.3,
            Self::Fuzzy(likeness) => 0.1 * likeness,
        }
    }
}

/// A lexeme of the store that stands for one of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct TermVariant {
    /// The lexeme of the query, by its place in the list.
    pub of: usize,
    /// The lexeme itself.
    pub lexeme: String,
    /// How it stands for it.
    pub kind: MatchKind,
}

/// What is looked for.
pub struct QueryTerms {
    /// The lexemes of the query, the variants behind them.
    pub(super) lexemes: QueryLexemes,
    variants: Vec<TermVariant>,
    pub(super) idf: Idf,
    pub(super) words: WordsOf,
}

impl QueryTerms {
    /// Takes the lexemes of a query, how rare they are, and what stands for them in the store.
    pub fn new(mut lexemes: QueryLexemes, mut idf: Idf, variants: Vec<TermVariant>) -> Self {
        lexemes.list.extend(variants.iter().map(|variant| variant.lexeme.clone()));
        for variant in &variants {
            idf.add_variant(variant.of, variant.kind.weight());
        }
        let of: Vec<_> = variants.iter().map(|variant| variant.of).collect();
        let words = WordsOf::new(&lexemes, &of, &idf);
        Self { lexemes, variants, idf, words }
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
    pub fn weight(&self, lexemes: impl Iterator<Item = usize>) -> f64 {
        let mut words: Vec<_> = lexemes.flat_map(|lexeme| self.words.of(lexeme)).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|word| self.words.worth(*word)).sum()
    }

    /// Returns how a chunk has what is looked for, at its best.
    pub fn best_match(&self, candidate: &Candidate) -> Option<MatchKind> {
        let own = self.lexemes.list.len() - self.variants.len();
        let by = |occurrence: &Occurrence| {
            occurrence
                .lexeme
                .checked_sub(own)
                .map_or(MatchKind::Exact, |place| self.variants[place].kind)
        };
        let found = candidate.occurrences.iter().map(by);
        found.max_by(|a, b| a.weight().total_cmp(&b.weight()))
    }
}
