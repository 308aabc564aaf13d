//! The bias of attention by the distance of two wordpieces, as in `MPNet`.

use super::config::Config;
use super::error::Error;
use super::weights::Weights;
use ndarray::{Array2, s};

/// Distances from here on share one bias for each direction.
const MAX_DISTANCE: f32 = 128.0;

/// The bias of each head for each distance.
///
/// A row of scores needs the biases of consecutive distances, so each is a slice of one row of the table:
///
/// ```text
/// distance of key and query   -3 -2 -1  0  1  2  3
/// scores of query 0                     [           ]
/// scores of query 1                  [           ]
/// ```
pub(super) struct RelativeBias {
    /// A row for each head, a column for each distance; distance 0 is in the middle.
    biases: Array2<f32>,
}

impl RelativeBias {
    /// Reads the learned biases, one for each bucket of distances and head.
    pub(super) fn load(encoder: &Weights, config: &Config) -> Result<Self, Error> {
        let (heads, count) =
            (config.sizes.num_attention_heads.get(), config.sizes.relative_attention_num_buckets);
        if count < 4 {
            return Err(Error::Setting("relative_attention_num_buckets below 4"));
        }
        let table = encoder.matrix("relative_attention_bias.weight", count, heads)?;
        let wordpieces = config.max_wordpieces() as i64;
        let distances = 1 - wordpieces..wordpieces;
        let buckets: Vec<_> = distances.map(|distance| bucket(distance, count)).collect();
        Ok(Self {
            biases: Array2::from_shape_fn((heads, buckets.len()), |(head, column)| {
                table[(buckets[column], head)]
            }),
        })
    }

    /// Writes the biases of a head: a row for each query, a column for each key.
    pub(super) fn fill(&self, head: usize, scores: &mut Array2<f32>) {
        let middle = self.biases.ncols() / 2;
        for (query, mut row) in scores.rows_mut().into_iter().enumerate() {
            let (first, keys) = (middle - query, row.len());
            row.assign(&self.biases.slice(s![head, first..first + keys]));
        }
    }
}

/// Returns the bucket of a distance: half of the buckets are for keys behind the query. Of each half, the first half has one
/// distance each; the others grow like powers up to [`MAX_DISTANCE`].
fn bucket(distance: i64, count: usize) -> usize {
    let half = count / 2;
    let exact = half / 2;
    let first = if distance > 0 { half } else { 0 };
    let distance = distance.unsigned_abs() as usize;
    if distance < exact {
        return first + distance;
    }
    let exact_distance = exact as f32;
    let share = (distance as f32 / exact_distance).ln() / (MAX_DISTANCE / exact_distance).ln();
    first + (exact + (share * (half - exact) as f32) as usize).min(half - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_distances_have_buckets_of_their_own_and_far_ones_share_them() {
        let buckets = |distances: &[i64]| {
            distances.iter().map(|distance| bucket(*distance, 32)).collect::<Vec<_>>()
        };
        assert_eq!(
            buckets(&[0, -1, -7, -8, -11, -12, -127, -128, -500]),
            [0, 1, 7, 8, 8, 9, 15, 15, 15]
        );
        assert_eq!(buckets(&[1, 7, 8, 11, 12, 127, 128, 500]), [17, 23, 24, 24, 25, 31, 31, 31]);
        // A logarithm with one wrong bit at the end would move these.
        assert_eq!(
            buckets(&[-15, -16, -31, -32, -63, -64, -90, -91]),
            [9, 10, 11, 12, 13, 14, 14, 15]
        );
    }
}
