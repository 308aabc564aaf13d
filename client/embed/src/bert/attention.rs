//! Self-attention with several heads, over all wordpieces of the sequence.

use super::activation::softmax;
use super::config::Config;
use super::error::Error;
use super::linear::Linear;
use super::relative_bias::RelativeBias;
use super::weights::Weights;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};

/// The attention of a layer.
pub(super) struct Attention {
    /// The projections to queries, keys and values, one below the other.
    projections: Linear,
    heads: usize,
    head_size: usize,
}

impl Attention {
    pub(super) fn load(layer: &Weights, config: &Config) -> Result<Self, Error> {
        let (size, heads) = (config.sizes.hidden_size, config.sizes.num_attention_heads.get());
        let names = config.family.tensor_names();
        let load = |name| Linear::load(&layer.below(name), size, size, true);
        let projections =
            Linear::joined([load(names.query)?, load(names.key)?, load(names.value)?]);
        Ok(Self { projections, heads, head_size: size / heads })
    }

    /// Returns for each wordpiece the mean of the values of all wordpieces, weighted by the scores of their keys.
    pub(super) fn forward(&self, states: &Array2<f32>, bias: Option<&RelativeBias>) -> Array2<f32> {
        let projected = self.projections.forward(states);
        let (wordpieces, size) = (states.nrows(), self.heads * self.head_size);
        let scale = 1.0 / (self.head_size as f32).sqrt();
        let mut scores = Array2::zeros((wordpieces, wordpieces));
        let mut attended = Array2::zeros((wordpieces, size));
        for head in 0..self.heads {
            let first = head * self.head_size;
            let part = |number: usize| {
                let first = number * size + first;
                projected.slice(s![.., first..first + self.head_size])
            };
            if let Some(bias) = bias {
                bias.fill(head, &mut scores);
            }
            let keep = if bias.is_some() { 1.0 } else { 0.0 };
            general_mat_mul(scale, &part(0), &part(1).t(), keep, &mut scores);
            for mut row in scores.rows_mut() {
                softmax(row.as_slice_mut().expect("a row is in one piece"));
            }
            let mut context = attended.slice_mut(s![.., first..first + self.head_size]);
            general_mat_mul(1.0, &scores, &part(2), 0.0, &mut context);
        }
        attended
    }
}
