/*!
Export: writes the documents or the chunks of a store as JSON lines that [`ingest`](crate::ingest) takes back.

All lines are from one snapshot of the store. Lines are written while rows are read, so memory does not grow with the
store or with a document. An export of chunks has ids and embeddings: ingested into a new store, it makes the same rows.
*/

mod line;

use crate::Error;
use crate::source::JsonLines;
use crate::store::{self, ExportFilter, ExportedDocument, Store};
use line::{ChunkLine, DocumentLine, text};
use passage_core::assemble::{Part, assemble};
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
    let ExportJob { lines, filter, convert } = job;
    let mut filter = filter.clone();
    filter.with_embeddings &= *lines == JsonLines::Chunks && store.has_embeddings().await?;
    let model = if filter.with_embeddings { Some(store.known_model().await?) } else { None };
    let mut export = store.export(&filter).await?;
    loop {
        let documents = export.next_documents().await?;
        if documents.is_empty() {
            return Ok(match output.flush() {
                Ok(()) => Exported::All,
                Err(error) => Exported::Unwritten(error),
            });
        }
        for document in documents {
            let writer = Writer { document: &document, output, convert: *convert };
            let written = match lines {
                JsonLines::Documents => writer.document(&export).await?,
                JsonLines::Chunks => writer.chunks(&export, model.as_deref()).await?,
            };
            if let Err(error) = written {
                return Ok(Exported::Unwritten(error));
            }
        }
    }
}

/// Writes the lines of one document.
struct Writer<'a> {
    document: &'a ExportedDocument,
    output: &'a mut dyn Write,
    convert: fn(&str) -> String,
}

impl Writer<'_> {
    /// Writes a line for each chunk, or one for a document without chunks.
    async fn chunks(
        self,
        export: &store::Export<'_>,
        model: Option<&str>,
    ) -> Result<io::Result<()>, Error> {
        let Self { document, output, convert } = self;
        if document.chunks == 0 {
            let line = ChunkLine::empty(document).to_json();
            return Ok(writeln!(output, "{}", convert(&line)));
        }
        let mut ordinal = 0;
        let write = |chunk| {
            let line = ChunkLine::new(document, ordinal, &chunk, model).to_json();
            ordinal += 1;
            writeln!(output, "{}", convert(&line))
        };
        Ok(export.chunks(document, write).await?)
    }

    /// Writes a line with the text.
    async fn document(self, export: &store::Export<'_>) -> Result<io::Result<()>, Error> {
        let Self { document, output, convert } = self;
        let mut kind = None;
        let mut parts = Vec::new();
        let mut is_begun = false;
        let written = export
            .chunks(document, |chunk| {
                kind = kind.or(chunk.kind);
                if !document.is_whole {
                    parts.push(Part {
                        content: chunk.content.into(),
                        span: chunk.bytes.map(|(start, end)| start..end),
                    });
                    return Ok(());
                }
                if !is_begun {
                    is_begun = true;
                    output.write_all(
                        convert(&DocumentLine::new(document, kind).beginning()).as_bytes(),
                    )?;
                }
                output.write_all(convert(&text(&chunk.content)).as_bytes())
            })
            .await?;
        if written.is_err() {
            return Ok(written);
        }
        let mut rest = || {
            if !is_begun {
                output.write_all(
                    convert(&DocumentLine::new(document, kind).beginning()).as_bytes(),
                )?;
            }
            let separator = document.media_type.family().separator();
            output.write_all(convert(&text(&assemble(&parts, separator).text)).as_bytes())?;
            output.write_all(b"\"}\n")
        };
        Ok(rest())
    }
}
