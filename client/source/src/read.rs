//! Reading a file: its bytes, and their text.

use super::Error;
use passage_split::{DecodeError, DecodedText, MediaType, UTF_8, decode};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// The largest document in bytes: the limit of a value in PostgreSQL. Byte offsets fit in an
/// `integer`.
pub const MAX_BYTES: usize = 1 << 30;

/// Reads a file.
///
/// # Errors
///
/// Returns an error if the file cannot be read or is larger than 1 GB.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let file = std::fs::File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    read_from(file, path)
}

/// Reads standard input.
///
/// # Errors
///
/// Returns the errors of [`read`], with `-` as the path.
pub fn read_stdin() -> Result<Vec<u8>, Error> {
    read_from(std::io::stdin().lock(), Path::new("-"))
}

/// A text with the encoding of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The name of the encoding, such as `UTF-8`.
    pub encoding: &'static str,
}

/// Decodes the text of a file: by its byte order mark, by the declaration of HTML and XML, else UTF-8. `named` is the
/// encoding of all other files.
///
/// # Errors
///
/// Returns an error with the line if the bytes are not in that encoding or contain a NUL.
///
/// # Examples
///
/// ```
/// use passage_source::text;
/// use std::path::Path;
///
/// assert_eq!(text(b"caf\xc3\xa9".to_vec(), Path::new("a.md"), None, None)?.text, "café");
/// assert_eq!(text(b"caf\xe9".to_vec(), Path::new("a.md"), None, Some("latin1"))?.text, "café");
/// let error = text(b"caf\xe9".to_vec(), Path::new("a.md"), None, None).unwrap_err();
/// assert_eq!(error.to_string(), "a.md is not UTF-8: line 1, byte 3 of the file");
/// # Ok::<(), passage_source::Error>(())
/// ```
pub fn text(
    bytes: Vec<u8>,
    path: &Path,
    media_type: Option<&MediaType>,
    named: Option<&str>,
) -> Result<Text, Error> {
    // A text that does not name its encoding is UTF-8.
    match decode(&bytes, media_type.unwrap_or(&MediaType::PLAIN), named) {
        Ok(DecodedText { text: Cow::Owned(text), encoding }) => {
            Ok(Text { text: without_nul(text, path)?, encoding })
        }
        Ok(DecodedText { encoding, .. }) => {
            refuse_nul(&bytes, path)?;
            let text = String::from_utf8(bytes).expect("decoding it would have failed");
            Ok(Text { text, encoding })
        }
        Err(DecodeError { encoding: UTF_8, offset: Some(offset) }) => {
            // Most binary files have both defects. The NUL explains more.
            refuse_nul(&bytes, path)?;
            let line = line_at(&bytes, offset);
            Err(Error::NotUtf8 { path: path.to_owned(), line, offset })
        }
        Err(DecodeError { encoding, .. }) => {
            Err(Error::Encoding { path: path.to_owned(), encoding })
        }
    }
}

/// Returns the text unchanged.
///
/// # Errors
///
/// Returns [`Error::Nul`] with the line if the text contains a NUL.
pub fn without_nul(text: String, path: &Path) -> Result<String, Error> {
    refuse_nul(text.as_bytes(), path).map(|()| text)
}

fn refuse_nul(text: &[u8], path: &Path) -> Result<(), Error> {
    match text.iter().position(|byte| *byte == 0) {
        None => Ok(()),
        Some(offset) => {
            Err(Error::Nul { path: path.to_owned(), line: line_at(text, offset), offset })
        }
    }
}

fn line_at(text: &[u8], offset: usize) -> usize {
    text[..offset].split(|byte| *byte == b'\n').count()
}

/// Reads to the end. Stops with an error if the document is too large.
pub(super) fn read_from(reader: impl Read, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::unreadable(path, &error))?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8], media_type: &str) -> Result<String, String> {
        let media_type = MediaType::new(media_type);
        let text = text(bytes.to_vec(), Path::new("a.md"), Some(&media_type), None);
        text.map(|text| text.text).map_err(|error| error.to_string())
    }

    #[test]
    fn text_keeps_its_byte_order_mark_and_line_ends() {
        let text = "\u{feff}# É\r\n";
        assert_eq!(text_of(text.as_bytes(), "text/markdown").unwrap(), text);
    }

    #[test]
    fn an_error_has_the_place_in_the_file_and_none_of_its_content() {
        let refused = |bytes: &[u8]| text_of(bytes, "text/markdown").unwrap_err();
        assert_eq!(refused(b"ab\0c"), "a.md contains a NUL byte: line 1, byte 2 of the file");
        let message = "a.md is not UTF-8: line 2, byte 7 of the file";
        assert_eq!(refused(b"secret\n\xff"), message);
    }

    #[test]
    fn html_is_decoded_in_the_encoding_that_it_names() {
        let html = b"<meta charset=iso-8859-1><p>caf\xe9";
        assert!(text_of(html, "text/html").unwrap().ends_with("caf\u{e9}"));
        let message = "a.md contains a NUL byte: line 1, byte 3 of the file";
        assert_eq!(text_of(b"<p>\0", "text/html").unwrap_err(), message);
    }
}
