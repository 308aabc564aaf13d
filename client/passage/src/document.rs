/*!
Documents: what the client stores of a file.

Core decides the media type, the title and the stored text ([`MetadataOverrides`]). This module decodes the
bytes of a file, and adds the file's path to errors.
*/

use crate::conversion::{Converted, Converter, Plan};
use crate::error::Error;
use crate::source;
use crate::source::Text;
pub use passage_split::{Document, MetadataOverrides};
use passage_split::{PlaceMark, UTF_8};
use serde_json::{Map, Value};
use std::path::Path;

/// A document, and the places of its pages, slides or sheets in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadDocument {
    /// The document.
    pub document: Document,
    /// The places, in the order of the text; none for a text.
    pub marks: Vec<PlaceMark>,
    /// Metadata that a program which converted it has found.
    pub metadata: Map<String, Value>,
    /// The name of the encoding of its file, unless it is UTF-8 or not a text.
    pub encoding: Option<&'static str>,
}

/// Reads a document from the bytes of a file.
///
/// `path` appears in errors. `inside` is the path relative to the folder in which the file was found,
/// if it was found in one.
///
/// # Errors
///
/// Returns [`Error::Unsupported`] for a document that is neither text nor can be converted to it, and
/// [`Error::Conversion`] for one that is damaged, encrypted or too large. Returns other errors if the bytes are not
/// text, if the text is larger than [`source::MAX_BYTES`], or if it cannot be converted from its media type, such as a
/// damaged notebook.
///
/// # Examples
///
/// ```
/// use passage::conversion::Converter;
/// use passage::document::{MetadataOverrides, ReadDocument, read};
/// use std::path::Path;
///
/// let html = b"<main><h1>Setup</h1><p>Install it.</p></main>".to_vec();
/// let (overrides, path) = (MetadataOverrides::default(), Path::new("setup.html"));
/// let ReadDocument { document, .. } =
///     read(&overrides, html, path, "setup.html", None, &Converter::default())?;
/// assert_eq!(document.title.as_deref(), Some("Setup"));
/// assert_eq!(document.media_type.name(), "text/markdown");
/// # Ok::<(), passage::Error>(())
/// ```
pub fn read(
    overrides: &MetadataOverrides,
    bytes: Vec<u8>,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
    converter: &Converter,
) -> Result<ReadDocument, Error> {
    let plan = Plan::of(converter, overrides, uri, &bytes);
    read_planned(plan, overrides, bytes, path, uri, inside)
}

/// Reads a document whose conversion is known, `None` for a text; see [`read`].
pub(crate) fn read_planned(
    plan: Option<Plan<'_>>,
    overrides: &MetadataOverrides,
    bytes: Vec<u8>,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<ReadDocument, Error> {
    if let Some(plan) = plan {
        let Converted { text, media_type, source_media_type, title, marks, metadata } =
            plan.convert(bytes, path)?;
        let overrides = MetadataOverrides {
            media_type: Some(media_type),
            title: overrides.title.clone().or(title),
            ..overrides.clone()
        };
        let document = convert(&overrides, text, path, uri, inside)?;
        let source_media_type = Some(source_media_type);
        let document = Document { source_media_type, ..document };
        return Ok(ReadDocument { document, marks, metadata, encoding: None });
    }
    let encoding = overrides.encoding.as_deref();
    let Text { text, encoding } =
        source::text(bytes, path, overrides.media_type(uri).as_ref(), encoding)?;
    let document = convert(overrides, text, path, uri, inside)?;
    let encoding = (encoding != UTF_8).then_some(encoding);
    Ok(ReadDocument { document, marks: Vec::new(), metadata: Map::new(), encoding })
}

/// Reads a document from decoded text; see [`read`].
///
/// # Errors
///
/// Returns an error if the text contains a NUL character, and the errors of [`read`].
pub fn read_text(
    overrides: &MetadataOverrides,
    text: String,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<Document, Error> {
    convert(overrides, source::without_nul(text, path)?, path, uri, inside)
}

fn convert(
    overrides: &MetadataOverrides,
    text: String,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<Document, Error> {
    let document = overrides.build_document(text, uri, inside).map_err(|error| match error {
        passage_split::Error::InvalidNotebook { line, column } => {
            source::Error::Notebook { path: path.to_owned(), line, column }.into()
        }
        error @ (passage_split::Error::PageTooLarge { .. }
        | passage_split::Error::PageTooComplex { .. }) => {
            source::Error::Page { path: path.to_owned(), reason: error.to_string() }.into()
        }
        other => Error::from(other),
    })?;
    // The converted Markdown can be longer than its source.
    if document.text.len() > source::MAX_BYTES {
        return Err(source::Error::TooLarge { path: path.to_owned() }.into());
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use passage_split::MediaType;

    #[test]
    fn a_given_media_type_makes_a_text_of_markup_but_not_of_other_bytes() {
        let overrides = MetadataOverrides {
            media_type: Some(MediaType::PLAIN),
            ..MetadataOverrides::default()
        };
        let read = |bytes: &[u8], uri| {
            read(&overrides, bytes.to_vec(), Path::new(uri), uri, None, &Converter::default())
        };
        assert_eq!(read(b"{\\rtf1 a}", "a.rtf").unwrap().document.text, "{\\rtf1 a}");
        assert!(read(b"%PDF-1.7\n\xff", "a.pdf").unwrap_err().to_string().starts_with("a.pdf is "));
    }

    #[test]
    fn read_decodes_html_by_its_charset_and_errors_name_the_path() {
        let read = |bytes: &[u8], uri: &str| {
            read(
                &MetadataOverrides::default(),
                bytes.to_vec(),
                Path::new(uri),
                uri,
                None,
                &Converter::default(),
            )
        };
        let html = read(b"<meta charset=latin1><main><h1>\xc9t\xe9</h1></main>", "a.html")
            .unwrap()
            .document;
        assert_eq!((html.text.as_str(), html.title.as_deref()), ("# Été\n", Some("Été")));
        let error = read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "b.doc").unwrap_err();
        assert!(!error.is_fatal());
        let expected = "b.doc is a Word document of the old format, which passage cannot convert";
        assert_eq!(error.to_string(), expected);
        let error = read(b"{", "b.ipynb").unwrap_err().to_string();
        assert!(error.starts_with("b.ipynb "), "{error}");
        let error = read(&[&b"<table>"[..], &b"<tr><td>".repeat(1_500_000)].concat(), "c.html")
            .unwrap_err();
        assert!(!error.is_fatal());
        let expected = "cannot convert c.html: an HTML page must have at most ";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
