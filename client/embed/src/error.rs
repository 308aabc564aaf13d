//! The errors of embedding, each with a remedy.

use super::default_model::{DEFAULT_MODEL, FILES, REVISION};
use super::remote;
use crate::service::ServiceError;
use std::path::PathBuf;

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
    #[error("{path} does not contain a BERT model: {reason}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        reason: String,
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
    /// The prefixes in the settings of a store have another format.
    #[error(
        "setting \"prefixes\" of the store is not an object with the texts \"query\" and \"document\""
    )]
    RecordedPrefixes,
    /// The model failed on a text, or a thread of the pool has stopped.
    #[error("the embedding model failed: {0}")]
    Inference(String),
}

impl Error {
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
            Error::Unsupported { .. } => format!(
                "Give --model or PASSAGE_MODEL a folder with a BERT in safetensors, such as {DEFAULT_MODEL}."
            ),
            Error::Fetch { .. } => format!(
                "Give --from the URL of a folder with the three files of {DEFAULT_MODEL} (revision {REVISION}), or put the \
                 files into a folder and name it with --model."
            ),
            Error::Service { error, .. } => remote::remedy(error),
            Error::Dimensions { actual, .. } => {
                format!("Set --dimensions to at most {actual}, or leave it out.")
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
