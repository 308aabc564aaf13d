//! Reading a file as text.

use super::Error;
use std::io::Read;
use std::path::Path;

/// The largest document: what one value of PostgreSQL holds, and well within an `integer` of bytes.
const MOST_BYTES: u64 = 1 << 30;

/// A document's text: UTF-8 without NUL.
pub type Text = String;

/// Reads a file.
///
/// # Errors
///
/// If it cannot be read, is larger than 1 GB, is not UTF-8, or holds a NUL byte.
pub fn read(path: &Path) -> Result<Text, Error> {
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    read_from(file, path)
}

/// Reads standard input.
///
/// # Errors
///
/// As for [`read`], with `-` as the path.
pub fn read_stdin() -> Result<Text, Error> {
    read_from(std::io::stdin().lock(), Path::new("-"))
}

fn read_from(reader: impl Read, path: &Path) -> Result<Text, Error> {
    let mut bytes = Vec::new();
    reader
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    // A binary file mostly has both defects; the NUL says more plainly what it is.
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(Error::Nul { path: path.to_owned(), offset });
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Error::NotUtf8 { path: path.to_owned(), offset }
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_bytes(bytes: &[u8]) -> Result<Text, String> {
        read_from(bytes, Path::new("a.md")).map_err(|error| error.to_string())
    }

    #[test]
    fn text_is_read_as_it_is() {
        assert_eq!(read_bytes("\u{feff}# É\r\n".as_bytes()).unwrap(), "\u{feff}# É\r\n");
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place_and_without_its_content() {
        assert_eq!(read_bytes(b"ab\0c").unwrap_err(), "a.md holds a NUL byte at 2");
        let error = read_bytes(b"secret\xff").unwrap_err();
        assert_eq!(error, "a.md is not UTF-8: byte 6 does not belong to a character");
    }
}
