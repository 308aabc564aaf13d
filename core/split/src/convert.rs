/*!
Conversion of HTML and notebooks to Markdown, and decoding of bytes.

The store keeps the converted text, and spans and lines refer to it. All other documents stay unchanged. A
conversion has no access to anything but the document, so the base address of links is an argument.
*/

#[cfg(feature = "html")]
mod charset;
mod decoded;
mod encoding;
#[cfg(feature = "html")]
mod html;
mod notebook;

pub use decoded::{DecodeError, DecodedText, UTF_8};
pub use encoding::{decode, encoding_name};
#[cfg(feature = "html")]
pub use html::{PageReferences, page_references};

use crate::{Error, MediaType};

/// The converted text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedDocument {
    /// The text to store and to split.
    pub text: String,
    /// The media type of the text: Markdown.
    pub media_type: MediaType,
    /// The title of the source document, if any. The text may not contain it.
    pub title: Option<String>,
}

/// Converts HTML or a notebook to Markdown; returns `None` for other media types.
///
/// `base` is the base address of relative links, such as `https://example.org/docs/`. Without an
/// absolute base, relative links stay relative. Without the feature `html`, the result for HTML is
/// `None`.
///
/// ```
/// use passage_split::{MediaType, convert};
///
/// let notebook = r##"{"cells": [{"cell_type": "markdown", "source": "# Title"}]}"##;
/// let converted = convert(notebook, &MediaType::new("application/x-ipynb+json"), None)?.unwrap();
/// assert_eq!(converted.text, "# Title\n");
/// assert_eq!(converted.title.as_deref(), Some("Title"));
/// assert_eq!(convert("text", &MediaType::PLAIN, None)?, None);
/// # Ok::<(), passage_split::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::InvalidNotebook`] with line and column for an invalid notebook. Returns
/// [`Error::PageTooLarge`] for HTML over 32 MiB and [`Error::PageTooComplex`] for more than 2,000,000
/// nodes. Broken HTML is read as browsers do and never fails.
pub fn convert(
    text: &str,
    media_type: &MediaType,
    base: Option<&str>,
) -> Result<Option<ConvertedDocument>, Error> {
    let (text, title) = match media_type.structure() {
        "application/x-ipynb+json" => notebook::convert(text)?,
        #[cfg(feature = "html")]
        "text/html" => html::convert(text, base)?,
        _ => {
            let _ = base;
            return Ok(None);
        }
    };
    Ok(Some(ConvertedDocument { text, media_type: MediaType::MARKDOWN, title }))
}
