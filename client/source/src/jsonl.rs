/*!
JSON lines: each line is a document, or a chunk of one.

Lines are read from a stream, one document at a time. An error has the number of the line and none
of its content. The lines after it are read.
*/

mod chunk;
mod embedding;
mod fields;
mod line;

pub use fields::LineOptions;

use super::archive::BoundedGunzip;
use super::{Content, Error, Selection, SourceDocument, SourceEntry, SourceMetadata};
use fields::Fields;
use line::LineReader;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The content of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLines {
    /// A document: `uri` and `text`, and optionally `title`, `media_type`, `kind` and `metadata`.
    Documents,
    /// A chunk: the `uri` of its document and `content`, and optionally the other columns of a
    /// chunk.
    Chunks,
}

/// An iterator over the documents of a file of JSON lines.
pub(super) type Documents = Box<dyn Iterator<Item = Result<SourceEntry, Error>> + Send>;

/// Reads a file, which may be compressed by gzip.
pub(super) fn documents(
    path: &Path,
    lines: JsonLines,
    options: LineOptions,
    selection: Selection,
) -> Documents {
    match File::open(path) {
        Ok(file) => streamed(file, path, lines, options, selection),
        Err(error) => Box::new(std::iter::once(Err(Error::unreadable(path, &error)))),
    }
}

/// Reads a stream, which may be compressed by gzip; `path` names it in errors.
pub(super) fn streamed(
    reader: impl Read + Send + 'static,
    path: &Path,
    lines: JsonLines,
    options: LineOptions,
    selection: Selection,
) -> Documents {
    let reader = match decompressed(reader) {
        Ok(reader) => reader,
        Err(error) => return Box::new(std::iter::once(Err(Error::unreadable(path, &error)))),
    };
    let collection = options.collection.clone();
    let fields = LineReader::new(reader, path.to_owned())
        .map(move |line| Fields::parse(line?, collection.as_ref()));
    match lines {
        JsonLines::Documents => {
            Box::new(fields.filter_map(move |fields| match fields.and_then(document) {
                Ok(document) => {
                    selection.includes(&document.uri).then_some(Ok(SourceEntry::Document(document)))
                }
                Err(error) => Some(Err(error)),
            }))
        }
        JsonLines::Chunks => {
            Box::new(chunk::documents(fields, options).filter(move |entry| match entry {
                Ok(SourceEntry::Document(document)) => selection.includes(&document.uri),
                _ => true,
            }))
        }
    }
}

/// Returns the document of a line. Its text needs no decoding, whatever its media type is.
fn document(mut fields: Fields) -> Result<SourceDocument, Error> {
    let uri = fields.uri()?;
    let text = fields.content("text")?;
    let source_metadata = Box::new(SourceMetadata {
        media_type: fields.media_type("media_type")?,
        source_media_type: fields.media_type("source_media_type")?,
        document_id: fields.uuid("document_id")?,
        collection: fields.collection.take(),
        kind: fields.kind()?,
        title: fields.text("title")?,
        metadata: fields.metadata("metadata")?,
        ..SourceMetadata::default()
    });
    let origin = fields.location.origin();
    fields.finish()?;
    Ok(SourceDocument { uri, inside: None, origin, content: Content::Text(text), source_metadata })
}

/// Decompresses a stream that begins as gzip does.
fn decompressed(mut reader: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut head = Vec::new();
    reader.by_ref().take(2).read_to_end(&mut head)?;
    let is_gzip = head == [0x1f, 0x8b];
    let whole = Cursor::new(head).chain(reader);
    Ok(if is_gzip {
        Box::new(BufReader::new(BoundedGunzip::new(whole)))
    } else {
        Box::new(BufReader::new(whole))
    })
}

#[cfg(test)]
mod tests;
