/*!
Conversion of documents that are not text, in a child process with limits.

Parsers of such formats meet hostile and damaged files. The program runs itself for each document, so a crash, a loop
or a bomb costs this document and nothing else. A library has no program to run, and converts in its own process.
*/

mod child;

pub use child::run_as_child;

use crate::source;
use passage_office::{Format, Mark};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where documents that are not text are converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Converter {
    /// In this process, whose memory and time have no limits.
    #[default]
    InProcess,
    /// In a child process. This program calls [`run_as_child`] before it does anything else.
    Child,
}

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
        /// What is wrong with it, as in `is encrypted`.
        reason: String,
        remedy: Remedy,
    },
}

/// What to do about a document that cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Remedy {
    /// Remove its password.
    Decrypt,
    /// Recognize the letters in its images.
    RecognizeText,
    /// Get an undamaged one.
    Repair,
    /// Divide it.
    Divide,
}

impl Remedy {
    /// Returns the remedy in full sentences.
    pub(crate) fn sentences(self) -> &'static str {
        match self {
            Self::Decrypt => "Save it without a password, and run the command again.",
            Self::RecognizeText => {
                "Add a text layer by a program for OCR, such as ocrmypdf, and run the command again."
            }
            Self::Repair => {
                "Open it in the program that wrote it, and save or export it again. If it opens there, please report it."
            }
            Self::Divide => "Divide it into several documents.",
        }
    }
}

impl Converter {
    /// Converts a document to Markdown.
    pub(crate) fn convert(
        self,
        format: Format,
        bytes: &[u8],
        path: &Path,
    ) -> Result<Conversion, crate::Error> {
        let converted = match self {
            Self::InProcess => convert(format, bytes),
            Self::Child => child::convert_in_child(format, bytes),
        };
        let path = path.to_owned();
        let converted = converted.map_err(|failure| match failure {
            Failure::Unsupported => crate::Error::Unsupported { path: path.clone(), format },
            Failure::Document { reason, remedy } => {
                crate::Error::Conversion { path: path.clone(), reason, remedy }
            }
        })?;
        let text = source::without_nul(converted.text, &path)?;
        Ok(Conversion { text, ..converted })
    }
}

/// Converts a document in this process.
#[cfg(feature = "office")]
fn convert(format: Format, bytes: &[u8]) -> Result<Conversion, Failure> {
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
fn convert(_: Format, _: &[u8]) -> Result<Conversion, Failure> {
    Err(Failure::Unsupported)
}
