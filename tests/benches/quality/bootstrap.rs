/*!
The bootstrap: whether a difference is more than chance.

Two ways of searching get the same questions, so each question has a difference. The questions are resampled with
replacement. The spread of the mean difference over these samples estimates its spread over other questions like
them.
*/

use std::fmt;

/// The number of samples.
const DRAWS: usize = 10_000;

/// A fixed seed, so that a rerun gives the same interval.
const SEED: u64 = 0x5eed;

/// A mean difference with the interval that contains it in 95 % of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub mean: f64,
    pub low: f64,
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

/// The generator of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
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
