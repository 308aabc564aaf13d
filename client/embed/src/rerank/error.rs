//! The errors of reranking, each with a remedy.

use crate::service::ServiceError;
use std::path::PathBuf;
use std::time::Duration;

/// A failure to load or use a rerank model or service.
///
/// # Examples
///
/// ```
/// use passage_embed::rerank::{CrossEncoder, Error};
/// use std::path::Path;
///
/// let error = CrossEncoder::load(Path::new("/nowhere")).err().unwrap();
/// assert!(matches!(error, Error::Unreadable { .. }));
/// assert!(error.remedy().contains("--rerank-url"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the model cannot be read.
    #[error("cannot read file \"{path}\" of the rerank model: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file is not that of a supported model.
    #[error("{path} does not contain a supported rerank model: {reason}", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Why it is not supported.
        reason: String,
    },
    /// A rerank service failed.
    #[error("rerank service at {host}: {error}")]
    Service {
        /// The host and port, without any other part of the URL, which may contain a secret.
        host: String,
        /// The failure.
        error: ServiceError,
    },
    /// Reranking took longer than its time limit.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// The model failed on a text, or a thread has stopped.
    #[error("the rerank model failed: {0}")]
    Inference(String),
}

impl Error {
    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Unreadable { .. } => {
                "Give --rerank-model or PASSAGE_RERANK_MODEL a folder with model.safetensors, tokenizer.json and config.json \
                 of a rerank model. If it is the model of a service, name the service with --rerank-url or --rerank-provider."
            }
            Error::Unsupported { .. } => {
                "Use a cross-encoder with one label, such as cross-encoder/ms-marco-MiniLM-L6-v2 or BAAI/bge-reranker-base. \
                 Other rerank models run in a server such as text-embeddings-inference: name it with --rerank-url and \
                 --rerank-provider tei."
            }
            Error::Service { error, .. } => remedy_of_service(error),
            Error::TimedOut(_) => {
                "A larger --rerank-timeout gives it more time. Fewer --rerank-candidates take less."
            }
            Error::Inference(_) => {
                "Check that the folder of --rerank-model contains the files of one model."
            }
        }
    }
}

fn remedy_of_service(error: &ServiceError) -> &'static str {
    match error {
        ServiceError::InvalidConfig(_) => {
            "Set --rerank-url to a URL such as https://host/v1, and PASSAGE_RERANK_KEY to a key without spaces."
        }
        ServiceError::KeyOverHttp => {
            "Use https:// in --rerank-url. Plain HTTP is for services on this machine, and for services without a key: \
             unset PASSAGE_RERANK_KEY."
        }
        ServiceError::Unreachable(..) => {
            "Check that the service runs and that --rerank-url names it. --rerank-timeout sets how long the client waits."
        }
        ServiceError::Busy(..) | ServiceError::RetryLater(..) => "Run the command again later.",
        ServiceError::Unauthorized(_) => {
            "Set PASSAGE_RERANK_KEY to the API key. The client reads it only from the environment."
        }
        ServiceError::NotFound(_) => {
            "Check --rerank-url, to which the client appends /rerank, and --rerank-model."
        }
        ServiceError::Rejected(_) => {
            "Read the log of the service. It may need --rerank-model or another --rerank-provider, or accept fewer texts \
             than --rerank-candidates."
        }
        ServiceError::TooLong
        | ServiceError::InvalidResponse(_)
        | ServiceError::Dimensions { .. } => {
            "Check that --rerank-url names a rerank service, and --rerank-model a rerank model."
        }
    }
}
