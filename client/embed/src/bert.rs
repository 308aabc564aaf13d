/*!
The layers of a BERT encoder, for one sequence without padding.

ndarray multiplies the matrices, on the thread of the caller. The states equal those of other implementations up to
rounding. Models: Devlin et al. 2018, arXiv:1810.04805.
*/

mod activation;
mod batch;
mod weights;

use activation::{Activation, softmax};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate, s};
use serde::Deserialize;
use std::num::NonZeroUsize;

pub(super) use weights::Weights;

/// A failure to load or use an encoder.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}")]
    File(#[from] safetensors::SafeTensorError),
    #[error("the file has no tensor {0}")]
    Missing(String),
    #[error("tensor {name} has the shape {actual:?} instead of {expected:?}")]
    Shape { name: String, actual: Vec<usize>, expected: Vec<usize> },
    #[error("tensor {name} has numbers of the type {dtype}, which are not supported")]
    Type { name: String, dtype: safetensors::Dtype },
    #[error("the model reads at most {0} wordpieces")]
    TooLong(usize),
    #[error("wordpiece {0} is not in the vocabulary of the model")]
    Vocabulary(u32),
}

/// The part of a model's `config.json` that the encoder reads.
#[derive(Deserialize)]
pub(super) struct Config {
    vocab_size: usize,
    pub(super) hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: NonZeroUsize,
    intermediate_size: usize,
    hidden_act: Activation,
    pub(super) max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
    #[serde(default)]
    #[expect(dead_code, reason = "another type fails to parse")]
    position_embedding_type: PositionEmbeddings,
    model_type: Option<String>,
}

/// How a model encodes positions. Relative positions need other layers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PositionEmbeddings {
    #[default]
    Absolute,
}

/// The encoder with its weights.
pub(super) struct Bert {
    words: Array2<f32>,
    positions: Array2<f32>,
    /// The embedding of the first type of token, because a single sequence has no second one.
    token_type: Array1<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl Bert {
    /// Takes the weights of an encoder. Their names may begin with the type of the model, such as `bert.`.
    ///
    /// # Errors
    ///
    /// Returns an error if a tensor is missing or has a shape that the configuration does not describe.
    pub(super) fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let prefix = config.model_type.as_deref().unwrap_or("bert");
        let prefixed = weights.below(prefix);
        let has_prefix = prefixed.has("embeddings.word_embeddings.weight");
        let weights = if has_prefix { &prefixed } else { weights };

        let embeddings = weights.below("embeddings");
        let table = |rows, name: &str| {
            embeddings.matrix(&format!("{name}.weight"), rows, config.hidden_size)
        };
        Ok(Self {
            words: table(config.vocab_size, "word_embeddings")?,
            positions: table(config.max_position_embeddings, "position_embeddings")?,
            token_type: table(config.type_vocab_size, "token_type_embeddings")?.row(0).to_owned(),
            norm: LayerNorm::load(&embeddings.below("LayerNorm"), config)?,
            layers: (0..config.num_hidden_layers)
                .map(|index| Layer::load(&weights.below(&format!("encoder.layer.{index}")), config))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Returns the last hidden states: a row for each wordpiece.
    ///
    /// # Errors
    ///
    /// Returns an error if the sequence is longer than the model's positions, or an id is not in the vocabulary.
    pub(super) fn forward(&self, wordpieces: &[u32]) -> Result<Array2<f32>, Error> {
        let mut states = self.embed(wordpieces)?;
        for layer in &self.layers {
            states = layer.forward(&states);
        }
        Ok(states)
    }

    /// Returns the input of the first layer.
    fn embed(&self, wordpieces: &[u32]) -> Result<Array2<f32>, Error> {
        if wordpieces.len() > self.positions.nrows() {
            return Err(Error::TooLong(self.positions.nrows()));
        }
        if let Some(&id) = wordpieces.iter().find(|&&id| id as usize >= self.words.nrows()) {
            return Err(Error::Vocabulary(id));
        }
        let mut states = self.positions.slice(s![..wordpieces.len(), ..]).to_owned();
        for (mut state, &id) in states.rows_mut().into_iter().zip(wordpieces) {
            state += &self.words.row(id as usize);
            state += &self.token_type;
        }
        self.norm.apply(&mut states);
        Ok(states)
    }
}

/// Self-attention and a feed-forward network, each with a residual connection and a normalization.
struct Layer {
    attention: Attention,
    attention_output: Residual,
    intermediate: Linear,
    activation: Activation,
    output: Residual,
}

impl Layer {
    fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let (size, inner) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            attention: Attention::load(&weights.below("attention.self"), config)?,
            attention_output: Residual::load(&weights.below("attention.output"), size, config)?,
            intermediate: Linear::load(&weights.below("intermediate.dense"), size, inner)?,
            activation: config.hidden_act,
            output: Residual::load(&weights.below("output"), inner, config)?,
        })
    }

    fn forward(&self, states: &Array2<f32>) -> Array2<f32> {
        self.transform(states, &self.attention.forward(states))
    }

