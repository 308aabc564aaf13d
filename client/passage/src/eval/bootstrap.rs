/*!
The bootstrap: whether a difference is more than chance.

Two ways of searching get the same questions, so each question has a difference. The questions are resampled with
replacement. The spread of the mean difference over these samples estimates its spread over other questions like
them.
*/

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of samples.
const DRAWS: usize = 10_000;

/// A fixed seed, so that a rerun gives the same interval.
const SEED: u64 = 0x5eed;

/// A mean difference with the interval that contains it in 95 % of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The mean over all questions.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Formats the difference with its interval, and `*` if it is more than chance.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, low, high } = *self;
        if [mean, low, high].iter().all(|figure| figure.abs() < f64::EPSILON) {
            return formatter.write_str("(same)");
        }
        let sure = if low > 0.0 || high < 0.0 { " *" } else { "" };
        write!(formatter, "({mean:+.3}: {low:+.3} to {high:+.3}){sure}")
    }
}

/// Returns by how much `other` is better than `first`, given one figure of each for every question.
///
/// # Panics
///
/// Panics if their lengths differ.
///
/// # Examples
///
/// ```
/// use passage::eval::difference;
///
/// let better = difference(&[0.0, 0.5, 1.0, 0.0], &[1.0, 1.0, 1.0, 0.5]);
/// assert_eq!(better.mean, 0.5);
/// assert!(better.low <= 0.5 && better.high >= 0.5);
/// ```
pub fn difference(first: &[f64], other: &[f64]) -> Difference {
    assert_eq!(first.len(), other.len(), "both were asked the same questions");
    let differences: Vec<_> = first.iter().zip(other).map(|(first, other)| other - first).collect();
    let count = differences.len();
    let mean = |sum: f64| sum / count.max(1) as f64;
    let mut random = SplitMix(SEED);
    let mut draw = || mean((0..count).map(|_| differences[random.below(count)]).sum());
    let mut means: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    Difference {
        mean: mean(differences.iter().sum()),
        low: means[DRAWS / 40],
        high: means[DRAWS - 1 - DRAWS / 40],
    }
}

/// The generator of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014), with its state.
pub struct SplitMix(pub u64);

impl SplitMix {
    /// Returns a number from 0 up to, but not including, `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ (mixed >> 31);
        ((u128::from(mixed) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_answers_have_no_difference() {
        let answers = [0.0, 1.0, 0.25, 1.0];
        let none = Difference { mean: 0.0, low: 0.0, high: 0.0 };
        assert_eq!(difference(&answers, &answers), none);
        assert_eq!(difference(&[], &[]), none);
        let all = Difference { mean: 0.25, low: 0.25, high: 0.25 };
        assert_eq!(difference(&[0.5; 9], &[0.75; 9]), all);
    }

    /// 175 questions of which 20 are won: the distribution is binomial, so the interval is known. An equal number of
    /// wins and losses could be chance.
    #[test]
    fn the_interval_matches_the_binomial_distribution() {
        let first = [0.0; 175];
        let won: Vec<_> = (0..175).map(|number| f64::from(number < 20)).collect();
        let interval = difference(&first, &won);
        let share: f64 = 20.0 / 175.0;
        let deviation = (share * (1.0 - share) / 175.0).sqrt();
        assert!((interval.mean - share).abs() < 1e-9, "{interval:?}");
        assert!((interval.low - (share - 1.96 * deviation)).abs() < 0.01, "{interval:?}");
        assert!((interval.high - (share + 1.96 * deviation)).abs() < 0.01, "{interval:?}");

        let both: Vec<_> =
            (0..175).map(|number| f64::from(number < 20) - f64::from(number > 154)).collect();
        let even = difference(&first, &both);
        assert!(even.low < -0.04 && even.high > 0.04, "{even:?}");
        assert_eq!(difference(&first, &both), even, "a rerun says the same");
    }

    #[test]
    fn a_difference_is_marked_if_it_is_more_than_chance() {
        let written = |mean, low, high| Difference { mean, low, high }.to_string();
        assert_eq!(written(0.043, -0.002, 0.1), "(+0.043: -0.002 to +0.100)");
        assert_eq!(written(0.043, 0.002, 0.1), "(+0.043: +0.002 to +0.100) *");
        assert_eq!(written(-0.2, -0.3, -0.1), "(-0.200: -0.300 to -0.100) *");
        assert_eq!(written(0.0, 0.0, 0.0), "(same)");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_interval_contains_the_mean_and_is_mirrored_if_the_two_change_places(
            pairs in prop::collection::vec((0.0..=1.0, 0.0..=1.0), 1..40)
        ) {
            let (first, other): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (there, back) = (difference(&first, &other), difference(&other, &first));
            prop_assert!(there.low <= there.mean + 1e-9 && there.mean <= there.high + 1e-9);
            prop_assert!((-1.0..=1.0).contains(&there.low) && (-1.0..=1.0).contains(&there.high));
            prop_assert!((there.low + back.high).abs() < 1e-9 && (there.high + back.low).abs() < 1e-9);
        }
    }
}
