/*!
A document that a call brings along: what is said of it, and the chunks that core makes of it.

Core runs as code of the backend here, which PostgreSQL may interrupt. A panic of core is an error of
this call, and says nothing of the text; a cancel is PostgreSQL's own error and stays that.
*/

use crate::error::Error;
use crate::interrupt::pause;
use passage_core::split::lacks_grammar;
use passage_core::{
    Characters, Chunk, ChunkLimits, HashInput, Kind, MetadataOverrides, SizeUnit, SplitOptions,
    split, strategy,
};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgLogLevel, PgSqlErrorCode, PgTryBuilder, function_name, pg_sys};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::panic::AssertUnwindSafe;

/// What a call says of a document and of how to split it; NULL leaves each to be found out.
#[derive(Default)]
pub struct Given {
    pub uri: Option<String>,
    pub media_type: Option<String>,
    pub title: Option<String>,
    pub kind: Option<String>,
    pub base_url: Option<String>,
    pub max_size: Option<i32>,
    pub preferred_size: Option<i32>,
    pub min_size: Option<i32>,
    pub max_with_preamble: Option<i32>,
    pub overlap: Option<i32>,
}

/// What is said of a document, checked.
pub struct Source {
    pub uri: String,
    reading: MetadataOverrides,
    limits: ChunkLimits,
    overlap: usize,
}

/// A document, and whether it is code that is split as text.
pub struct Document {
    document: passage_core::Document,
    code_as_text: bool,
}

/// A document that is split.
pub struct Split<'t> {
    pub chunks: Vec<Chunk<'t>>,
    pub syntax_error: Option<passage_core::SyntaxError>,
}

impl Given {
    /// Checks what is said.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Request`] for a media type or a kind that nobody knows, and for limits out
    /// of range or out of order.
    pub fn source(self) -> Result<Source, Error> {
        let kind = |name: String| {
            Kind::from_name(&name).ok_or(passage_core::Error::UnknownValue {
                argument: "kind",
                value: name,
                valid: r#""prose", "code", "api-reference" and "data""#,
            })
        };
        let size = |argument, value: Option<i32>| {
            let size = value.map(|value| strategy::check_limit(argument, value)).transpose()?;
            Ok::<_, Error>(size.map(|size| size as usize))
        };
        let limits = ChunkLimits::in_characters(
            size("min_size", self.min_size)?,
            size("preferred_size", self.preferred_size)?,
            size("max_size", self.max_size)?,
            size("max_with_preamble", self.max_with_preamble)?,
        );
        limits.check()?;
        Ok(Source {
            uri: self.uri.unwrap_or_default(),
            reading: MetadataOverrides {
                media_type: self.media_type.as_deref().map(str::parse).transpose()?,
                kind: self.kind.map(kind).transpose()?,
                title: self.title,
                base_url: self.base_url,
            },
            limits,
            overlap: size("overlap", self.overlap)?.unwrap_or(0),
        })
    }
}

impl Source {
    /// Makes a document of a text, and says where it is code that is split as text.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Request`] for a notebook that is none and a page that is too large,
    /// [`Error::Nul`] if what would be
    /// stored holds a NUL, as an escape in a notebook can, and [`Error::Broken`] if core panics.
    pub fn document(&self, text: &str) -> Result<Document, Error> {
        let document = guarded(|| self.reading.build_document(text.to_owned(), &self.uri, None))??;
        pgrx::check_for_interrupts!();
        if document.text.contains('\0') || document.title.as_ref().is_some_and(|t| t.contains('\0'))
        {
            return Err(Error::Nul);
        }
        let code_as_text = lacks_grammar(&document.media_type);
        if code_as_text {
            say_once(document.media_type.name());
        }
        Ok(Document { document, code_as_text })
    }

    /// Splits a document.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nul`] if an escape in the document makes a title with a NUL, and
    /// [`Error::Broken`] if core panics.
    pub fn split<'t>(&self, document: &'t Document) -> Result<Split<'t>, Error> {
        let passage_core::Document { text, media_type, kind, title, .. } = &document.document;
        let title = title.as_deref();
        let (limits, overlap, kind) = (self.limits, self.overlap, Some(*kind));
        let options = SplitOptions { limits, title, overlap, kind };
        let found = guarded(|| split(text, media_type, &options, &Characters))??;
        let holds_nul = |(place, chunk): (usize, &Chunk)| {
            pause(place);
            let mut texts = chunk.section.iter().chain(&chunk.imports).chain([&chunk.preamble]);
            texts.any(|text| text.contains('\0'))
        };
        if found.chunks.iter().enumerate().any(holds_nul) {
            return Err(Error::Nul);
        }
        Ok(Split { chunks: found.chunks, syntax_error: found.syntax_error })
    }

    /// Returns the hash of all that the chunks of a document are made from.
    pub fn content_hash(
        &self,
        text: &str,
        document: &Document,
        told: &Map<String, Value>,
    ) -> Vec<u8> {
        let making = HashInput {
            overrides: &self.reading,
            limits: self.limits,
            unit: SizeUnit::Characters,
            overlap: self.overlap,
            code_as_text: document.code_as_text,
            model: None,
            metadata: told,
        };
        making.content_hash(&self.uri, text.as_bytes())
    }
}

impl std::ops::Deref for Document {
    type Target = passage_core::Document;

    fn deref(&self) -> &Self::Target {
        &self.document
    }
}

/// Runs what must not panic, and turns a panic into an error without its words, which may quote the
/// text. An error of PostgreSQL goes through.
fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, Error> {
    PgTryBuilder::new(AssertUnwindSafe(|| Ok(work())))
        .catch_rust_panic(|_| Err(Error::Broken))
        .execute()
}

/// Says that code is split as text: once for a statement, however many documents it brings.
fn say_once(media_type: &str) {
    thread_local! {
        static SAID: Cell<pg_sys::TimestampTz> = const { Cell::new(0) };
    }
    // SAFETY: reads a variable of the backend, in its one thread.
    let statement = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    if SAID.replace(statement) == statement {
        return;
    }
    ErrorReport::new(
        PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
        format!("{media_type} is split as text here"),
        function_name!(),
    )
    .set_hint("The client splits source code by its syntax: passage ingest.")
    .report(PgLogLevel::NOTICE);
}
