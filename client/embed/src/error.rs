//! The errors of embedding, each with a remedy.

use super::default_model::{DEFAULT_MODEL, FILES, REVISION};
use super::{bert, remote};
use crate::service::ServiceError;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A failure to load or use an embedding model or service.
///
/// # Examples
///
/// ```
/// use passage_embed::{Error, Model};
/// use std::path::Path;
///
/// let error = Model::load(Path::new("/nowhere")).err().unwrap();
/// assert!(matches!(error, Error::Unreadable { .. }));
/// assert!(error.remedy().contains("passage model fetch"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of the model, or one of its three files, cannot be read.
    #[error("cannot read file \"{path}\" of the embedding model: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file of the default model has another checksum.
    #[error("{path} is damaged: its checksum is not that of the model {DEFAULT_MODEL}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A file is not that of a supported model.
    #[error("{path} is not supported as a local embedding model: {reason}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The setting, or the error of the parser.
        reason: String,
    },
    /// The encoder of a folder has other layers than those of BERT's family.
    #[error("{path}: models of the architecture \"{name}\" do not run locally", path = path.display())]
    Architecture {
        /// The configuration.
        path: PathBuf,
        /// The architecture, which is `model_type` in the configuration.
        name: String,
    },
    /// The default model cannot be fetched.
    #[error("cannot fetch {file}: {cause}")]
    Fetch {
        /// The file.
        file: &'static str,
        /// The cause.
        cause: String,
    },
    /// An embedding service failed.
    #[error("embedding service at {host}: {error}")]
    Service {
        /// The host and port, without any other part of the URL, which may contain a secret.
        host: String,
        /// The failure.
        error: ServiceError,
    },
    /// A model has fewer dimensions than requested.
    #[error("the embedding model has {actual} dimensions, so it cannot have {requested}")]
    Dimensions {
        /// The requested dimensions.
        requested: usize,
        /// The dimensions of the model.
        actual: usize,
    },
    /// A model is not trained for the requested dimensions.
    #[error(
        "the embedding model is not trained for {requested} dimensions, but for {}",
        listed(known)
    )]
    Matryoshka {
        /// The requested dimensions.
        requested: usize,
        /// Fewer dimensions than its own for which the model is trained.
        known: Vec<usize>,
    },
    /// The prefixes in the settings of a store have another format.
    #[error(
        "setting \"prefixes\" of the store is not an object with the texts \"query\" and \"document\""
    )]
    RecordedPrefixes,
    /// The model failed on a text, or a thread of the pool has stopped.
    #[error("the embedding model failed: {0}")]
    Inference(String),
}

/// Returns numbers as a list.
fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The encoders that run in this process.
const LOCAL: &str =
    "a BERT, RoBERTa, XLM-RoBERTa, CamemBERT, MPNet, DistilBERT or ELECTRA in safetensors";

/// How to run any other model. NAME is its name on Hugging Face, or in Ollama's library.
const SERVE: &str = "Let a server run the model, and name it with --embed-url and --embed-model NAME. \
    TEI: text-embeddings-router --model-id NAME --port 8080, --embed-url http://localhost:8080/v1. \
    vLLM: vllm serve NAME --runner pooling, --embed-url http://localhost:8000/v1. \
    llama.cpp: llama-server --embeddings --model FILE.gguf, --embed-url http://localhost:8080/v1. \
    Ollama: ollama pull NAME, --embed-url http://localhost:11434/v1.";

/// How to write weights in the only format that is read.
const CONVERT: &str = "Convert the weights in Python: from transformers import AutoModel; \
    AutoModel.from_pretrained(DIR).save_pretrained(DIR, max_shard_size=\"50GB\").";

impl Error {
    /// Returns the error for an encoder's file.
    pub(super) fn encoder(path: &Path, error: bert::Error) -> Self {
        match error {
            bert::Error::Architecture(name) => Error::Architecture { path: path.into(), name },
            error => Error::unsupported(path, &error),
        }
    }

    /// Returns the error for a file that a parser rejects.
    pub(super) fn unsupported(path: &Path, reason: &dyn Display) -> Self {
        let reason = reason.to_string().lines().next().unwrap_or_default().into();
        Error::Unsupported { path: path.into(), reason }
    }

    /// Returns whether a later attempt can succeed without any change.
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Service { error, .. } if error.is_transient())
    }

    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> String {
        let [weights, tokenizer, config] = FILES.map(|file| file.name);
        match self {
            Error::Unreadable { .. } | Error::Damaged { .. } => format!(
                "Run passage model fetch. Or put {weights}, {tokenizer} and {config} of {DEFAULT_MODEL} (revision \
                 {REVISION}) into a folder and name it with --model or PASSAGE_MODEL. Commands with the option --no-embed \
                 need no model."
            ),
            Error::Unsupported { path, .. }
                if path.ends_with("pytorch_model.bin")
                    || path.ends_with("model.safetensors.index.json") =>
            {
                format!("{CONVERT} {SERVE}")
            }
            Error::Unsupported { .. } | Error::Architecture { .. } => {
                format!(
                    "{SERVE} Or give --model or PASSAGE_MODEL a folder with {LOCAL}, such as {DEFAULT_MODEL}."
                )
            }
            Error::Fetch { .. } => format!(
                "Give --from the URL of a folder with the three files of {DEFAULT_MODEL} (revision {REVISION}), or put the \
                 files into a folder and name it with --model."
            ),
            Error::Service { error, .. } => remote::remedy(error),
            Error::Dimensions { actual, .. } => {
                format!("Set --dimensions to at most {actual}, or leave it out.")
            }
            Error::Matryoshka { .. } => {
                "Set --dimensions to one of these, or leave it out for those of the model.".into()
            }
            Error::RecordedPrefixes => {
                "Correct the row with the key \"prefixes\" in the table settings of the store, as in \
                 {\"query\": \"query: \", \"document\": \"passage: \"}."
                    .into()
            }
            Error::Inference(_) => {
                "Check that the folder of --model contains the files of one model.".into()
            }
        }
    }
}
