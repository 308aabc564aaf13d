//! Strategies of fragments, the candidates that they rank, and the resulting ranks.
//!
//! Its twin in SQL is `sql/edition/fragments/rank.sql`.

use super::proximity::Proximity;
use super::terms::MatchKind;
use crate::error::sql_enum;
use crate::search::bm25::Candidate;

/// A strategy for ranking fragments.
///
/// ```
/// use passage_core::fragments::FragmentStrategy;
///
/// let seed = FragmentStrategy::from_name("seed")?;
/// assert_eq!(seed.resolve(4), FragmentStrategy::Proximity);
/// # Ok::<(), passage_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentStrategy {
    /// Fuses the rankings by words, by proximity and, if given, by embedding.
    Auto,
    /// Ranks by words: exact matches, then prefixes, then similar words.
    Adaptive,
    /// Ranks by the proximity of the words.
    Proximity,
    /// Ranks by the embedding and the section; without an embedding, by the words of the section.
    Semantic,
    /// Selects one of the other three by the number of words, as [`resolve`](Self::resolve) does.
    Seed,
}

sql_enum!(
    FragmentStrategy, "strategy", r#""auto", "adaptive", "proximity", "semantic" and "seed""#,
    "auto" => Auto, "adaptive" => Adaptive, "proximity" => Proximity, "semantic" => Semantic, "seed" => Seed
);

impl FragmentStrategy {
    /// Returns the strategy for a query with `words` words as typed, stop words included. Only [`Seed`](Self::Seed) changes.
    ///
    /// # Source
    ///
    /// The rule of seed 003, which calls it `auto`.
    #[must_use]
    pub fn resolve(self, words: usize) -> Self {
        match (self, words) {
            (Self::Seed, 0..=2) => Self::Adaptive,
            (Self::Seed, 3..=5) => Self::Proximity,
            (Self::Seed, _) => Self::Semantic,
            _ => self,
        }
    }
}

/// A candidate chunk of a fragment.
#[derive(Clone, Debug, Default)]
pub struct FragmentCandidate {
    /// The query's words in the chunk.
    pub words: Candidate,
    /// Its ordinal, which breaks ties.
    pub ordinal: Option<i32>,
    /// Its similarity to the query's embedding; higher is better.
    pub similarity: Option<f64>,
    /// A key of its document and section.
    pub section: Option<(u128, i64)>,
}

/// The rank and the score of a chunk in one ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The rank, from 1.
    pub rank: usize,
    /// The score; higher is better.
    pub score: f64,
}

/// A ranked chunk with its signals.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedChunk {
    /// The index of the candidate.
    pub chunk: usize,
    /// The score; higher is better. Scores are comparable within one call.
    pub score: f64,
    /// The ranking by words.
    pub lexical: Option<Signal>,
    /// The ranking by proximity.
    pub proximity: Option<(Signal, Proximity)>,
    /// The ranking by embedding.
    pub vector: Option<Signal>,
    /// The best kind of match of its words.
    pub match_kind: Option<MatchKind>,
}

#[cfg(test)]
mod tests {
    use super::FragmentStrategy;

    #[test]
    fn the_seed_strategy_depends_on_the_number_of_words() {
        let resolve = |words| FragmentStrategy::Seed.resolve(words).name();
        assert_eq!([1, 2].map(resolve), ["adaptive"; 2]);
        assert_eq!([3, 5].map(resolve), ["proximity"; 2]);
        assert_eq!([6, 20].map(resolve), ["semantic"; 2]);
        assert_eq!(FragmentStrategy::Auto.resolve(2), FragmentStrategy::Auto);
    }
}
