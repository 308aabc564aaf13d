//! Remedies for documents that cannot be converted.

use serde::{Deserialize, Serialize};

/// The remedy for a document that cannot be converted.
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
