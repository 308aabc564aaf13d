//! Lines that are chunks: those of a document follow one another, and make it together.

use super::{Fields, Place};
use crate::source::ready::{Ready, count_lines};
use crate::source::{Content, Error, Found, Item, MOST_BYTES, Told};
use passage_core::Unit;
use std::iter::Peekable;
use std::ops::{Range, RangeInclusive};

/// A line, and the uri of the document that it is of.
type Row = Result<(String, Fields), Error>;

/// Makes documents of the chunks that follow one another under one uri.
///
/// If a line cannot be read, its document is left as it is: the one before, if it is not known.
pub(super) struct Documents<I: Iterator<Item = Row>> {
    rows: Peekable<I>,
    /// The document of which no more is wanted.
    broken: Option<String>,
}

/// Makes documents of lines.
pub(super) fn documents(
    lines: impl Iterator<Item = Result<Fields, Error>>,
) -> Documents<impl Iterator<Item = Row>> {
    let row = |fields: Result<Fields, Error>| {
        let mut fields = fields?;
        Ok((fields.uri()?, fields))
    };
    Documents { rows: lines.map(row).peekable(), broken: None }
}

impl<I: Iterator<Item = Row>> Iterator for Documents<I> {
    type Item = Result<Found, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (uri, fields) = match self.rows.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            if self.broken.as_ref() != Some(&uri) {
                self.broken = None;
                return Some(self.document(uri, fields).map(Found::Item));
            }
        }
    }
}

impl<I: Iterator<Item = Row>> Documents<I> {
    fn document(&mut self, uri: String, first: Fields) -> Result<Item, Error> {
        let mut open = Open::new(first.place.clone());
        let mut added = open.add(first);
        while added.is_ok() {
            // A line that cannot be read counts as one of this document.
            let is_of_it = |row: &Row| row.as_ref().map_or(true, |(next, _)| *next == uri);
            match self.rows.next_if(is_of_it) {
                Some(row) => added = row.and_then(|(_, fields)| open.add(fields)),
                None => return Ok(open.close(uri)),
            }
        }
        self.broken = Some(uri);
        Err(added.expect_err("the loop ended with an error"))
    }
}

/// A document that is being put together.
struct Open {
    place: Place,
    told: Told,
    chunks: Vec<Ready>,
    bytes: usize,
}

impl Open {
    fn new(place: Place) -> Self {
        Self { place, told: Told::default(), chunks: Vec::new(), bytes: 0 }
    }

    /// Adds a chunk; what is said of the document may stand in any of its lines.
    fn add(&mut self, mut fields: Fields) -> Result<(), Error> {
        let content = fields.content("content")?;
        let (bytes, lines) = span(&mut fields, &content)?;
        // A splitter may number the chunks, which stand in their order all the same.
        if fields.number("ordinal")?.is_some_and(|ordinal| ordinal != self.chunks.len()) {
            return Err(fields.error("\"ordinal\" is not the place of the chunk in its document"));
        }
        let chunk = Ready {
            section: fields.texts("section")?,
            level: fields.number("level")?.map(|level| level as u32),
            kind: fields.kind()?,
            unit: fields.text("unit")?.map(|name| unit(&fields, &name)).transpose()?,
            preamble: fields.text("preamble")?.unwrap_or_default(),
            tokens: fields.number("tokens")?,
            imports: fields.texts("imports")?,
            content,
            bytes,
            lines,
        };
        if let Some(title) = fields.text("title")? {
            self.told.title.get_or_insert(title);
        }
        if let Some(media_type) = fields.media_type()? {
            self.told.media_type.get_or_insert(media_type);
        }
        self.told.metadata.extend(fields.metadata("metadata")?);
        self.follows(&chunk, &fields)?;
        self.bytes += chunk.content.len();
        if self.bytes > MOST_BYTES {
            return Err(Error::TooLarge { path: self.place.origin() });
        }
        self.chunks.push(chunk);
        fields.finish()
    }

    /// Makes sure that a chunk can stand behind those that are there.
    fn follows(&self, chunk: &Ready, fields: &Fields) -> Result<(), Error> {
        let Some(last) = self.chunks.last() else { return Ok(()) };
        match (&last.bytes, &chunk.bytes) {
            (Some(last), Some(next)) if next.start < last.start => {
                Err(fields.error("\"start_byte\" is before that of the chunk before"))
            }
            (Some(_), None) | (None, Some(_)) => {
                Err(fields.error("some chunks of the document have \"start_byte\" and others not"))
            }
            _ => Ok(()),
        }
    }

    fn close(mut self, uri: String) -> Item {
        count_lines(&mut self.chunks);
        let (origin, content) = (self.place.origin(), Content::Chunks(self.chunks));
        Item { uri, inside: None, origin, content, told: Box::new(self.told) }
    }
}

/// The bytes and lines that a chunk is said to hold; either may be unknown, but no half of it.
#[allow(clippy::type_complexity)]
fn span(
    fields: &mut Fields,
    content: &str,
) -> Result<(Option<Range<usize>>, Option<RangeInclusive<usize>>), Error> {
    let bytes = match (fields.number("start_byte")?, fields.number("end_byte")?) {
        (Some(start), Some(end)) if end.checked_sub(start) == Some(content.len()) => {
            Some(start..end)
        }
        (Some(_), Some(_)) => {
            return Err(fields.error("\"start_byte\" and \"end_byte\" do not fit the content"));
        }
        (None, None) => None,
        _ => return Err(fields.error("\"start_byte\" and \"end_byte\" go together")),
    };
    let lines = match (fields.number("first_line")?, fields.number("last_line")?) {
        (Some(first), Some(last)) if 1 <= first && first <= last => Some(first..=last),
        (None, None) => None,
        _ => return Err(fields.error("\"first_line\" and \"last_line\" are no lines from 1 on")),
    };
    Ok((bytes, lines))
}

fn unit(fields: &Fields, name: &str) -> Result<Unit, Error> {
    Unit::from_name(name)
        .ok_or_else(|| fields.error("\"unit\" is none: module, container, member, value or text"))
}
