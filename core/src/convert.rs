/*!
Conversion: documents that are stored as another text than they came as.

HTML and notebooks hold a document and much else, so what is stored is the document alone, as
Markdown; spans and lines refer to that. Everything else is stored as it is. A conversion sees one
document and nothing beside it: what its relative links are relative to is an argument.
*/

#[cfg(feature = "html")]
mod charset;
#[cfg(feature = "html")]
mod html;
mod notebook;

use crate::{Error, MediaType};
use std::{borrow::Cow, str::Utf8Error};

/// What is stored of a document that is not stored as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedDocument {
    /// The text to store and to split.
    pub text: String,
    /// What that is: Markdown.
    pub media_type: MediaType,
    /// The title that the document gave itself, if any, where it is no longer in the text.
    pub title: Option<String>,
}

/// Converts a document to the text that is stored of it, or gives `None` if that is the text
/// itself.
///
/// `base` is the address that relative links are relative to; unless it is absolute, as in
/// `https://example.org/docs/`, they stay as they are. Without the feature `html`, HTML is stored
/// as it is.
///
/// # Errors
///
/// Returns [`Error::InvalidNotebook`] with the place if a notebook is no JSON or no notebook, and
/// [`Error::PageTooLarge`] or [`Error::PageTooComplex`] for a page of HTML that is too large. Broken HTML is
/// read as browsers do and never fails.
pub fn convert(
    text: &str,
    media_type: &MediaType,
    base: Option<&str>,
) -> Result<Option<ConvertedDocument>, Error> {
    match media_type.structure() {
        "application/x-ipynb+json" => notebook::convert(text).map(Some),
        #[cfg(feature = "html")]
        "text/html" => html::convert(text, base).map(Some),
        _ => {
            let _ = base;
            Ok(None)
        }
    }
}

/// Reads the bytes of a document as text.
///
/// HTML says itself how it is encoded: by a byte order mark, or in its first 1,024 bytes, or else
/// it is UTF-8 if it can be and windows-1252 if not, as for browsers. Everything else is UTF-8.
///
/// # Errors
///
/// Returns the place of the first byte that is not UTF-8, for everything but HTML.
pub fn decode<'b>(bytes: &'b [u8], media_type: &MediaType) -> Result<Cow<'b, str>, Utf8Error> {
    #[cfg(feature = "html")]
    if media_type.structure() == "text/html" {
        return Ok(charset::decode(bytes));
    }
    let _ = media_type;
    std::str::from_utf8(bytes).map(Cow::Borrowed)
}
