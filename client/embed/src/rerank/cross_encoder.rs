//! A cross-encoder: BERT or `RoBERTa` with a classifier for pairs of texts.

use super::activation::Activation;
use super::classifier::Classifier;
use super::error::Error;
use super::pairs::{PairEncoder, Question};
use crate::bert::{self, Bert, Config, Family, States, Weights};
use serde::Deserialize;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tokenizers::Tokenizer;

const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";

/// A rerank model in memory; threads can share it.
///
/// It reads a question and a text as one sequence. So it compares each word of one with each word of the
/// other, which an embedding model cannot.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::rerank::CrossEncoder;
/// use std::path::Path;
///
/// let model = CrossEncoder::load(Path::new("/srv/models/ms-marco-MiniLM-L6-v2"))?;
/// let question = "How do I stop the water?";
/// assert!(model.score(question, "Close the valve.")? > model.score(question, "Open the door.")?);
/// # Ok::<(), passage_embed::rerank::Error>(())
/// ```
pub struct CrossEncoder {
    bert: Bert,
    classifier: Classifier,
    activation: Activation,
    pairs: PairEncoder,
    /// Whether the model reads which text of a pair a wordpiece belongs to.
    has_types: bool,
}

impl CrossEncoder {
    /// Loads the model in a folder: `model.safetensors`, `tokenizer.json` and `config.json`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unreadable`] for a missing file, and [`Error::Unsupported`] if the files are not
    /// those of a BERT or `RoBERTa` that scores pairs of texts with one label.
    pub fn load(folder: &Path) -> Result<Arc<Self>, Error> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|source| Error::Unreadable { path, source })
        };
        let optional = |name: &str| std::fs::read(folder.join(name)).ok();
        let unsupported = |name: &'static str| {
            move |reason: String| Error::Unsupported {
                path: folder.join(name),
                reason: reason.lines().next().unwrap_or_default().into(),
            }
        };

        let text = read(CONFIG)?;
        let config = config(&text).map_err(unsupported(CONFIG))?;
        let activation =
            Activation::read(&text, optional("config_sentence_transformers.json").as_deref())
                .map_err(|name| unsupported(CONFIG)(format!("its activation is {name}")))?;
        let path = folder.join(WEIGHTS);
        let file = File::open(&path).map_err(|source| Error::Unreadable { path, source })?;
        let weights =
            Weights::read(file).map_err(|error| unsupported(WEIGHTS)(error.to_string()))?;
        let classifier = Classifier::load(&weights, &config).map_err(unsupported(WEIGHTS))?;
        let bert = Bert::load(&weights, &config)
            .map_err(|error| unsupported(WEIGHTS)(error.to_string()))?;
        let tokenizer_config: TokenizerConfig = optional("tokenizer_config.json")
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        let limit = config.max_wordpieces().min(tokenizer_config.max_wordpieces());
        let tokenizer = Tokenizer::from_bytes(read(TOKENIZER)?)
            .map_err(|error| unsupported(TOKENIZER)(error.to_string()))?;
        let pairs = PairEncoder::new(tokenizer, limit).map_err(unsupported(TOKENIZER))?;
        let has_types = tokenizer_config.has_types();
        Ok(Arc::new(Self { bert, classifier, activation, pairs, has_types }))
    }

    /// Returns the score of a text, higher for a better answer to the question. The model ignores the end of
    /// a text beyond its window.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Inference`] if the computation fails.
    pub fn score(&self, question: &str, text: &str) -> Result<f64, Error> {
        self.score_text(&self.question(question)?, text)
    }

    /// Encodes a question, for several texts.
    pub(super) fn question(&self, question: &str) -> Result<Question, Error> {
        self.pairs.question(question).map_err(Error::Inference)
    }

    /// Returns the score of a text.
    pub(super) fn score_text(&self, question: &Question, text: &str) -> Result<f64, Error> {
        let pair = self.pairs.pair(question, text).map_err(Error::Inference)?;
        let first_type = vec![0; pair.get_ids().len()];
        let types = if self.has_types { pair.get_type_ids() } else { &first_type };
        let states = self.bert.forward(pair.get_ids(), types, States::First);
        let states = states.map_err(|error| Error::Inference(error.to_string()))?;
        let score = self.activation.apply(self.classifier.apply(&states.row(0)));
        if !score.is_finite() {
            return Err(Error::Inference("a score is not finite".into()));
        }
        Ok(score)
    }
}

/// Parses the configuration of a supported model. Other models have other classifiers, even with the same names: that of
/// ELECTRA has no tanh.
fn config(text: &[u8]) -> Result<Config, String> {
    let refused = |name: &str| format!("models of the type \"{name}\" do not run in this process");
    let config = Config::read(text).map_err(|error| match error {
        bert::Error::Architecture(name) => refused(&name),
        error => error.to_string(),
    })?;
    match config.family() {
        Family::Bert | Family::Roberta => Ok(config),
        other => Err(refused(other.prefix())),
    }
}

/// The part of `tokenizer_config.json` that decides how pairs are encoded.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenizerConfig {
    /// A tokenizer without a limit has a huge number.
    model_max_length: Option<f64>,
    /// The inputs of the model, if they differ from those that its kind usually has.
    model_input_names: Option<Vec<String>>,
}

impl TokenizerConfig {
    fn max_wordpieces(&self) -> usize {
        self.model_max_length.map_or(usize::MAX, |length| length as usize)
    }

    /// Returns whether the model reads which text of a pair a wordpiece belongs to.
    fn has_types(&self) -> bool {
        let names = self.model_input_names.as_ref();
        names.is_none_or(|names| names.iter().any(|name| name == "token_type_ids"))
    }
}
