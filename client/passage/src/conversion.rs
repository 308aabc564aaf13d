/*!
Conversion of documents that are not text, in a child process with limits.

Parsers of such formats meet hostile and damaged files. The program runs itself for each document, so a crash, a loop
or a bomb costs this document and nothing else. A library has no program to run, and converts in its own process.
*/

mod child;
mod in_process;
mod remedy;

pub use child::run_as_child;
pub(crate) use in_process::Conversion;
pub use remedy::Remedy;

use crate::source;
use in_process::Failure;
use passage_office::Format;
use std::path::Path;

/// The process that converts documents that are not text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Converter {
    /// In this process, whose memory and time have no limits.
    #[default]
    InProcess,
    /// In a child process. This program calls [`run_as_child`] before it does anything else.
    Child,
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
            Self::InProcess => in_process::convert(format, bytes),
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
