//! What a fragment is ranked by, and which rule chooses it.

use crate::sql_enum::sql_enum;

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
