//! The errors of the client, each with a cause and a remedy.

use crate::conversion::Remedy;
use crate::{embed, rerank, source, store};
use passage_office::Format;
use std::path::PathBuf;

/// An error of the client: the message is the cause, [`remedy`](Error::remedy) says what to do.
///
/// Neither contains a document's text, a key or a password.
///
/// # Examples
///
/// ```
/// let error = passage::Error::from(passage::store::Error::NoDocument("a.md".into()));
/// assert_eq!(error.to_string(), "no document has the uri \"a.md\"");
/// assert!(error.remedy().contains("passage status"));
/// assert!(!error.is_fatal());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the embedding model or service.
    #[error(transparent)]
    Model(#[from] embed::Error),
    /// An error of the rerank service.
    #[error(transparent)]
    Rerank(#[from] rerank::Error),
    /// An error of a source.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// An error of the store or its server.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// An invalid splitter limit or media type.
    #[error(transparent)]
    Split(#[from] passage_split::Error),
    /// A document of a format that the client cannot convert to text.
    #[error("{path} is {format}, which passage cannot convert", path = path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// A document that is damaged, encrypted or too large to be converted to text.
    #[error("{path} {reason}", path = path.display())]
    Conversion {
        /// The file.
        path: PathBuf,
        /// The defect, as in `is encrypted`.
        reason: String,
        /// The remedy.
        remedy: Remedy,
    },
    /// A usage error.
    #[error("{cause}")]
    Usage {
        /// The invalid part of the call.
        cause: String,
        /// The action to take.
        remedy: String,
    },
}

impl Error {
    /// Returns a usage error.
    pub(crate) fn usage(cause: &str, remedy: &str) -> Self {
        Error::Usage { cause: cause.into(), remedy: remedy.into() }
    }

    /// Returns what to do, in full sentences.
    pub fn remedy(&self) -> String {
        match self {
            Error::Model(error) => error.remedy(),
            Error::Rerank(error) => error.remedy().into(),
            Error::Source(error) => error.remedy().into(),
            Error::Store(error) => error.remedy(),
            Error::Split(passage_split::Error::UnknownMediaType { valid, .. }) => {
                format!("Valid ones: {valid}.")
            }
            Error::Split(passage_split::Error::OffsetBehindEnd { .. }) => {
                "Ingest the document again, with offsets in its text.".into()
            }
            Error::Split(_) => "Use the default sizes.".into(),
            Error::Conversion { remedy, .. } => remedy.sentences().into(),
            Error::Unsupported { .. } => {
                "Convert it to Markdown or HTML, or accept that such documents are left out with --skip-unsupported."
                    .into()
            }
            Error::Usage { remedy, .. } => remedy.clone(),
        }
    }

    /// Returns whether a row exists with a key that was to be written.
    pub(crate) fn is_conflict_of_keys(&self) -> bool {
        matches!(self, Error::Store(error) if error.is_conflict_of_keys())
    }

    /// Returns whether the rest of a run fails for the same reason.
    pub fn is_fatal(&self) -> bool {
        match self {
            Error::Store(error) => error.is_fatal(),
            Error::Source(_) | Error::Unsupported { .. } | Error::Conversion { .. } => false,
            Error::Model(_) | Error::Rerank(_) | Error::Split(_) | Error::Usage { .. } => true,
        }
    }
}
