//! Strategies of fragments, the candidates that they rank, and the ranks.

use super::proximity::Proximity;
use super::terms::MatchKind;
use crate::error::sql_enum;
use crate::search::bm25::Candidate;

/// How fragments are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentStrategy {
    /// By words, by their nearness and by the embedding, where there is one; fused.
    Auto,
    /// By the words: exactly, else as beginnings, else by likeness.
    Adaptive,
    /// By how near the words are to one another.
    Proximity,
    /// By the embedding and the section; without an embedding by the words of the section.
    Semantic,
    /// By the number of words, one of the three.
    Seed,
}

sql_enum!(
    FragmentStrategy, "strategy", r#""auto", "adaptive", "proximity", "semantic" and "seed""#,
    "auto" => Auto, "adaptive" => Adaptive, "proximity" => Proximity, "semantic" => Semantic, "seed" => Seed
);

impl FragmentStrategy {
    /// Returns what is done for a query of so many words.
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

/// A chunk that may answer.
#[derive(Clone, Debug, Default)]
pub struct FragmentCandidate {
    /// What it has of the query.
    pub words: Candidate,
    /// Its position in its document; of equal chunks the first comes first.
    pub ordinal: Option<i32>,
    /// Its similarity to the embedding.
    pub similarity: Option<f64>,
    /// Something that tells its section, and the document of it, from others.
    pub section: Option<(u128, i64)>,
}

/// A place in a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// From 1.
    pub rank: usize,
    /// Higher is better.
    pub score: f64,
}

/// A chunk with its signals.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedChunk {
    /// The chunk, by its place among those found.
    pub chunk: usize,
    /// Higher is better; comparable within one call.
    pub score: f64,
    /// By its words.
    pub lexical: Option<Signal>,
    /// By their nearness.
    pub proximity: Option<(Signal, Proximity)>,
    /// By the embedding.
    pub vector: Option<Signal>,
    /// How its words match.
    pub match_kind: Option<MatchKind>,
}

#[cfg(test)]
mod tests {
    use super::FragmentStrategy;

    #[test]
    fn the_rule_of_the_seed_goes_by_the_number_of_words() {
        let resolve = |words| FragmentStrategy::Seed.resolve(words).name();
        assert_eq!([1, 2].map(resolve), ["adaptive"; 2]);
        assert_eq!([3, 5].map(resolve), ["proximity"; 2]);
        assert_eq!([6, 20].map(resolve), ["semantic"; 2]);
        assert_eq!(FragmentStrategy::Auto.resolve(2), FragmentStrategy::Auto);
    }
}
