//! A conversion in this process, and its result as processes exchange it.

use super::remedy::Remedy;
use passage_office::Format;
use passage_split::PlaceMark;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A document as Markdown, with the places of its pages, slides or sheets.
#[derive(Serialize, Deserialize)]
pub(super) struct Conversion {
    pub(super) text: String,
    pub(super) title: Option<String>,
    pub(super) marks: Vec<PlaceMark>,
}

/// Why a conversion has failed.
#[derive(Serialize, Deserialize)]
pub(super) enum Failure {
    /// No converter reads the format.
    Unsupported,
    /// The document cannot be converted.
    Document {
        /// The defect, as in `is encrypted`.
        reason: String,
        remedy: Remedy,
    },
}

impl Failure {
    /// Returns the failure of a process that was stopped at its time limit.
    pub(super) fn too_slow(time: Duration) -> Self {
        let reason = format!("cannot be converted within {} seconds", time.as_secs());
        Self::Document { reason, remedy: Remedy::AllowTime }
    }
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
