/*!
Export: writes the documents or the chunks of a store as JSON lines that [`ingest`](crate::ingest) takes back.

All lines are from one snapshot of the store. Lines are written while rows are read, so memory does not grow with the
store or with a document. An export of chunks has ids and embeddings: ingested into a new store, it makes the same rows.
*/

mod line;

use crate::Error;
use crate::source::JsonLines;
use crate::store::{self, ExportFilter, ExportedChunk, ExportedDocument, Store};
use line::{ChunkLine, DocumentLine, text};
use passage_core::assemble::{Part, assemble};
use passage_split::Kind;
use std::io::{self, Write};

/// An export of a store.
#[derive(Clone, Debug)]
pub struct ExportJob {
    /// Whether each line is a document or a chunk.
    pub lines: JsonLines,
    /// The documents.
    pub filter: ExportFilter,
    /// Converts a JSON text before it is written.
    pub convert: fn(&str) -> String,
}

/// The result of an export.
#[derive(Debug)]
pub enum Exported {
    /// All lines were written.
    All,
    /// The output could not be written.
    Unwritten(io::Error),
}

/// The end of an export before its last line.
enum Stop {
    Failed(Error),
    Unwritten(io::Error),
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

/// Writes the lines of an export.
///
/// # Errors
///
/// Returns [`store::Error::UnknownModel`] if the chunks have embeddings and nothing tells their model, and other errors
/// of the store.
pub async fn export(
    store: &mut Store,
    job: &ExportJob,
    output: &mut dyn Write,
) -> Result<Exported, Error> {
    match write_lines(store, job, output).await {
        Ok(()) => Ok(Exported::All),
        Err(Stop::Unwritten(error)) => Ok(Exported::Unwritten(error)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

async fn write_lines(
    store: &mut Store,
    job: &ExportJob,
    output: &mut dyn Write,
) -> Result<(), Stop> {
    let ExportJob { lines, filter, convert } = job;
    let mut filter = filter.clone();
    filter.with_embeddings &= *lines == JsonLines::Chunks && store.has_embeddings().await?;
    let model = if filter.with_embeddings { Some(store.known_model().await?) } else { None };
    let mut export = store.export(&filter).await?;
    let mut writer = Writer { output, convert: *convert };
    loop {
        let documents = export.next_documents().await?;
        if documents.is_empty() {
            return Ok(writer.output.flush()?);
        }
        for document in &documents {
            match lines {
                JsonLines::Documents if document.is_whole => {
                    writer.whole(document, &export).await?;
                }
                JsonLines::Documents => writer.assembled(document, &export).await?,
                JsonLines::Chunks => writer.chunks(document, &export, model.as_deref()).await?,
            }
        }
    }
}

/// Writes the lines of documents.
struct Writer<'a> {
    output: &'a mut dyn Write,
    convert: fn(&str) -> String,
}

impl Writer<'_> {
    /// Writes a line for each chunk, or one for a document without chunks.
    async fn chunks(
        &mut self,
        document: &ExportedDocument,
        export: &store::Export<'_>,
        model: Option<&str>,
    ) -> Result<(), Stop> {
        if document.chunks == 0 {
            return Ok(self.write_line(&ChunkLine::empty(document).to_json())?);
        }
        let mut ordinal = 0;
        let write = |chunk| -> Result<(), Stop> {
            let line = ChunkLine::new(document, ordinal, &chunk, model).to_json();
            ordinal += 1;
            Ok(self.write_line(&line)?)
        };
        export.chunks(document, write).await
    }

    /// Writes a line of a document whose chunks have all of its text, while they are read.
    async fn whole(
        &mut self,
        document: &ExportedDocument,
        export: &store::Export<'_>,
    ) -> Result<(), Stop> {
        let mut unbegun = Some(document);
        let write = |chunk: ExportedChunk| -> Result<(), Stop> {
            if let Some(document) = unbegun.take() {
                self.begin(document, chunk.kind)?;
            }
            Ok(self.write(&text(&chunk.content))?)
        };
        export.chunks(document, write).await?;
        if let Some(document) = unbegun {
            self.begin(document, None)?;
        }
        Ok(self.end()?)
    }

    /// Writes a line of a document whose text is assembled from its chunks.
    async fn assembled(
        &mut self,
        document: &ExportedDocument,
        export: &store::Export<'_>,
    ) -> Result<(), Stop> {
        let (mut kind, mut parts) = (None, Vec::new());
        let collect = |chunk: ExportedChunk| -> Result<(), Stop> {
            kind = kind.or(chunk.kind);
            parts.push(Part {
                content: chunk.content.into(),
                span: chunk.bytes.map(|(start, end)| start..end),
            });
            Ok(())
        };
        export.chunks(document, collect).await?;
        self.begin(document, kind)?;
        let separator = document.media_type.family().into();
        self.write(&text(&assemble(&parts, separator).text))?;
        Ok(self.end()?)
    }

    /// Begins the line of a document, up to its text.
    fn begin(&mut self, document: &ExportedDocument, kind: Option<Kind>) -> io::Result<()> {
        self.write(&DocumentLine::new(document, kind).beginning())
    }

    fn end(&mut self) -> io::Result<()> {
        self.output.write_all(b"\"}\n")
    }

    fn write_line(&mut self, json: &str) -> io::Result<()> {
        self.write(json)?;
        self.output.write_all(b"\n")
    }

    fn write(&mut self, json: &str) -> io::Result<()> {
        self.output.write_all((self.convert)(json).as_bytes())
    }
}
