/*!
Documents: the bytes of a file as what is stored of it.

What a document is, and which text of it is stored, is core's to say ([`MetadataOverrides`]). What is added
here is where the text comes from: bytes in some encoding, and a path for whoever reads an error.
*/

use crate::{Error, source};
pub use passage_core::{Document, MetadataOverrides};
use std::path::Path;

/// Reads a document from the bytes of a file; `inside` is where that lies in the folder that was
/// named, if it was found in one.
///
/// # Errors
///
/// If it is no text, or not at all what its media type says where that has to be converted.
pub fn read(
    reading: &MetadataOverrides,
    bytes: Vec<u8>,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<Document, Error> {
    let text = source::text(bytes, path, reading.media_type(uri).as_ref())?;
    made(reading, text, path, uri, inside)
}

/// Reads a document from a text that needs no decoding; see [`read`].
///
/// # Errors
///
/// If it holds a NUL, or is not at all what its media type says where that has to be converted.
pub fn read_text(
    reading: &MetadataOverrides,
    text: String,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<Document, Error> {
    made(reading, source::without_nul(text, path)?, path, uri, inside)
}

fn made(
    reading: &MetadataOverrides,
    text: String,
    path: &Path,
    uri: &str,
    inside: Option<&str>,
) -> Result<Document, Error> {
    let document = reading.build_document(text, uri, inside).map_err(|error| match error {
        passage_core::Error::InvalidNotebook { line, column } => {
            source::Error::Notebook { path: path.to_owned(), line, column }.into()
        }
        error @ (passage_core::Error::PageTooLarge { .. }
        | passage_core::Error::PageTooComplex { .. }) => {
            source::Error::Page { path: path.to_owned(), reason: error.to_string() }.into()
        }
        other => Error::from(other),
    })?;
    // Markdown may be longer than what it was made of.
    if document.text.len() > source::MOST_BYTES {
        return Err(source::Error::TooLarge { path: path.to_owned() }.into());
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_read_in_its_own_encoding_and_a_broken_notebook_refused_with_its_path() {
        let read = |bytes: &[u8], uri: &str| {
            read(&MetadataOverrides::default(), bytes.to_vec(), Path::new(uri), uri, None)
        };
        let html = read(b"<meta charset=latin1><main><h1>\xc9t\xe9</h1></main>", "a.html").unwrap();
        assert_eq!((html.text.as_str(), html.title.as_deref()), ("# Été\n", Some("Été")));
        let error = read(b"{", "b.ipynb").unwrap_err().to_string();
        assert!(error.starts_with("b.ipynb "), "{error}");
        let error = read(&[&b"<table>"[..], &b"<tr><td>".repeat(1_500_000)].concat(), "c.html")
            .unwrap_err();
        assert!(!error.is_fatal());
        let expected = "cannot convert c.html: an HTML page must have at most ";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
