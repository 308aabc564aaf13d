//! Self-attention with several heads, over all wordpieces of the sequence.

use super::activation::softmax;
use super::config::Config;
use super::error::Error;
use super::linear::Linear;
use super::multiply::multiply;
use super::relative_bias::RelativeBias;
use super::weights::Weights;
use ndarray::{Array2, ArrayView2, s};

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
            Linear::joined(&[load(names.query)?, load(names.key)?, load(names.value)?]);
        Ok(Self { projections, heads, head_size: size / heads })
    }

    /// Returns the queries, keys and values of wordpieces, which may be those of several sequences.
    pub(super) fn project(&self, states: &Array2<f32>) -> Array2<f32> {
        self.projections.forward(states)
    }

    /// Returns for the first wordpieces of a sequence, as many as `queries`, the mean of the values of all of them, weighted by
    /// the scores of their keys.
    pub(super) fn attend(
        &self,
        projected: &ArrayView2<'_, f32>,
        queries: usize,
        bias: Option<&RelativeBias>,
    ) -> Array2<f32> {
        let (wordpieces, size) = (projected.ncols(), self.heads * self.head_size);
        let scale = 1.0 / (self.head_size as f32).sqrt();
        // A row for each query, a column for each key.
        let mut scores = Array2::zeros((queries, wordpieces));
        let mut attended = Array2::zeros((size, queries));
        for head in 0..self.heads {
            let first = head * self.head_size;
            let part = |number: usize| {
                let first = number * size + first;
                projected.slice(s![first..first + self.head_size, ..])
            };
            let (asked, keys, values) = (part(0), part(1), part(2));
            let asked = asked.slice_move(s![.., ..queries]);
            if let Some(bias) = bias {
                bias.fill(head, &mut scores);
            }
            multiply(scale, asked.reversed_axes(), keys, bias.is_some(), scores.view_mut());
            softmax(scores.as_slice_mut().expect("a matrix is in one piece"), wordpieces);
            let context = attended.slice_mut(s![first..first + self.head_size, ..]);
            multiply(1.0, values, scores.t(), false, context);
        }
        attended
    }
}
