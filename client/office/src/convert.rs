/*!
Conversion to Markdown: each format has a module that walks through its model of a text.

`bytes -> parts of the package (package) -> elements (xml) -> blocks (markdown) -> text and marks`

Hostile documents are bounded here: the bytes that a package unpacks to, the depth and the number of elements, and the
text. The caller bounds the time, since parsers of others do some of the work.
*/

mod docx;
mod epub;
mod limits;
mod mail;
mod markdown;
mod odf;
mod package;
mod pdf;
mod pptx;
mod rtf;
mod sheet;
mod table;
mod xml;

use crate::{Format, Mark, Place};
pub use limits::Limits;
use serde::{Deserialize, Serialize};

/// A document as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Converted {
    /// The Markdown.
    pub text: String,
    /// The title in the properties of the document.
    pub title: Option<String>,
    /// The places in the source, in the order of the text.
    pub marks: Vec<Mark>,
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
    fn damaged(reason: impl ToString) -> Self {
        Self::Damaged(reason.to_string())
    }
}

/// Converts a document to Markdown.
///
/// # Errors
///
/// Returns an error for a document that is encrypted, has no text, is damaged or exceeds the limits, and for formats
/// without a converter: Word, PowerPoint and Outlook up to version 2003.
pub fn convert(format: Format, bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    match format {
        Format::Pdf => pdf::convert(bytes, limits),
        Format::Docx => docx::convert(bytes, limits),
        Format::Pptx => pptx::convert(bytes, limits),
        Format::Xlsx => sheet::convert_xlsx(bytes, limits),
        Format::Xls => sheet::convert_xls(bytes, limits),
        Format::Odt | Format::Odp | Format::Ods => odf::convert(bytes, limits),
        Format::Epub => epub::convert(bytes, limits),
        Format::Eml => mail::convert_message(bytes, limits),
        Format::Mbox => mail::convert_mailbox(bytes, limits),
        Format::Rtf => rtf::convert(bytes, limits),
        Format::Doc | Format::Ppt | Format::Msg => Err(ConvertError::Unsupported),
    }
}