    /// Returns the output of the layer after attention.
    fn transform(&self, states: &Array2<f32>, attended: &Array2<f32>) -> Array2<f32> {
        let attended = self.attention_output.forward(attended, states);
        let mut inner = self.intermediate.forward(&attended);
        self.activation.apply(inner.as_slice_mut().expect("a product is in one piece"));
        self.output.forward(&inner, &attended)
    }
}

/// Self-attention with several heads, over all wordpieces of the sequence.
struct Attention {
    /// The projections to queries, keys and values, one below the other.
    projections: Linear,
    heads: usize,
    head_size: usize,
}

impl Attention {
    fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let heads = config.num_attention_heads.get();
        let head_size = config.hidden_size / heads;
        let load = |name| Linear::load(&weights.below(name), config.hidden_size, heads * head_size);
        let [query, key, value] = [load("query")?, load("key")?, load("value")?];
        let projections = Linear {
            parts: [query.parts, key.parts, value.parts].concat(),
            bias: concatenate![Axis(0), query.bias, key.bias, value.bias],
        };
        Ok(Self { projections, heads, head_size })
    }

    fn forward(&self, states: &Array2<f32>) -> Array2<f32> {
        self.attend(&self.projections.forward(states).view())
    }

    /// Returns the contexts of one sequence from its queries, keys and values.
    fn attend(&self, projected: &ArrayView2<'_, f32>) -> Array2<f32> {
        let (wordpieces, size) = (projected.nrows(), self.heads * self.head_size);
        let scale = 1.0 / (self.head_size as f32).sqrt();
        let mut scores = Array2::zeros((wordpieces, wordpieces));
        let mut attended = Array2::zeros((wordpieces, size));
        for first in (0..size).step_by(self.head_size) {
            let head = |part: usize| {
                let first = part * size + first;
                projected.slice(s![.., first..first + self.head_size])
            };
            general_mat_mul(scale, &head(0), &head(1).t(), 0.0, &mut scores);
            for mut row in scores.rows_mut() {
                softmax(row.as_slice_mut().expect("a row is in one piece"));
            }
            let mut context = attended.slice_mut(s![.., first..first + self.head_size]);
            general_mat_mul(1.0, &scores, &head(2), 0.0, &mut context);
        }
        attended
    }
}

/// A projection whose result is added to the input of the block and normalized.
struct Residual {
    dense: Linear,
    norm: LayerNorm,
}

impl Residual {
    fn load(weights: &Weights, from: usize, config: &Config) -> Result<Self, Error> {
        Ok(Self {
            dense: Linear::load(&weights.below("dense"), from, config.hidden_size)?,
            norm: LayerNorm::load(&weights.below("LayerNorm"), config)?,
        })
    }

    fn forward(&self, states: &Array2<f32>, input: &Array2<f32>) -> Array2<f32> {
        let mut sum = self.dense.forward(states);
        sum += input;
        self.norm.apply(&mut sum);
        sum
    }
}

/// The columns of a matrix that are multiplied at a time. A multiplication first copies the matrix in another order, which
/// takes most of its time for a short text. A narrow matrix is copied faster: its rows are near each other in memory.
const COLUMNS: usize = 192;

/// A linear projection.
struct Linear {
    /// A column for each number of the result, in parts of at most [`COLUMNS`].
    parts: Vec<Array2<f32>>,
    bias: Array1<f32>,
}

impl Linear {
    fn load(weights: &Weights, from: usize, to: usize) -> Result<Self, Error> {
        let weight = weights.matrix("weight", to, from)?;
        let parts = weight.axis_chunks_iter(Axis(0), COLUMNS);
        // The multiplication reads a matrix row by row.
        let parts = parts.map(|part| part.t().as_standard_layout().into_owned()).collect();
        Ok(Self { parts, bias: weights.vector("bias", to)? })
    }

    fn forward(&self, states: &Array2<f32>) -> Array2<f32> {
        let shape = (states.nrows(), self.bias.len());
        let mut product = self.bias.broadcast(shape).expect("a row for each state").to_owned();
        let mut rest = product.view_mut();
        for part in &self.parts {
            let (mut columns, right) = rest.split_at(Axis(1), part.ncols());
            general_mat_mul(1.0, states, part, 1.0, &mut columns);
            rest = right;
        }
        product
    }
}

/// The normalization of each row to the mean 0 and the variance 1, with a learned scale and offset.
struct LayerNorm {
    scale: Array1<f32>,
    offset: Array1<f32>,
    epsilon: f32,
}

impl LayerNorm {
    fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        // Older models of PyTorch have other names.
        let [scale, offset] =
            if weights.has("weight") { ["weight", "bias"] } else { ["gamma", "beta"] };
        Ok(Self {
            scale: weights.vector(scale, config.hidden_size)?,
            offset: weights.vector(offset, config.hidden_size)?,
            epsilon: config.layer_norm_eps as f32,
        })
    }

    fn apply(&self, states: &mut Array2<f32>) {
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

#[cfg(test)]
mod tests;
