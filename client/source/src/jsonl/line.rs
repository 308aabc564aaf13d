//! Lines of a file of JSON lines, with their numbers.

use crate::{Error, MAX_BYTES};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

/// A line that is not empty.
pub(super) struct Line {
    pub(super) bytes: Vec<u8>,
    pub(super) location: Location,
}

/// The location of a line.
#[derive(Clone, Debug)]
pub(super) struct Location {
    path: PathBuf,
    /// From 1.
    line: usize,
}

impl Location {
    /// Returns the location as the origin of a document: `docs.jsonl:12`.
    pub(super) fn origin(&self) -> PathBuf {
        PathBuf::from(format!("{}:{}", self.path.display(), self.line))
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        Error::Line { path: self.path.clone(), line: self.line, reason: reason.into() }
    }
}

/// An iterator over the lines that are not empty.
pub(super) struct LineReader<R> {
    reader: R,
    path: PathBuf,
    line: usize,
    ended: bool,
}

impl<R: BufRead> LineReader<R> {
    /// Returns a reader; `path` names the file in errors.
    pub(super) fn new(reader: R, path: PathBuf) -> Self {
        Self { reader, path, line: 0, ended: false }
    }

    /// Reads the next line, even if it is empty. A line that is too long is skipped and refused.
    fn read(&mut self) -> io::Result<Option<Result<Vec<u8>, Error>>> {
        let mut bytes = Vec::new();
        let limit = MAX_BYTES as u64 + 1;
        if self.reader.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if self.line == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if bytes.len() <= MAX_BYTES {
            return Ok(Some(Ok(bytes)));
        }
        if bytes.last() != Some(&b'\n') {
            self.reader.skip_until(b'\n')?;
        }
        Ok(Some(Err(Error::TooLarge { path: self.location().origin() })))
    }

    fn location(&self) -> Location {
        Location { path: self.path.clone(), line: self.line }
    }
}

impl<R: BufRead> Iterator for LineReader<R> {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.read() {
                Ok(None) => self.ended = true,
                Ok(Some(Ok(bytes))) if bytes.trim_ascii().is_empty() => {}
                Ok(Some(Ok(mut bytes))) => {
                    // The column of an unexpected end is then that of the last character.
                    bytes.truncate(bytes.trim_ascii_end().len());
                    return Some(Ok(Line { bytes, location: self.location() }));
                }
                Ok(Some(Err(error))) => return Some(Err(error)),
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Error::unreadable(&self.path, &error)));
                }
            }
        }
        None
    }
}
