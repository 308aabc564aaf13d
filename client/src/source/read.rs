//! Reading a file: its bytes, and the text that they are.

use super::Error;
use passage_core::{MediaType, decode};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// The largest document: what one value of PostgreSQL holds, and well within an `integer` of bytes.
pub const MOST_BYTES: usize = 1 << 30;

/// Reads a file.
///
/// # Errors
///
/// If it cannot be read, or is larger than 1 GB.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let file = std::fs::File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    read_from(file, path)
}

/// Reads standard input.
///
/// # Errors
///
/// As for [`read`], with `-` as the path.
pub fn read_stdin() -> Result<Vec<u8>, Error> {
    read_from(std::io::stdin().lock(), Path::new("-"))
}

/// Returns the text of a file: UTF-8, or of HTML what it says of itself, and without NUL.
///
/// # Errors
///
/// If the bytes are no such text; the error has the line.
pub fn text(bytes: Vec<u8>, path: &Path, media_type: Option<&MediaType>) -> Result<String, Error> {
    // A text without an encoding of its own is UTF-8.
    match decode(&bytes, media_type.unwrap_or(&MediaType::PLAIN)) {
        Ok(Cow::Owned(text)) => without_nul(text, path),
        decoded => {
            // A binary file mostly has both defects; the NUL says more plainly what it is.
            refuse_nul(&bytes, path)?;
            if let Err(error) = decoded {
                let offset = error.valid_up_to();
                let line = line(&bytes, offset);
                return Err(Error::NotUtf8 { path: path.to_owned(), line, offset });
            }
            Ok(String::from_utf8(bytes).expect("decoding it would have failed"))
        }
    }
}

/// Returns a text as it is, if it holds no NUL.
///
/// # Errors
///
/// If it does; the error has the line.
pub fn without_nul(text: String, path: &Path) -> Result<String, Error> {
    refuse_nul(text.as_bytes(), path).map(|()| text)
}

fn refuse_nul(text: &[u8], path: &Path) -> Result<(), Error> {
    match text.iter().position(|byte| *byte == 0) {
        None => Ok(()),
        Some(offset) => Err(Error::Nul { path: path.to_owned(), line: line(text, offset), offset }),
    }
}

fn line(text: &[u8], offset: usize) -> usize {
    text[..offset].split(|byte| *byte == b'\n').count()
}

/// Reads to the end, or to where a document is too large.
pub(super) fn read_from(reader: impl Read, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    reader
        .take(MOST_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::unreadable(path, &error))?;
    if bytes.len() > MOST_BYTES {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8], media_type: &str) -> Result<String, String> {
        let media_type = MediaType::new(media_type);
        text(bytes.to_vec(), Path::new("a.md"), Some(&media_type))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_read_as_it_is() {
        let text = "\u{feff}# É\r\n";
        assert_eq!(text_of(text.as_bytes(), "text/markdown").unwrap(), text);
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place_and_without_its_content() {
        let refused = |bytes: &[u8]| text_of(bytes, "text/markdown").unwrap_err();
        assert_eq!(refused(b"ab\0c"), "a.md holds a NUL byte: line 1, byte 2 of the file");
        let message = "a.md is not UTF-8: line 2, byte 7 of the file";
        assert_eq!(refused(b"secret\n\xff"), message);
    }

    #[test]
    fn html_is_read_in_the_encoding_that_it_names() {
        let html = b"<meta charset=iso-8859-1><p>caf\xe9";
        assert!(text_of(html, "text/html").unwrap().ends_with("caf\u{e9}"));
        let message = "a.md holds a NUL byte: line 1, byte 3 of the file";
        assert_eq!(text_of(b"<p>\0", "text/html").unwrap_err(), message);
    }
}
