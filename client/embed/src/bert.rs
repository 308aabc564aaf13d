/*!
The layers of BERT and of its relatives, for one sequence without padding, which may be a pair of texts.

| file | what |
|---|---|
| `family.rs` | the architectures, and how they differ from BERT |
| `config.rs`, `weights.rs` | the files of a model |
| `batch.rs` | several sequences at a time |
| `embeddings.rs` | words, positions and types become states |
| `layer.rs`, `attention.rs`, `relative_bias.rs` | layers, which read and write states |
| `linear.rs`, `norm.rs`, `activation.rs`, `multiply.rs`, `vectorized.rs` | the arithmetic, on the thread of the caller |

Inside of the encoder a state is a column. So the matrices of weights are multiplied in the order in which files have them, without a
copy, and loops over the states of one dimension are vectors. The states equal those of other implementations up to rounding.
*/

mod activation;
mod attention;
mod batch;
mod config;
mod embeddings;
mod error;
mod family;
mod layer;
mod linear;
mod multiply;
mod norm;
mod relative_bias;
mod vectorized;
mod weights;

pub(crate) use config::Config;
pub(crate) use error::Error;
pub(crate) use family::Family;
pub(crate) use linear::Linear;
pub(crate) use weights::Weights;

use embeddings::Embeddings;
use layer::Layer;
use ndarray::Array2;
use relative_bias::RelativeBias;

/// The states that a caller reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum States {
    /// Those of all wordpieces.
    All,
    /// That of the first wordpiece. Of the last layer, only the keys and values of the others are computed.
    First,
}

/// The encoder with its weights.
pub(crate) struct Bert {
    embeddings: Embeddings,
    bias: Option<RelativeBias>,
    layers: Vec<Layer>,
}

impl Bert {
    /// Takes the weights of an encoder. Their names may begin with the type of the model, such as `bert.`.
    ///
    /// # Errors
    ///
    /// Returns an error if a tensor is missing or has a shape that the configuration does not describe.
    pub(crate) fn load(weights: &Weights, config: &Config) -> Result<Self, Error> {
        let prefixed = weights.below(config.family.prefix());
        let has_prefix = prefixed.has("embeddings.word_embeddings.weight");
        let weights = if has_prefix { &prefixed } else { weights };

        // They compare the number of positions with the file, before the bias is computed for each.
        let embeddings = Embeddings::load(weights, config)?;
        let bias = if config.family == Family::Mpnet {
            Some(RelativeBias::load(&weights.below("encoder"), config)?)
        } else {
            None
        };
        let layers = weights.below(config.family.tensor_names().layers);
        Ok(Self {
            embeddings,
            bias,
            layers: (0..config.sizes.num_hidden_layers)
                .map(|index| Layer::load(&layers.below(&index.to_string()), config))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Returns the last hidden states: a row for each wordpiece, or only the first one. `types` has the type of each
    /// wordpiece; a model with one type or none ignores it.
    ///
    /// # Errors
    ///
    /// Returns an error if the sequence is longer than the model's positions, or an id is not in the vocabulary.
    pub(crate) fn forward(
        &self,
        wordpieces: &[u32],
        types: &[u32],
        read: States,
    ) -> Result<Array2<f32>, Error> {
        let mut states = self.embeddings.forward(wordpieces, types)?;
        for (index, layer) in self.layers.iter().enumerate() {
            let is_last = index + 1 == self.layers.len();
            let queries = if is_last && read == States::First { 1 } else { wordpieces.len() };
            states = layer.forward(&states, queries, self.bias.as_ref());
        }
        Ok(states.reversed_axes())
    }
}

#[cfg(test)]
mod tests;
