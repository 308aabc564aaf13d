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
    /// Divide it, or allow more time.
    AllowTime,
    /// Divide it, or allow more memory.
    AllowMemory,
    /// Free memory of the machine.
    FreeMemory,
    /// Free space of the disk.
    FreeDisk,
    /// Run the program of the user by hand.
    RunProgram,
    /// Install the program of the user.
    InstallProgram,
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
            Self::AllowTime => "Divide it into several documents, or raise --convert-timeout.",
            Self::AllowMemory => {
                "Raise --convert-memory, or open it in the program that wrote it, and save it again."
            }
            Self::FreeDisk => {
                "Free space in the folder for temporary files, or name another one in TMPDIR."
            }
            Self::RunProgram => "Run the program of --convert on this document to see why.",
            Self::InstallProgram => "Install the program, or write its path in --convert.",
            Self::FreeMemory => {
                "Free memory, or raise the limit of processes, and run the command again."
            }
        }
    }
}
