//! A sentence encoder.

use super::bert::{Bert, Config, Weights};
use super::checksums::Checksums;
use super::default_model::FILES;
use super::model_files::ModelFiles;
use super::pipeline::{Matryoshka, Modules, Pipeline, Sequence, read_prefixes};
use super::{Embedding, Error, Prefixes, Wordpieces};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use tokenizers::normalizers::{Lowercase, NormalizerWrapper, Sequence as Normalizers};
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationParams};

/// Wordpieces that the default model reads in sentence-transformers, including two special ones.
const DEFAULT_LIMIT: usize = 256;

/// An embedding model in memory, about 45 MB for the default one; threads can share it.
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
    encoder: Bert,
    pipeline: Pipeline,
    tokenizer: Tokenizer,
    wordpieces: Wordpieces,
    limit: usize,
    prefixes: Prefixes,
    matryoshka: Matryoshka,
    name: String,
    assumptions: Vec<String>,
}

impl Model {
    /// Loads the model in a folder: `model.safetensors`, `tokenizer.json` and `config.json`, and the files of
    /// sentence-transformers that say how a vector is made.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unreadable`] for a missing file, [`Error::Damaged`] for a file of the default
    /// model with another checksum, [`Error::Architecture`] for another encoder than those of BERT's family, and
    /// [`Error::Unsupported`] if a file has a setting that is not implemented.
    pub fn load(folder: &Path) -> Result<Arc<Self>, Error> {
        let modules = Modules::read(folder)?;
        let checksums = Checksums::of_user();
        let ModelFiles { weights, tokenizer, config, identity } =
            ModelFiles::read(&modules.encoder, &checksums)?;
        let [weights_path, tokenizer_path, config_path] =
            FILES.map(|file| modules.encoder.join(file.name));

        let config = Config::read(&config).map_err(|error| Error::encoder(&config_path, error))?;
        let encoder = Weights::read(weights);
        let encoder = encoder.and_then(|weights| Bert::load(&weights, &config));
        let encoder = encoder.map_err(|error| Error::encoder(&weights_path, error))?;
        let pipeline = Pipeline::read(&modules, config.hidden_size(), &checksums)?;
        let sequence = Sequence::read(&modules.encoder)?;

        let default_limit = identity.is_default.then_some(DEFAULT_LIMIT);
        let known_limit = sequence.limit.or(default_limit);
        let limit = known_limit.unwrap_or(usize::MAX).min(config.max_wordpieces());
        let tokenizer = read_tokenizer(&tokenizer, sequence.is_lowercase);
        let tokenizer = tokenizer.map_err(|error| Error::unsupported(&tokenizer_path, &error))?;
        let wordpieces = Wordpieces::new(tokenizer.clone());
        let tokenizer = truncated(tokenizer, limit);
        let tokenizer = tokenizer.map_err(|error| Error::unsupported(&tokenizer_path, &error))?;

        let case = if sequence.is_lowercase { ", lower case" } else { "" };
        let settings = format!("{pipeline}, {limit} wordpieces{case}");
        let mut assumptions = Vec::new();
        if modules.are_assumed && !identity.is_default {
            assumptions.push(format!("modules.json, so the vector is: {pipeline}"));
        }
        if known_limit.is_none() {
            assumptions
                .push(format!("maximum length, so it is that of config.json: {limit} wordpieces"));
        }
        Ok(Arc::new(Self {
            encoder,
            pipeline,
            tokenizer,
            wordpieces,
            limit,
            prefixes: read_prefixes(folder)?,
            matryoshka: Matryoshka::read(&modules.encoder)?,
            name: identity.name(folder, &settings),
            assumptions,
        }))
    }

    /// Embeds a text. The model ignores the text beyond its [`limit`](Self::limit).
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the computation fails, which does not happen once a model is loaded.
    pub fn embed(&self, text: &str) -> Result<Embedding, Error> {
        let encoding = self.encode(text)?;
        let (ids, types) = (encoding.get_ids(), encoding.get_type_ids());
        let states = self.encoder.forward(ids, types, self.pipeline.states());
        Ok(self.pipeline.vector(&states.map_err(inference)?).to_vec())
    }

    /// Embeds several texts together, which is faster than one after the other if they are short.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`embed`](Self::embed).
    pub fn embed_batch(&self, texts: &[String]) -> Result<Vec<Embedding>, Error> {
        let encodings: Vec<_> =
            texts.iter().map(|text| self.encode(text)).collect::<Result<_, _>>()?;
        let sequences: Vec<_> = encodings
            .iter()
            .map(|encoding| (encoding.get_ids(), encoding.get_type_ids()))
            .collect();
        let states = self.encoder.forward_batch(&sequences).map_err(inference)?;
        Ok(states.iter().map(|states| self.pipeline.vector(states).to_vec()).collect())
    }

    /// Returns the wordpieces of a text, of which there is at least one.
    fn encode(&self, text: &str) -> Result<Encoding, Error> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(inference)?;
        if encoding.is_empty() {
            return Err(inference("its tokenizer returns no wordpiece for a text"));
        }
        Ok(encoding)
    }

    /// Returns the sizer that counts this model's wordpieces.
    pub fn wordpieces(&self) -> &Wordpieces {
        &self.wordpieces
    }

    /// Returns the dimensions of the embeddings, 384 for the default model.
    pub fn dimensions(&self) -> usize {
        self.pipeline.dimensions()
    }

    /// Checks that a vector can be cut to its first dimensions.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Dimensions`] if the model has fewer, and [`Error::Matryoshka`] if its folder lists others.
    pub fn check_dimensions(&self, requested: usize) -> Result<(), Error> {
        let actual = self.dimensions();
        match &self.matryoshka {
            _ if requested > actual => Err(Error::Dimensions { requested, actual }),
            Matryoshka::Only(known) if requested < actual && !known.contains(&requested) => {
                Err(Error::Matryoshka { requested, known: known.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Returns the fewer dimensions for which the folder says that the model is trained.
    pub fn matryoshka(&self) -> &Matryoshka {
        &self.matryoshka
    }

    /// Returns how many wordpieces the model reads, including two special ones.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns what the model's folder puts in front of questions and documents. [`embed`](Self::embed) does not add it.
    pub fn prefixes(&self) -> &Prefixes {
        &self.prefixes
    }

    /// Returns the model name that a store records.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the folder lacks, each with the default that the client uses.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }
}

/// Returns the tokenizer of a file, without padding and truncation.
fn read_tokenizer(file: &[u8], is_lowercase: bool) -> tokenizers::Result<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(file)?;
    // The file configures padding to 128. A single sequence needs no padding.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None)?;
    if is_lowercase {
        let mut normalizers = vec![NormalizerWrapper::Lowercase(Lowercase)];
        normalizers.extend(tokenizer.get_normalizer().cloned());
        tokenizer.with_normalizer(Some(Normalizers::new(normalizers)))?;
    }
    Ok(tokenizer)
}

/// Returns a tokenizer that drops the end of a long text.
fn truncated(mut tokenizer: Tokenizer, limit: usize) -> tokenizers::Result<Tokenizer> {
    let special =
        tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
    if limit <= special {
        return Err(format!("a length of {limit} wordpieces has no room for a text").into());
    }
    let truncation = TruncationParams { max_length: limit, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation))?;
    Ok(tokenizer)
}

fn inference(error: impl Display) -> Error {
    Error::Inference(error.to_string())
}
