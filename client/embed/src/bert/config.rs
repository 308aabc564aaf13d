//! The part of a model's `config.json` that the encoder reads.

use super::activation::Activation;
use super::error::Error;
use super::family::Family;
use serde::Deserialize;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// The sizes and functions of an encoder.
pub(crate) struct Config {
    pub(super) family: Family,
    pub(super) sizes: Sizes,
}

/// The file. `DistilBERT` has other names for some of its keys.
#[derive(Deserialize)]
pub(super) struct Sizes {
    pub(super) vocab_size: usize,
    #[serde(alias = "dim")]
    pub(super) hidden_size: usize,
    /// The size of the embeddings, if ELECTRA projects them to that of the states.
    pub(super) embedding_size: Option<usize>,
    #[serde(alias = "n_layers")]
    pub(super) num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    pub(super) num_attention_heads: NonZeroUsize,
    #[serde(alias = "hidden_dim")]
    pub(super) intermediate_size: usize,
    #[serde(alias = "activation")]
    pub(super) hidden_act: Activation,
    pub(super) max_position_embeddings: usize,
    pub(super) type_vocab_size: Option<NonZeroUsize>,
    #[serde(default = "epsilon")]
    pub(super) layer_norm_eps: f64,
    pub(super) pad_token_id: Option<u32>,
    #[serde(default = "buckets")]
    pub(super) relative_attention_num_buckets: usize,
    #[serde(default)]
    position_embedding_type: PositionEmbeddings,
    #[serde(default)]
    is_decoder: bool,
    /// The code of a model that does not use the layers of its family, such as that of jina-embeddings.
    #[serde(default)]
    auto_map: HashMap<String, serde_json::Value>,
}

/// How a model encodes positions. Relative positions need other layers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PositionEmbeddings {
    #[default]
    Absolute,
}

/// The default of all families.
fn epsilon() -> f64 {
    1e-12
}

/// The default of `MPNet`.
fn buckets() -> usize {
    32
}

/// The part of the file that says which other keys it has.
#[derive(Deserialize)]
struct Architecture {
    #[serde(default = "bert")]
    model_type: String,
}

fn bert() -> String {
    "bert".into()
}

impl Config {
    /// Reads the file. The default of `model_type` is `bert`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Architecture`] for other layers than those of BERT, and an error that names the key if a size is missing or a
    /// setting is not implemented.
    pub(crate) fn read(file: &[u8]) -> Result<Self, Error> {
        let Architecture { model_type } = serde_json::from_slice(file)?;
        let family = Family::named(&model_type).ok_or(Error::Architecture(model_type))?;
        let sizes: Sizes = serde_json::from_slice(file)?;
        let PositionEmbeddings::Absolute = sizes.position_embedding_type;
        if sizes.is_decoder {
            return Err(Error::Setting("a decoder"));
        }
        if sizes.auto_map.contains_key("AutoModel") {
            return Err(Error::Setting("a model with layers in code of its own (auto_map)"));
        }
        if !sizes.hidden_size.is_multiple_of(sizes.num_attention_heads.get()) {
            return Err(Error::Setting(
                "a number of attention heads that does not divide the hidden size",
            ));
        }
        Ok(Self { family, sizes })
    }

    pub(crate) fn family(&self) -> Family {
        self.family
    }

    /// Returns how many numbers a state has.
    pub(crate) fn hidden_size(&self) -> usize {
        self.sizes.hidden_size
    }

    /// Returns how many wordpieces the model reads.
    pub(crate) fn max_wordpieces(&self) -> usize {
        self.sizes.max_position_embeddings.saturating_sub(self.first_position())
    }

    /// Returns the row of the first wordpiece in the table of positions.
    pub(super) fn first_position(&self) -> usize {
        self.padding_offset().map_or(0, |padding| padding as usize + 1)
    }

    pub(super) fn padding_offset(&self) -> Option<u32> {
        self.family.padding_offset(self.sizes.pad_token_id)
    }
}
