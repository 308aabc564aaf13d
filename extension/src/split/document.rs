/*!
Preparing and splitting a document that a call passes.

Core runs in the backend here, and PostgreSQL may interrupt it. A panic of core becomes an error of the
call, without the text of the document. A cancel remains PostgreSQL's own error.

Its twin in SQL is `sql/edition/functions/split.sql`.
*/

use super::free_memory;
use crate::server::error::Error;
use crate::server::types::Json;
use passage_core::arguments::{SPLITTING, Splitting};
use passage_core::{parse_kind, strategy};
use passage_split::interrupt::poll_periodically as pause;
use passage_split::split::lacks_grammar;
use passage_split::{
    Characters, Chunk, ChunkLimits, HashInput, MetadataOverrides, SizeUnit, SplitAt, SplitDocument,
    SplitOptions, SplitPattern, TextMark, split,
};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode, PgTryBuilder, function_name, pg_sys};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::panic::AssertUnwindSafe;

/// The arguments about a document and how it is split. NULL means: detect automatically.
pub struct DocumentArguments {
    pub uri: Option<String>,
    pub media_type: Option<String>,
    pub title: Option<String>,
    pub kind: Option<String>,
    pub base_url: Option<String>,
    pub splitting: Option<Json>,
}

/// The checked arguments.
pub struct DocumentSource {
    pub uri: String,
    overrides: MetadataOverrides,
    limits: ChunkLimits,
    overlap: usize,
    split_at: Option<SplitPattern>,
    split_offsets: Vec<usize>,
}

/// A document, and whether it is code that is split as text.
pub struct PreparedDocument {
    document: passage_split::Document,
    code_as_text: bool,
}

impl DocumentArguments {
    /// Checks the arguments.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Request`] for an unknown media type or kind, for a text that is too long, for limits out of
    /// range or out of order, for a pattern that is not a regular expression, and for invalid offsets.
    pub fn parse(self) -> Result<DocumentSource, Error> {
        for (argument, text) in [("uri", &self.uri), ("base_url", &self.base_url)] {
            strategy::check_length(argument, text.as_deref())?;
        }
        let splitting = Json::parse_group(self.splitting, &SPLITTING, Splitting::parse)?;
        let Splitting { limits, overlap, split_at, split_offsets } = splitting;
        limits.check()?;
        Ok(DocumentSource {
            uri: self.uri.unwrap_or_default(),
            overrides: MetadataOverrides {
                media_type: self.media_type.as_deref().map(str::parse).transpose()?,
                kind: self.kind.as_deref().map(parse_kind).transpose()?,
                title: self.title,
                base_url: self.base_url,
                // SQL has texts, which are decoded.
                encoding: None,
            },
            limits,
            overlap,
            split_at: split_at.as_deref().map(str::parse).transpose()?,
            split_offsets,
        })
    }
}

impl DocumentSource {
    /// Converts a text to a document. Reports a NOTICE if it is code that is split as text.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Request`] for an invalid notebook and for a page that is too large,
    /// [`Error::Nul`] if the document would contain a NUL, for example from an escape in a notebook, and
    /// [`Error::CorePanic`] if core panics.
    pub fn prepare(&self, text: &str) -> Result<PreparedDocument, Error> {
        free_memory::return_later(text.len());
        let document =
            catch_panic(|| self.overrides.build_document(text.to_owned(), &self.uri, None))??;
        pgrx::check_for_interrupts!();
        if document.text.contains('\0') || document.title.as_ref().is_some_and(|t| t.contains('\0'))
        {
            return Err(Error::Nul);
        }
        let code_as_text = lacks_grammar(&document.media_type);
        if code_as_text {
            notify_once(document.media_type.name());
        }
        Ok(PreparedDocument { document, code_as_text })
    }

    /// Splits a document.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] if an escape in the document leads to a title with a NUL, [`Error::Document`] for an offset
    /// behind the end of its text, and [`Error::CorePanic`] if core panics.
    pub fn split<'t>(&self, document: &'t PreparedDocument) -> Result<SplitDocument<'t>, Error> {
        let passage_split::Document { text, media_type, kind, title, .. } = &document.document;
        let title = title.as_deref();
        let (limits, overlap, kind) = (self.limits, self.overlap, Some(*kind));
        let split_at = SplitAt { pattern: self.split_at.as_ref(), offsets: &self.split_offsets };
        let options = SplitOptions { limits, title, overlap, kind, split_at };
        let result = catch_panic(|| split(text, media_type, &options, &Characters))??;
        let has_nul = |(index, chunk): (usize, &Chunk)| {
            pause(index);
            let mut texts = chunk.section.iter().chain(&chunk.imports).chain([&chunk.preamble]);
            texts.any(|text| text.contains('\0'))
        };
        if result.chunks.iter().enumerate().any(has_nul) {
            return Err(Error::Nul);
        }
        Ok(result)
    }

    /// Returns the hash of everything that determines the chunks of a document, and the mark of a document
    /// that is split as text.
    pub fn content_hash(
        &self,
        text: &str,
        document: &PreparedDocument,
        metadata: &Map<String, Value>,
    ) -> (Vec<u8>, Option<TextMark>) {
        let (limits, overlap) = (self.limits, self.overlap);
        let input = HashInput {
            overrides: &self.overrides,
            limits,
            unit: SizeUnit::Characters,
            overlap,
            split_at: self.split_at.as_ref().map(SplitPattern::as_str),
            split_offsets: &self.split_offsets,
            code_as_text: false,
            model: None,
            document_prefix: "",
            metadata,
        };
        let hash = |input: HashInput<'_>| input.content_hash(&self.uri, text.as_bytes());
        let content_hash = hash(input);
        if !document.code_as_text {
            return (content_hash, None);
        }
        let as_text = hash(HashInput { code_as_text: true, ..input });
        let (split_at, split_offsets) = (self.split_at.clone(), self.split_offsets.clone());
        (as_text, Some(TextMark { content_hash, limits, overlap, split_at, split_offsets }))
    }
}

impl std::ops::Deref for PreparedDocument {
    type Target = passage_split::Document;

    fn deref(&self) -> &Self::Target {
        &self.document
    }
}

/// Converts a panic to an error. The error has no message of the panic, which may quote the document. An
/// error of PostgreSQL is passed on.
fn catch_panic<R>(work: impl FnOnce() -> R) -> Result<R, Error> {
    PgTryBuilder::new(AssertUnwindSafe(|| Ok(work())))
        .catch_rust_panic(|_| Err(Error::CorePanic))
        .execute()
}

/// Reports that code is split as text, once for a statement with any number of documents.
fn notify_once(media_type: &str) {
    thread_local! {
        static LAST_STATEMENT: Cell<pg_sys::TimestampTz> = const { Cell::new(0) };
    }
    // SAFETY: reads a variable of the backend, in its one thread.
    let statement = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    if LAST_STATEMENT.replace(statement) == statement {
        return;
    }
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        format!("{media_type} is split as text here"),
        function_name!(),
    )
    .set_hint(
        "Install the extension with the grammar, or run passage embed, which splits stored documents by \
         their syntax.",
    )
    .report(PgLogLevel::NOTICE);
}
