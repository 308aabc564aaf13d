//! The normalization of states.

use super::error::Error;
use super::weights::Weights;
use ndarray::{Array1, Array2};

/// The normalization of each row to the mean 0 and the variance 1, with a learned scale and offset.
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
        let size = self.scale.len() as f32;
        for mut state in states.rows_mut() {
            let mean = state.sum() / size;
            state -= mean;
            let variance = state.dot(&state) / size;
            state *= 1.0 / (variance + self.epsilon).sqrt();
            state *= &self.scale;
            state += &self.offset;
        }
    }
}
