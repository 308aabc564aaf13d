//! Query terms: the lexemes of a query, and similar lexemes of the store.
//!
//! Its twin in SQL is `sql/edition/fragments/terms.sql`.

use super::proximity::LexemeWords;
use crate::search::QueryLexemes;
use crate::search::bm25::{Candidate, Idf, Occurrence};

/// The kind of match between a lexeme of the store and one of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatchKind {
    /// The same lexeme.
    Exact,
    /// A lexeme that begins with that of the query.
    Prefix,
    /// A similar lexeme, with the similarity from 0 to 1.
    Fuzzy(f64),
}

impl MatchKind {
    /// Returns the name in SQL results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Prefix => "prefix",
            Self::Fuzzy(_) => "fuzzy",
        }
    }

    /// Returns the weight of the match. Any number of weaker matches rank below a stronger one.
    pub fn weight(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.3,
            Self::Fuzzy(likeness) => 0.1 * likeness,
        }
    }
}

/// A lexeme of the store that matches one of the query.
#[derive(Clone, Debug, PartialEq)]
pub struct TermVariant {
    /// The index of the query lexeme.
    pub origin: usize,
    /// The lexeme of the store.
    pub lexeme: String,
    /// The kind of match.
    pub kind: MatchKind,
}

/// The terms of a query.
///
/// ```
/// use passage_core::fragments::{MatchKind, QueryTerms, TermVariant};
/// use passage_core::search::{QueryLexemes, bm25::Idf};
///
/// let mut lexemes = QueryLexemes::default();
/// lexemes.add("index", vec!["index".into()], vec![]);
/// let variant = TermVariant { origin: 0, lexeme: "indexes".into(), kind: MatchKind::Prefix };
/// let terms = QueryTerms::new(lexemes, Idf::new(100.0, &[5.0]), vec![variant]);
/// assert_eq!(terms.lexemes(), ["index", "indexes"]);
/// ```
pub struct QueryTerms {
    /// The lexemes of the query, followed by the variants.
    pub(super) lexemes: QueryLexemes,
    variants: Vec<TermVariant>,
    pub(super) idf: Idf,
    pub(super) words: LexemeWords,
}

impl QueryTerms {
    /// Creates the terms from the lexemes of a query, their frequencies and their variants in the store.
    pub fn new(mut lexemes: QueryLexemes, mut idf: Idf, variants: Vec<TermVariant>) -> Self {
        lexemes.list.extend(variants.iter().map(|variant| variant.lexeme.clone()));
        for variant in &variants {
            idf.add_variant(variant.origin, variant.kind.weight());
        }
        let origins: Vec<_> = variants.iter().map(|variant| variant.origin).collect();
        let words = LexemeWords::new(&lexemes, &origins, &idf);
        Self { lexemes, variants, idf, words }
    }

    /// Returns all lexemes: those of the query, then the variants.
    pub fn lexemes(&self) -> &[String] {
        &self.lexemes.list
    }

    /// Returns the number of words of the query.
    pub fn words(&self) -> usize {
        self.words.count()
    }

    /// Returns the weight of a set of lexemes, by index. Each word counts once.
    pub fn weight(&self, lexemes: impl Iterator<Item = usize>) -> f64 {
        let mut words: Vec<_> = lexemes.flat_map(|lexeme| self.words.of(lexeme)).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().map(|word| self.words.weight(*word)).sum()
    }

    /// Returns the strongest kind of match in a candidate.
    pub fn best_match(&self, candidate: &Candidate) -> Option<MatchKind> {
        let own = self.lexemes.list.len() - self.variants.len();
        let by = |occurrence: &Occurrence| {
            occurrence
                .lexeme
                .checked_sub(own)
                .map_or(MatchKind::Exact, |index| self.variants[index].kind)
        };
        let kinds = candidate.occurrences.iter().map(by);
        kinds.max_by(|a, b| a.weight().total_cmp(&b.weight()))
    }
}
