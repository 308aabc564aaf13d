//! A layer: self-attention and a feed-forward network, each with a residual connection and a normalization.

use super::activation::Activation;
use super::attention::Attention;
use super::config::Config;
use super::error::Error;
use super::linear::Linear;
use super::norm::LayerNorm;
use super::relative_bias::RelativeBias;
use super::weights::Weights;
use ndarray::{Array2, ArrayView2, s};

/// A layer with its weights.
pub(super) struct Layer {
    pub(super) attention: Attention,
    attention_output: Residual,
    intermediate: Linear,
    activation: Activation,
    output: Residual,
}

impl Layer {
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let names = config.family.tensor_names();
        let (size, inner) = (config.sizes.hidden_size, config.sizes.intermediate_size);
        let residual = |dense: &str, norm: &str, from| -> Result<Residual, Error> {
            Ok(Residual {
                dense: Linear::load(&weights.below(dense), from, size, true)?,
                norm: LayerNorm::load(&weights.below(norm), size, config.sizes.layer_norm_eps)?,
            })
        };
        Ok(Self {
            attention: Attention::load(weights, config)?,
            attention_output: residual(names.attention_output, names.attention_norm, size)?,
            intermediate: Linear::load(&weights.below(names.intermediate), size, inner, true)?,
            activation: config.sizes.hidden_act,
            output: residual(names.output, names.output_norm, inner)?,
        })
    }

    /// Returns the output for the first states, as many as `queries`.
    pub(super) fn forward(
        &self,
        states: &Array2<f32>,
        queries: usize,
        bias: Option<&RelativeBias>,
    ) -> Array2<f32> {
        let projected = self.attention.project(states);
        let attended = self.attention.attend(&projected.view(), queries, bias);
        self.transform(&states.slice(s![.., ..queries]), &attended)
    }

    /// Returns the output of the layer after attention.
    pub(super) fn transform(
        &self,
        states: &ArrayView2<'_, f32>,
        attended: &Array2<f32>,
    ) -> Array2<f32> {
        let attended = self.attention_output.forward(attended, states);
        let mut inner = self.intermediate.forward(&attended);
        self.activation.apply(inner.as_slice_mut().expect("a product is in one piece"));
        self.output.forward(&inner, &attended.view())
    }
}

/// A projection whose result is added to the input of the block and normalized.
struct Residual {
    dense: Linear,
    norm: LayerNorm,
}

impl Residual {
    fn forward(&self, states: &Array2<f32>, input: &ArrayView2<'_, f32>) -> Array2<f32> {
        let mut sum = self.dense.forward(states);
        sum += input;
        self.norm.apply(&mut sum);
        sum
    }
}
