//! A conversion in this process, and its result as processes exchange it.

use super::Remedy;
use passage_office::{Format, Mark};
use serde::{Deserialize, Serialize};

/// A document as Markdown, with the places of its pages, slides or sheets.
#[derive(Serialize, Deserialize)]
pub(crate) struct Conversion {
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) marks: Vec<Mark>,
}

/// Why a conversion has failed.
#[derive(Serialize, Deserialize)]
pub(crate) enum Failure {
    /// No converter reads the format.
    Unsupported,
    /// The document cannot be converted.
    Document {
        /// The defect, as in `is encrypted`.
        reason: String,
        remedy: Remedy,
    },
}

/// Converts a document in this process.
#[cfg(feature = "office")]
pub(super) fn convert(format: Format, bytes: &[u8]) -> Result<Conversion, Failure> {
    use passage_office::{ConvertError, Converted, Limits};

    match passage_office::convert(format, bytes, Limits::default()) {
        Ok(Converted { text, title, marks }) => Ok(Conversion { text, title, marks }),
        Err(ConvertError::Unsupported) => Err(Failure::Unsupported),
        Err(error) => {
            let remedy = match error {
                ConvertError::Encrypted => Remedy::Decrypt,
                ConvertError::NoText => Remedy::RecognizeText,
                ConvertError::TooLarge(_) => Remedy::Divide,
                _ => Remedy::Repair,
            };
            Err(Failure::Document { reason: error.to_string(), remedy })
        }
    }
}

#[cfg(not(feature = "office"))]
pub(super) fn convert(_: Format, _: &[u8]) -> Result<Conversion, Failure> {
    Err(Failure::Unsupported)
}
