//! The normalization of states.

use super::error::Error;
use super::vectorized::vectorized;
use super::weights::Weights;
use ndarray::{Array1, Array2};

/// The normalization of each column to the mean 0 and the variance 1, with a learned scale and offset.
pub(super) struct LayerNorm {
    scale: Array1<f32>,
    offset: Array1<f32>,
    epsilon: f32,
}

impl LayerNorm {
    pub(super) fn load(weights: &Weights, size: usize, epsilon: f64) -> Result<Self, Error> {
        // Older models of PyTorch have other names.
        let [scale, offset] =
            if weights.has("weight") { ["weight", "bias"] } else { ["gamma", "beta"] };
        Ok(Self {
            scale: weights.vector(scale, size)?,
            offset: weights.vector(offset, size)?,
            epsilon: epsilon as f32,
        })
    }

    pub(super) fn apply(&self, states: &mut Array2<f32>) {
        let (size, columns) = (states.nrows() as f32, states.ncols());
        let states = states.as_slice_mut().expect("a matrix is in one piece");
        let [mut means, mut factors] = [vec![0.0; columns], vec![0.0; columns]];
        vectorized(
            #[inline(always)]
            || {
                for row in states.chunks_exact(columns) {
                    for (mean, number) in means.iter_mut().zip(row) {
                        *mean += number / size;
                    }
                }
                for row in states.chunks_exact(columns) {
                    for ((factor, mean), number) in factors.iter_mut().zip(&means).zip(row) {
                        *factor += (number - mean) * (number - mean);
                    }
                }
                for factor in &mut factors {
                    *factor = 1.0 / (*factor / size + self.epsilon).sqrt();
                }
                let weights = self.scale.iter().zip(&self.offset);
                for (row, (scale, offset)) in states.chunks_exact_mut(columns).zip(weights) {
                    for ((number, mean), factor) in row.iter_mut().zip(&means).zip(&factors) {
                        *number = (*number - mean) * factor * scale + offset;
                    }
                }
            },
        );
    }
}
