//! A BERT sentence encoder.

use super::bert::{Bert, Config, Weights};
use super::default_model::FILES;
use super::model_files::ModelFiles;
use super::{Embedding, Error, Prefixes, Wordpieces};
use ndarray::{Array2, Axis};
use std::path::Path;
use std::sync::Arc;
use tokenizers::{Tokenizer, TruncationParams};

/// Wordpieces that the default model reads in sentence-transformers, including two special ones.
const MAX_WORDPIECES: usize = 256;

/// An embedding model in memory, about 90 MB; threads can share it.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::Model;
/// use std::path::Path;
///
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// let [a, b] = ["Close the valve.", "Shut off the water."].map(|text| model.embed(text));
/// let similarity: f32 = a?.iter().zip(&b?).map(|(a, b)| a * b).sum();
/// assert!(similarity > 0.3);
/// # Ok::<(), passage_embed::Error>(())
/// ```
pub struct Model {
    bert: Bert,
    tokenizer: Tokenizer,
    wordpieces: Wordpieces,
    dimensions: usize,
    limit: usize,
    name: String,
    prefixes: Prefixes,
}

impl Model {
    /// Loads the model in a folder: `model.safetensors`, `tokenizer.json` and `config.json`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unreadable`] for a missing file, [`Error::Damaged`] for a file of the default
    /// model with another checksum, and [`Error::Unsupported`] if the files are not those of a BERT.
    pub fn load(folder: &Path) -> Result<Arc<Self>, Error> {
        let ModelFiles { weights, tokenizer, config, name } = ModelFiles::read(folder)?;
        let unsupported = |file: usize, reason: String| Error::Unsupported {
            path: folder.join(FILES[file].name),
            reason: reason.lines().next().unwrap_or_default().into(),
        };

        let config: Config =
            serde_json::from_slice(&config).map_err(|error| unsupported(2, error.to_string()))?;
        let weights = Weights::read(&weights).map_err(|error| unsupported(0, error.to_string()))?;
        let bert =
            Bert::load(&weights, &config).map_err(|error| unsupported(0, error.to_string()))?;

        let mut tokenizer =
            Tokenizer::from_bytes(tokenizer).map_err(|error| unsupported(1, error.to_string()))?;
        let limit = MAX_WORDPIECES.min(config.max_position_embeddings);
        // The file configures padding to 128. A single sequence needs no padding.
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
            prefixes: Prefixes::default(),
        }))
    }

    /// Embeds a text. The model ignores the text beyond its [`limit`](Self::limit).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the computation fails, which does not happen once a model is loaded.
    pub fn embed(&self, text: &str) -> Result<Embedding, Error> {
        let states = self.bert.forward(&self.encode(text)?);
        let states = states.map_err(|error| Error::Inference(error.to_string()))?;
        Ok(mean(&states))
    }

    /// Embeds several texts together, which is faster than one after the other if they are short.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`embed`](Self::embed).
    pub fn embed_batch(&self, texts: &[String]) -> Result<Vec<Embedding>, Error> {
        let sequences: Vec<_> =
            texts.iter().map(|text| self.encode(text)).collect::<Result<_, _>>()?;
        let states = self.bert.forward_batch(&sequences);
        let states = states.map_err(|error| Error::Inference(error.to_string()))?;
        Ok(states.iter().map(mean).collect())
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, Error> {
        let encoding = self
            .tokenizer
            .encode_fast(text, true)
            .map_err(|error| Error::Inference(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Returns the sizer that counts this model's wordpieces.
    pub fn wordpieces(&self) -> &Wordpieces {
        &self.wordpieces
    }

    /// Returns the prefixes of questions and documents that the folder names.
    pub fn prefixes(&self) -> &Prefixes {
        &self.prefixes
    }

    /// Returns the dimensions of the embeddings, 384 for the default model.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns how many wordpieces the model reads, including two special ones.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the model name that a store records.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the mean of the states of a sequence, normalized to length 1.
fn mean(states: &Array2<f32>) -> Embedding {
    let mut embedding = states.sum_axis(Axis(0));
    embedding /= embedding.dot(&embedding).sqrt();
    embedding.to_vec()
}
