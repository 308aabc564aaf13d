/*!
JSON lines: a document, or a chunk of one, in each line.

They are read as they come, one document at a time. What is wrong with a line is said with its
number, never with what is in it, and the lines behind it are read all the same.
*/

mod chunk;
mod document;
mod fields;

use super::archive::Unpacked;
use super::{Error, Filter, Found, MOST_BYTES};
use fields::Fields;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// What stands in each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// A document: `uri` and `text`, and maybe `title`, `media_type`, `kind` and `metadata`.
    Documents,
    /// A chunk: the `uri` of its document, `content`, and maybe what else the store has of a chunk.
    Chunks,
}

/// Which documents the lines may be of.
#[derive(Clone, Debug, Default)]
pub struct Belonging {
    /// The collection of the run.
    pub collection: String,
    /// The version of that.
    pub version: String,
}

/// What comes out of a file of lines.
pub(super) type Rows = Box<dyn Iterator<Item = Result<Found, Error>> + Send>;

/// Reads a file, which may be compressed by gzip.
pub(super) fn rows(path: &Path, lines: Lines, belonging: Belonging, filter: Filter) -> Rows {
    match File::open(path) {
        Ok(file) => streamed(file, path, lines, belonging, filter),
        Err(error) => Box::new(std::iter::once(Err(Error::unreadable(path, &error)))),
    }
}

/// Reads lines as they come; `path` stands for that of a file.
pub(super) fn streamed(
    reader: impl Read + Send + 'static,
    path: &Path,
    lines: Lines,
    belonging: Belonging,
    filter: Filter,
) -> Rows {
    let reader = match unpacked(reader) {
        Ok(reader) => reader,
        Err(error) => return Box::new(std::iter::once(Err(Error::unreadable(path, &error)))),
    };
    let numbered = Numbered { reader, path: path.to_owned(), line: 0, ended: false };
    let fields = numbered.map(move |line| {
        let Line { bytes, place } = line?;
        Fields::read(&bytes, place, &belonging)
    });
    match lines {
        Lines::Documents => {
            Box::new(fields.filter_map(move |fields| match fields.and_then(document::item) {
                Ok(item) => filter.takes(&item.uri).then_some(Ok(Found::Item(item))),
                Err(error) => Some(Err(error)),
            }))
        }
        Lines::Chunks => Box::new(chunk::documents(fields).filter(move |found| match found {
            Ok(Found::Item(item)) => filter.takes(&item.uri),
            _ => true,
        })),
    }
}

/// Unpacks what begins as gzip does.
fn unpacked(mut reader: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut begin = Vec::new();
    reader.by_ref().take(2).read_to_end(&mut begin)?;
    let is_gzip = begin == [0x1f, 0x8b];
    let whole = Cursor::new(begin).chain(reader);
    Ok(if is_gzip {
        Box::new(BufReader::new(Unpacked::new(whole)))
    } else {
        Box::new(BufReader::new(whole))
    })
}

/// A line that holds something.
struct Line {
    bytes: Vec<u8>,
    place: Place,
}

/// Where a line is.
#[derive(Clone, Debug)]
struct Place {
    path: PathBuf,
    /// From 1.
    line: usize,
}

impl Place {
    /// The place as the origin of a document: `docs.jsonl:12`.
    fn origin(&self) -> PathBuf {
        PathBuf::from(format!("{}:{}", self.path.display(), self.line))
    }

    fn error(&self, reason: impl Into<String>) -> Error {
        Error::Line { path: self.path.clone(), line: self.line, reason: reason.into() }
    }
}

/// Lines with their numbers, but for empty ones.
struct Numbered<R> {
    reader: R,
    path: PathBuf,
    line: usize,
    ended: bool,
}

impl<R: BufRead> Numbered<R> {
    /// Reads the next line, however empty; one that is too long is read to its end and refused.
    fn read(&mut self) -> io::Result<Option<Result<Vec<u8>, Error>>> {
        let mut bytes = Vec::new();
        let most = MOST_BYTES as u64 + 1;
        if self.reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        if self.line == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if bytes.len() <= MOST_BYTES {
            return Ok(Some(Ok(bytes)));
        }
        if bytes.last() != Some(&b'\n') {
            self.reader.skip_until(b'\n')?;
        }
        let place = Place { path: self.path.clone(), line: self.line };
        Ok(Some(Err(Error::TooLarge { path: place.origin() })))
    }
}

impl<R: BufRead> Iterator for Numbered<R> {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.read() {
                Ok(None) => self.ended = true,
                Ok(Some(Ok(bytes))) if bytes.trim_ascii().is_empty() => {}
                Ok(Some(Ok(mut bytes))) => {
                    // So that what is cut off ends where it was cut.
                    bytes.truncate(bytes.trim_ascii_end().len());
                    let place = Place { path: self.path.clone(), line: self.line };
                    return Some(Ok(Line { bytes, place }));
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

#[cfg(test)]
mod tests;
