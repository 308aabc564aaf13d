//! The results of a conversion: Markdown with places, or why there is none.

use passage_split::PlaceMark;
use serde::{Deserialize, Serialize};

/// A document as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Converted {
    /// The Markdown.
    pub text: String,
    /// The title in the properties of the document.
    pub title: Option<String>,
    /// The places in the source, in the order of the text.
    pub marks: Vec<PlaceMark>,
}

/// Why a document has no Markdown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ConvertError {
    /// It is encrypted, and opening it needs a password.
    #[error("is encrypted")]
    Encrypted,
    /// Its pages are images.
    #[error("has no text, only images")]
    NoText,
    /// It is not what its format requires.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// It exceeds a limit.
    #[error("is too large: {0}")]
    TooLarge(String),
    /// No converter reads its format.
    #[error("cannot be converted")]
    Unsupported,
}

impl ConvertError {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the errors of libraries are passed by value"
    )]
    pub(super) fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }
}
