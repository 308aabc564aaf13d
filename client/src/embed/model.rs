//! A BERT sentence encoder.

use super::files::Files;
use super::{Embedding, Error, Wordpieces, files::FILES};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use std::path::Path;
use std::sync::Arc;
use tokenizers::{Tokenizer, TruncationParams};

/// How many wordpieces sentence-transformers lets the default model read, two of them special.
const MAX_WORDPIECES: usize = 256;

/// An embedding model in memory, some 90 MB; it can be shared between threads.
pub struct Model {
    bert: BertModel,
    tokenizer: Tokenizer,
    wordpieces: Wordpieces,
    dimensions: usize,
    limit: usize,
    name: String,
}

impl Model {
    /// Loads the model in a folder: `model.safetensors`, `tokenizer.json` and `config.json`.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or not of a BERT.
    pub fn load(folder: &Path) -> Result<Arc<Self>, Error> {
        let Files { weights, tokenizer, config, name } = Files::read(folder)?;
        let unsupported = |file: usize, reason: String| Error::Unsupported {
            path: folder.join(FILES[file].name),
            reason: reason.lines().next().unwrap_or_default().into(),
        };

        let config: Config =
            serde_json::from_slice(&config).map_err(|error| unsupported(2, error.to_string()))?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)
            .map_err(|error| unsupported(0, error.to_string()))?;
        let bert =
            BertModel::load(weights, &config).map_err(|error| unsupported(0, error.to_string()))?;

        let mut tokenizer =
            Tokenizer::from_bytes(tokenizer).map_err(|error| unsupported(1, error.to_string()))?;
        let limit = MAX_WORDPIECES.min(config.max_position_embeddings);
        // The file asks for padding to 128, which is what one sequence at a time does without.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| unsupported(1, error.to_string()))?;
        let wordpieces = Wordpieces::new(tokenizer.clone());
        tokenizer
            .with_truncation(Some(TruncationParams {
                max_length: limit,
                ..TruncationParams::default()
            }))
            .map_err(|error| unsupported(1, error.to_string()))?;

        Ok(Arc::new(Self {
            bert,
            tokenizer,
            wordpieces,
            dimensions: config.hidden_size,
            limit,
            name,
        }))
    }

    /// Returns the vector of a text, of length 1; what passes the model's limit is not read.
    ///
    /// # Errors
    ///
    /// If the model fails, which a model that loaded does not.
    pub fn embed(&self, text: &str) -> Result<Embedding, Error> {
        let ids = self.encode(text)?;
        let ids = Tensor::new(ids.as_slice(), &Device::Cpu)?.unsqueeze(0)?;
        let states = self.bert.forward(&ids, &ids.zeros_like()?, None)?;
        let mut embedding = states.mean(1)?.squeeze(0)?.to_vec1::<f32>()?;
        let length = embedding.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut embedding {
            *value /= length;
        }
        Ok(embedding)
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let encoding = self
            .tokenizer
            .encode_fast(text, true)
            .map_err(|error| Error::Inference(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Returns the sizer that counts what this model reads.
    pub fn wordpieces(&self) -> &Wordpieces {
        &self.wordpieces
    }

    /// Returns the length of its embeddings, 384 for the default model.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns how many wordpieces it reads, the two special ones included.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns what a store remembers the model by.
    pub fn name(&self) -> &str {
        &self.name
    }
}
