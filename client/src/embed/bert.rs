//! The layers of a BERT encoder on candle's tensors, for one sequence without padding.
//!
//! candle's crate of models has the same encoder among a hundred other models, and takes a minute to compile. For
//! the same weights and wordpieces the states are equal bit by bit. Models: Devlin et al. 2018, arXiv:1810.04805.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::{Embedding, LayerNorm, Linear, Module, VarBuilder, embedding, layer_norm, linear};
use serde::Deserialize;
use std::num::NonZeroUsize;

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

/// The function between the two layers of a feed-forward network.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Activation {
    Gelu,
    /// The approximation of GELU by the hyperbolic tangent.
    #[serde(alias = "gelu_pytorch_tanh")]
    GeluNew,
    Relu,
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
    words: Embedding,
    positions: Tensor,
    /// The embedding of the first type of token, because a single sequence has no second one.
    token_type: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

impl Bert {
    /// Takes the weights of an encoder. Their names may begin with the type of the model, such as `bert.`.
    ///
    /// # Errors
    ///
    /// Returns an error if a tensor is missing or has a shape that the configuration does not describe.
    pub(super) fn load(weights: &VarBuilder, config: &Config) -> Result<Self> {
        let prefix = config.model_type.as_deref().unwrap_or("bert");
        let prefixed = weights.pp(prefix);
        let has_prefix = prefixed.contains_tensor("embeddings.word_embeddings.weight");
        let weights = if has_prefix { &prefixed } else { weights };

        let size = config.hidden_size;
        let embeddings = weights.pp("embeddings");
        let table = |rows, name| embedding(rows, size, embeddings.pp(name));
        let token_types = table(config.type_vocab_size, "token_type_embeddings")?;
        Ok(Self {
            words: table(config.vocab_size, "word_embeddings")?,
            positions: table(config.max_position_embeddings, "position_embeddings")?
                .embeddings()
                .clone(),
            token_type: token_types.embeddings().narrow(0, 0, 1)?,
            norm: layer_norm(size, config.layer_norm_eps, embeddings.pp("LayerNorm"))?,
            layers: (0..config.num_hidden_layers)
                .map(|index| Layer::load(&weights.pp(format!("encoder.layer.{index}")), config))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns the last hidden states: a row for each wordpiece.
    ///
    /// # Errors
    ///
    /// Returns an error if the sequence is longer than the model's positions, or an id is not in the vocabulary.
    pub(super) fn forward(&self, wordpieces: &[u32]) -> Result<Tensor> {
        let ids = Tensor::new(wordpieces, &Device::Cpu)?;
        let words = self.words.forward(&ids)?.broadcast_add(&self.token_type)?;
        let embeddings = (words + self.positions.narrow(0, 0, wordpieces.len())?)?;
        // The layers have a dimension for the batch, which is one sequence.
        let mut states = self.norm.forward(&embeddings)?.unsqueeze(0)?;
        for layer in &self.layers {
            states = layer.forward(&states)?;
        }
        states.squeeze(0)
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
    fn load(weights: &VarBuilder, config: &Config) -> Result<Self> {
        let (size, inner) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            attention: Attention::load(&weights.pp("attention.self"), config)?,
            attention_output: Residual::load(&weights.pp("attention.output"), size, config)?,
            intermediate: linear(size, inner, weights.pp("intermediate.dense"))?,
            activation: config.hidden_act,
            output: Residual::load(&weights.pp("output"), inner, config)?,
        })
    }

    fn forward(&self, states: &Tensor) -> Result<Tensor> {
        let attended = self.attention_output.forward(&self.attention.forward(states)?, states)?;
        let inner = self.intermediate.forward(&attended)?;
        let inner = match self.activation {
            Activation::Gelu => inner.gelu_erf()?,
            Activation::GeluNew => inner.gelu()?,
            Activation::Relu => inner.relu()?,
        };
        self.output.forward(&inner, &attended)
    }
}

/// Self-attention with several heads, over all wordpieces of the sequence.
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    heads: usize,
    head_size: usize,
}

impl Attention {
    fn load(weights: &VarBuilder, config: &Config) -> Result<Self> {
        let heads = config.num_attention_heads.get();
        let head_size = config.hidden_size / heads;
        let projection = |name| linear(config.hidden_size, heads * head_size, weights.pp(name));
        Ok(Self {
            query: projection("query")?,
            key: projection("key")?,
            value: projection("value")?,
            heads,
            head_size,
        })
    }

    fn forward(&self, states: &Tensor) -> Result<Tensor> {
        let [query, key, value] = [&self.query, &self.key, &self.value]
            .map(|projection| self.split_heads(&projection.forward(states)?));
        let scores = (query?.matmul(&key?.t()?)? / (self.head_size as f64).sqrt())?;
        let weights = candle_nn::ops::softmax(&scores, D::Minus1)?;
        weights.matmul(&value?)?.transpose(1, 2)?.contiguous()?.flatten_from(D::Minus2)
    }

    /// Makes the heads a dimension before the wordpieces.
    fn split_heads(&self, states: &Tensor) -> Result<Tensor> {
        let (batch, wordpieces, _) = states.dims3()?;
        let states = states.reshape((batch, wordpieces, self.heads, self.head_size))?;
        states.transpose(1, 2)?.contiguous()
    }
}

/// A projection whose result is added to the input of the block and normalized.
struct Residual {
    dense: Linear,
    norm: LayerNorm,
}

impl Residual {
    fn load(weights: &VarBuilder, from: usize, config: &Config) -> Result<Self> {
        let size = config.hidden_size;
        Ok(Self {
            dense: linear(from, size, weights.pp("dense"))?,
            norm: layer_norm(size, config.layer_norm_eps, weights.pp("LayerNorm"))?,
        })
    }

    fn forward(&self, states: &Tensor, input: &Tensor) -> Result<Tensor> {
        self.norm.forward(&(self.dense.forward(states)? + input)?)
    }
}

#[cfg(test)]
mod tests;
