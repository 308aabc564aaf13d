//! Lines that are chunks. The chunks of a document must be consecutive lines.

use super::fields::Fields;
use super::line::Location;
use crate::source::presplit::{PresplitChunk, fill_missing_lines};
use crate::source::{Content, Error, MAX_BYTES, SourceDocument, SourceEntry, SourceMetadata};
use passage_core::Unit;
use std::iter::Peekable;
use std::ops::{Range, RangeInclusive};

/// The uri of a document, and a line with one of its chunks.
type Chunk = Result<(String, Fields), Error>;

/// An iterator that makes a document of consecutive chunks with the same uri.
///
/// A document with an invalid line fails. A line without a readable uri counts as a line of the
/// document before it.
pub(super) struct Documents<I: Iterator<Item = Chunk>> {
    chunks: Peekable<I>,
    /// The document that failed. Its other chunks are skipped.
    failed: Option<String>,
}

/// Makes documents of lines that are chunks.
pub(super) fn documents(
    lines: impl Iterator<Item = Result<Fields, Error>>,
) -> Documents<impl Iterator<Item = Chunk>> {
    let chunk = |fields: Result<Fields, Error>| {
        let mut fields = fields?;
        Ok((fields.uri()?, fields))
    };
    Documents { chunks: lines.map(chunk).peekable(), failed: None }
}

impl<I: Iterator<Item = Chunk>> Iterator for Documents<I> {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (uri, fields) = match self.chunks.next()? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
            if self.failed.as_ref() != Some(&uri) {
                self.failed = None;
                return Some(self.document(uri, fields).map(SourceEntry::Document));
            }
        }
    }
}

impl<I: Iterator<Item = Chunk>> Documents<I> {
    fn document(&mut self, uri: String, first: Fields) -> Result<SourceDocument, Error> {
        let mut builder = DocumentBuilder::new(first.location.clone());
        let mut added = builder.add(first);
        while added.is_ok() {
            // A line without a readable uri counts as a chunk of this document.
            let is_of_document =
                |chunk: &Chunk| chunk.as_ref().map_or(true, |(next, _)| *next == uri);
            match self.chunks.next_if(is_of_document) {
                Some(chunk) => added = chunk.and_then(|(_, fields)| builder.add(fields)),
                None => return Ok(builder.build(uri)),
            }
        }
        self.failed = Some(uri);
        Err(added.expect_err("the loop ended with an error"))
    }
}

/// Builds a document from its chunks.
struct DocumentBuilder {
    location: Location,
    source_metadata: SourceMetadata,
    chunks: Vec<PresplitChunk>,
    bytes: usize,
}

impl DocumentBuilder {
    fn new(location: Location) -> Self {
        Self { location, source_metadata: SourceMetadata::default(), chunks: Vec::new(), bytes: 0 }
    }

    /// Adds a chunk. Any line of a document may have the keys of the document.
    fn add(&mut self, mut fields: Fields) -> Result<(), Error> {
        let content = fields.content("content")?;
        let (bytes, lines) = span(&mut fields, &content)?;
        // An ordinal is allowed, because splitters write it, but the order of lines decides.
        if fields.number("ordinal")?.is_some_and(|ordinal| ordinal != self.chunks.len()) {
            return Err(fields
                .error("\"ordinal\" must be the position of the chunk in its document, from 0"));
        }
        let chunk = PresplitChunk {
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
            self.source_metadata.title.get_or_insert(title);
        }
        if let Some(media_type) = fields.media_type()? {
            self.source_metadata.media_type.get_or_insert(media_type);
        }
        self.source_metadata.metadata.extend(fields.metadata("metadata")?);
        self.check_order(&chunk, &fields)?;
        self.bytes += chunk.content.len();
        if self.bytes > MAX_BYTES {
            return Err(Error::TooLarge { path: self.location.origin() });
        }
        self.chunks.push(chunk);
        fields.finish()
    }

    /// Checks that a chunk can follow the previous one.
    fn check_order(&self, chunk: &PresplitChunk, fields: &Fields) -> Result<(), Error> {
        let Some(last) = self.chunks.last() else { return Ok(()) };
        match (&last.bytes, &chunk.bytes) {
            (Some(last), Some(next)) if next.start < last.start => {
                Err(fields.error("\"start_byte\" must not be less than that of the previous chunk"))
            }
            (Some(_), None) | (None, Some(_)) => Err(fields
                .error("\"start_byte\" must be present in all chunks of a document or in none")),
            _ => Ok(()),
        }
    }

    fn build(mut self, uri: String) -> SourceDocument {
        fill_missing_lines(&mut self.chunks);
        let (origin, content) = (self.location.origin(), Content::Chunks(self.chunks));
        SourceDocument {
            uri,
            inside: None,
            origin,
            content,
            source_metadata: Box::new(self.source_metadata),
        }
    }
}

/// Returns the bytes and the lines of a chunk. Either may be missing, but both of its ends must be.
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
            return Err(fields
                .error("\"start_byte\" and \"end_byte\" must differ by the bytes of the content"));
        }
        (None, None) => None,
        _ => return Err(fields.error("\"start_byte\" and \"end_byte\" must be given together")),
    };
    let lines = match (fields.number("first_line")?, fields.number("last_line")?) {
        (Some(first), Some(last)) if 1 <= first && first <= last => Some(first..=last),
        (None, None) => None,
        _ => {
            return Err(
                fields.error("\"first_line\" and \"last_line\" must be a range of lines from 1")
            );
        }
    };
    Ok((bytes, lines))
}

fn unit(fields: &Fields, name: &str) -> Result<Unit, Error> {
    Unit::from_name(name)
        .ok_or_else(|| fields.error("\"unit\" must be module, container, member, value or text"))
}
