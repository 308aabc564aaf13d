//! Lines that are chunks. The chunks of a document must be consecutive lines.

use super::fields::{Fields, LineOptions};
use super::line::Location;
use crate::presplit::{PresplitChunk, fill_missing_lines};
use crate::{
    CollectionVersion, Content, Error, MAX_BYTES, SourceDocument, SourceEntry, SourceMetadata,
};
use passage_split::Unit;
use std::collections::HashSet;
use std::iter::Peekable;
use std::ops::{Range, RangeInclusive};
use uuid::Uuid;

/// The collection and the uri of a document, which identify it within a file.
type Identity = (Option<CollectionVersion>, String);

/// The document of a chunk, and its line.
type Chunk = Result<(Identity, Fields), Error>;

/// An iterator that makes a document of consecutive chunks with the same uri.
///
/// A document with an invalid line fails. A line without a readable uri counts as a line of the
/// document before it.
pub(super) struct Documents<I: Iterator<Item = Chunk>> {
    chunks: Peekable<I>,
    options: LineOptions,
    /// The document that failed. Its other chunks are skipped.
    failed: Option<Identity>,
}

/// Makes documents of lines that are chunks.
pub(super) fn documents(
    lines: impl Iterator<Item = Result<Fields, Error>>,
    options: LineOptions,
) -> Documents<impl Iterator<Item = Chunk>> {
    let chunk = |fields: Result<Fields, Error>| {
        let mut fields = fields?;
        let uri = fields.uri()?;
        Ok(((fields.collection.clone(), uri), fields))
    };
    Documents { chunks: lines.map(chunk).peekable(), options, failed: None }
}

impl<I: Iterator<Item = Chunk>> Iterator for Documents<I> {
    type Item = Result<SourceEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (identity, fields) = match self.chunks.next()? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
            if self.failed.as_ref() != Some(&identity) {
                self.failed = None;
                return Some(self.document(identity, fields).map(SourceEntry::Document));
            }
        }
    }
}

impl<I: Iterator<Item = Chunk>> Documents<I> {
    fn document(&mut self, identity: Identity, first: Fields) -> Result<SourceDocument, Error> {
        let mut builder = DocumentBuilder::new(first.location.clone());
        let options = &self.options;
        let mut added = builder.add(first, options);
        while added.is_ok() {
            // A line without a readable uri counts as a chunk of this document.
            let is_of_document =
                |chunk: &Chunk| chunk.as_ref().map_or(true, |(next, _)| *next == identity);
            match self.chunks.next_if(is_of_document) {
                Some(chunk) => added = chunk.and_then(|(_, fields)| builder.add(fields, options)),
                None => return Ok(builder.build(identity)),
            }
        }
        self.failed = Some(identity);
        Err(added.expect_err("the loop ended with an error"))
    }
}

/// Builds a document from its chunks.
struct DocumentBuilder {
    location: Location,
    source_metadata: SourceMetadata,
    chunks: Vec<PresplitChunk>,
    ids: HashSet<Uuid>,
    /// Whether a line says that the document has no chunks.
    is_empty: bool,
    bytes: usize,
}

impl DocumentBuilder {
    fn new(location: Location) -> Self {
        Self {
            location,
            source_metadata: SourceMetadata::default(),
            chunks: Vec::new(),
            ids: HashSet::new(),
            is_empty: false,
            bytes: 0,
        }
    }

    /// Adds a chunk. Any line of a document may have the keys of the document.
    fn add(&mut self, mut fields: Fields, options: &LineOptions) -> Result<(), Error> {
        self.add_document(&mut fields)?;
        if self.is_empty {
            return fields.finish();
        }
        let content = fields.content("content")?;
        let (bytes, lines) = span(&mut fields, &content)?;
        // An ordinal is allowed, because splitters write it, but the order of lines decides.
        if fields.number("ordinal")?.is_some_and(|ordinal| ordinal != self.chunks.len()) {
            return Err(fields
                .error("\"ordinal\" must be the position of the chunk in its document, from 0"));
        }
        let id = fields.uuid("id")?;
        if id.is_some_and(|id| !self.ids.insert(id)) {
            return Err(fields.error("\"id\" must differ from that of the other chunks"));
        }
        if self.chunks.last().is_some_and(|last| last.id.is_some() != id.is_some()) {
            return Err(
                fields.error("\"id\" must be present in all chunks of a document or in none")
            );
        }
        let embedding = match fields.embedding(options)? {
            Some((model, embedding)) => {
                if *self.source_metadata.model.get_or_insert_with(|| model.clone()) != model {
                    return Err(fields.error("\"model\" must be that of the other chunks"));
                }
                Some(embedding)
            }
            None => None,
        };
        let chunk = PresplitChunk {
            id,
            embedding,
            metadata: fields.metadata("chunk_metadata")?,
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
        self.check_order(&chunk, &fields)?;
        self.bytes += chunk.content.len();
        if self.bytes > MAX_BYTES {
            return Err(Error::TooLarge { path: self.location.origin() });
        }
        self.chunks.push(chunk);
        fields.finish()
    }

    /// Takes the keys of the document.
    fn add_document(&mut self, fields: &mut Fields) -> Result<(), Error> {
        let known = &mut self.source_metadata;
        if let Some(title) = fields.text("title")? {
            known.title.get_or_insert(title);
        }
        if let Some(media_type) = fields.media_type("media_type")? {
            known.media_type.get_or_insert(media_type);
        }
        if let Some(media_type) = fields.media_type("source_media_type")? {
            known.source_media_type.get_or_insert(media_type);
        }
        if let Some(id) = fields.uuid("document_id")?
            && *known.document_id.get_or_insert(id) != id
        {
            return Err(fields.error("\"document_id\" must be that of the other chunks"));
        }
        known.metadata.extend(fields.metadata("metadata")?);
        known.collection = fields.collection.take();
        if self.is_empty {
            return Err(fields.error("a document with \"chunks\": 0 must have one line"));
        }
        self.is_empty = match fields.number("chunks")? {
            None => false,
            Some(0) if self.chunks.is_empty() => true,
            Some(_) => {
                return Err(fields.error("\"chunks\" must be 0, for a document without chunks"));
            }
        };
        Ok(())
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

    fn build(mut self, (_, uri): Identity) -> SourceDocument {
        // Lines of a converted text are not those of its source.
        if self.source_metadata.source_media_type.is_none() {
            fill_missing_lines(&mut self.chunks);
        }
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
