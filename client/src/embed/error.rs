//! What can go wrong with a model, each with what to do about it.

use super::Problem;
use super::files::{DEFAULT_MODEL, FILES, REVISION};
use std::path::PathBuf;

/// A model that cannot be loaded or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder, or one of the three files in it, is not there or not readable.
    #[error("cannot read the embedding model's {path}: {source}", path = path.display())]
    Unreadable {
        /// The file that was wanted.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what it should be by its hash.
    #[error("{path} is damaged: its hash is not that of the model {DEFAULT_MODEL}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be understood.
    #[error("{path} does not hold a BERT model: {reason}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What its reader said.
        reason: String,
    },
    /// The default model cannot be fetched.
    #[error("cannot fetch {file}: {cause}")]
    Fetch {
        /// The file.
        file: &'static str,
        /// What was wrong.
        cause: String,
    },
    /// A service did not embed.
    #[error("the embedding service at {place} {problem}")]
    Service {
        /// The host, without what might stand before or behind it in the URL.
        place: String,
        /// What was wrong.
        problem: Problem,
    },
    /// The model failed on a text, or a thread of the pool has ended.
    #[error("the embedding model failed: {0}")]
    Inference(String),
}

impl Error {
    /// Tells whether it may be otherwise in a while, with nothing done about it.
    pub fn is_passing(&self) -> bool {
        matches!(self, Error::Service { problem, .. } if problem.is_passing())
    }

    /// Says what to do about it.
    pub fn remedy(&self) -> String {
        let [weights, tokenizer, config] = FILES.map(|file| file.name);
        match self {
            Error::Unreadable { .. } | Error::Damaged { .. } => format!(
                "passage model fetch brings it. Or put {weights}, {tokenizer} and {config} of {DEFAULT_MODEL} (revision \
                 {REVISION}) into a folder and name it with --model or PASSAGE_MODEL, or leave embeddings out with --no-embed where there is such an option."
            ),
            Error::Unsupported { .. } => {
                format!(
                    "Name a folder with a BERT in safetensors, such as {DEFAULT_MODEL}, with --model or PASSAGE_MODEL."
                )
            }
            Error::Fetch { .. } => format!(
                "Name a web folder that has the three files of {DEFAULT_MODEL} (revision {REVISION}) with --from, or put \
                 them into a folder and name that with --model."
            ),
            Error::Service { problem, .. } => problem.remedy(),
            Error::Inference(_) => {
                "Check that the folder given with --model holds one model's files.".into()
            }
        }
    }
}

/// candle adds a backtrace to its errors when one is asked for; a message is its first line.
impl From<candle_core::Error> for Error {
    fn from(error: candle_core::Error) -> Self {
        Error::Inference(error.to_string().lines().next().unwrap_or_default().into())
    }
}
