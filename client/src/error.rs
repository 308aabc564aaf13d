//! Everything that can go wrong in the client, each with a cause and a remedy.

use crate::{embed, source, store};

/// An error of the client; its message is the cause, [`remedy`](Error::remedy) what to do.
///
/// Neither ever holds a document's text, a key or a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The embedding model.
    #[error(transparent)]
    Model(#[from] embed::Error),
    /// A source.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// The store, or the server it is on.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The splitter's limits, or a media type.
    #[error(transparent)]
    Split(#[from] passage_core::Error),
    /// The call itself.
    #[error("{cause}")]
    Usage {
        /// What is wrong with it.
        cause: String,
        /// What to do.
        remedy: String,
    },
}

impl Error {
    /// Says what to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Error::Model(error) => error.remedy(),
            Error::Source(error) => error.remedy().into(),
            Error::Store(error) => error.remedy(),
            Error::Split(passage_core::Error::UnknownValue { valid, .. }) => {
                format!("Valid ones: {valid}.")
            }
            Error::Split(_) => "Leave the sizes to their defaults.".into(),
            Error::Usage { remedy, .. } => remedy.clone(),
        }
    }

    /// Tells whether the rest of a run cannot succeed either.
    pub fn is_fatal(&self) -> bool {
        match self {
            Error::Store(error) => error.is_fatal(),
            Error::Source(_) => false,
            Error::Model(_) | Error::Split(_) | Error::Usage { .. } => true,
        }
    }
}
