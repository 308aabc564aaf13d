//! What a fragment is ranked by, and which rule chooses it.

use crate::words::words;

/// How fragments are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
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

words!(
    Strategy, "strategy", r#""auto", "adaptive", "proximity", "semantic" and "seed""#,
    "auto" => Auto, "adaptive" => Adaptive, "proximity" => Proximity, "semantic" => Semantic, "seed" => Seed
);

impl Strategy {
    /// Returns what is done for a query of so many words.
    ///
    /// # Source
    ///
    /// The rule of seed 003, which calls it `auto`.
    #[must_use]
    pub fn settled(self, words: usize) -> Self {
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
    use super::Strategy;

    #[test]
    fn the_rule_of_the_seed_goes_by_the_number_of_words() {
        let settled = |words| Strategy::Seed.settled(words).name();
        assert_eq!([1, 2].map(settled), ["adaptive"; 2]);
        assert_eq!([3, 5].map(settled), ["proximity"; 2]);
        assert_eq!([6, 20].map(settled), ["semantic"; 2]);
        assert_eq!(Strategy::Auto.settled(2), Strategy::Auto);
    }
}
