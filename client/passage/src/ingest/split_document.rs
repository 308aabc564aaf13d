//! Reading one document from its source and splitting it.

use super::Ingest;
use super::given::Given;
use super::source_metadata::{self, MergedMetadata};
use crate::conversion::Plan;
use crate::document::{Document, MetadataOverrides};
use crate::embed::Prefixes;
use crate::source::{Content, PresplitChunk, SourceDocument};
use crate::split::Piece;
use crate::store::Store;
use crate::{Error, document, source};
use passage_split::{HashInput, Unit, document_metadata, place_metadata};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// A document that was read and split.
pub(super) struct SplitDocument {
    pub(super) uri: String,
    pub(super) document: Document,
    pub(super) content_hash: Vec<u8>,
    pub(super) pieces: Vec<Piece>,
    /// The spans of presplit chunks. Other pieces have their spans in the text.
    presplit_spans: Option<Vec<Span>>,
    /// The metadata of the document, a JSON object.
    pub(super) metadata: Value,
    /// The values that the source gives.
    pub(super) given: Given,
}

/// The part of the source that a chunk holds, as far as it is known.
#[derive(Clone)]
pub(super) struct Span {
    pub(super) bytes: Option<Range<usize>>,
    pub(super) lines: Option<RangeInclusive<usize>>,
}

impl SplitDocument {
    /// Returns the span of each piece in the source. Lines of a converted text are not in the source.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let has_lines = self.document.source_media_type.is_none();
        self.pieces.iter().enumerate().map(move |(ordinal, piece)| match &self.presplit_spans {
            Some(spans) => spans[ordinal].clone(),
            None => Span {
                bytes: Some(piece.bytes.clone()),
                lines: has_lines.then(|| piece.lines.clone()),
            },
        })
    }
}

/// The content of a source, in memory.
enum Loaded {
    Bytes(Vec<u8>),
    Text(String),
    /// Presplit chunks, and the bytes that stand for them in the content hash.
    Chunks(Vec<u8>, Vec<PresplitChunk>),
}

/// The content hash of the stored version of a document.
pub(super) struct StoredHash {
    pub(super) hash: Option<Vec<u8>>,
    /// The origin of the stored embeddings, if the run embeds nothing.
    pub(super) embedded_by: Option<EmbeddedBy>,
}

/// The origin of stored embeddings, as far as the content hash has it.
#[derive(Clone)]
pub(super) struct EmbeddedBy {
    model: String,
    document_prefix: String,
}

impl EmbeddedBy {
    /// Reads it; `None` if the store records no model.
    pub(super) async fn of_store(store: &Store) -> Result<Option<Self>, Error> {
        let recorded = store.recorded_embedding().await?;
        let Some(model) = recorded.model else { return Ok(None) };
        let prefixes = recorded.prefixes.as_ref().map(Prefixes::from_json).transpose()?;
        let document_prefix = prefixes.unwrap_or_default().document;
        Ok(Some(Self { model, document_prefix }))
    }
}

impl StoredHash {
    /// Returns whether the stored version has this content: a run that embeds nothing does not replace
    /// an embedded version of the same document.
    fn is_of(&self, input: &HashInput<'_>, content_hash: &[u8], uri: &str, bytes: &[u8]) -> bool {
        let Self { hash: Some(hash), embedded_by } = self else { return false };
        hash == content_hash
            || embedded_by.as_ref().is_some_and(|EmbeddedBy { model, document_prefix }| {
                let input = HashInput { model: Some(model), document_prefix, ..*input };
                *hash == input.content_hash(uri, bytes)
            })
    }
}

/// Reads and splits a document. Returns `None` if its stored version has the same content.
pub(super) fn split_document(
    ingest: &Ingest,
    document: SourceDocument,
    stored: &StoredHash,
) -> Result<Option<SplitDocument>, Error> {
    let SourceDocument { uri, inside, origin, content, mut source_metadata } = document;
    let mut given = Given::of_document(origin.clone(), &mut source_metadata);
    let MergedMetadata { overrides, mut metadata } =
        source_metadata::merge(ingest, *source_metadata);
    let loaded = match content {
        Content::Unchanged => return Ok(None),
        Content::Bytes(bytes) => Loaded::Bytes(bytes),
        Content::File(path) => Loaded::Bytes(source::read(&path)?),
        Content::Text(text) => Loaded::Text(text),
        Content::Chunks(chunks) => Loaded::Chunks(hashed_bytes(&chunks), chunks),
    };
    let hashed = match &loaded {
        Loaded::Bytes(bytes) | Loaded::Chunks(bytes, _) => &bytes[..],
        Loaded::Text(text) => text.as_bytes(),
    };
    let plan = match &loaded {
        Loaded::Bytes(bytes) => Plan::of(&ingest.converter, &overrides, &uri, bytes),
        _ => None,
    };
    // The text also depends on what converts the document.
    let hashed = match &plan {
        Some(plan) => Cow::Owned(plan.hash(hashed)),
        None => Cow::Borrowed(hashed),
    };
    let input = ingest.hash_input(&overrides, &metadata);
    let content_hash = input.content_hash(&uri, &hashed);
    if stored.is_of(&input, &content_hash, &uri, &hashed) {
        return Ok(None);
    }
    let inside = inside.as_deref();
    let mut marks = Vec::new();
    let mut document = match loaded {
        Loaded::Bytes(bytes) => {
            let read = document::read_planned(plan, &overrides, bytes, &origin, &uri, inside)?;
            marks = read.marks;
            for (key, value) in read.metadata {
                metadata.entry(key).or_insert(value);
            }
            if let Some(encoding) = read.encoding {
                metadata.entry("encoding").or_insert(encoding.into());
            }
            read.document
        }
        Loaded::Text(text) => document::read_text(&overrides, text, &origin, &uri, inside)?,
        Loaded::Chunks(_, mut chunks) => {
            for (ordinal, chunk) in chunks.iter_mut().enumerate() {
                given.add(ordinal, chunk);
            }
            let (mut document, pieces, spans) = presplit(&overrides, chunks, &origin, &uri)?;
            document.source_media_type = given.source_media_type.take();
            let (metadata, presplit_spans) = (Value::Object(metadata), Some(spans));
            return Ok(Some(SplitDocument {
                uri,
                document,
                content_hash,
                pieces,
                presplit_spans,
                metadata,
                given,
            }));
        }
    };
    document.source_media_type = document.source_media_type.or(given.source_media_type.take());
    let Document { text, media_type, kind, title, .. } = &document;
    let split = ingest.job.splitter.split(text, media_type, Some(*kind), title.as_deref())?;
    let metadata = document_metadata(&metadata, split.syntax_error);
    let (pieces, presplit_spans) = (split.pieces, None);
    for (ordinal, piece) in pieces.iter().enumerate() {
        given.add_metadata(ordinal, place_metadata(&marks, piece.bytes.clone()));
    }
    Ok(Some(SplitDocument { uri, document, content_hash, pieces, presplit_spans, metadata, given }))
}

/// Returns the bytes that stand for presplit chunks in the content hash.
fn hashed_bytes(chunks: &[PresplitChunk]) -> Vec<u8> {
    let mut hashed = Vec::new();
    for chunk in chunks {
        serde_json::to_writer(&mut hashed, &chunk.to_json()).expect("memory accepts any bytes");
        for number in chunk.embedding.iter().flatten() {
            hashed.extend(number.to_le_bytes());
        }
        hashed.push(b'\n');
    }
    hashed
}

/// Makes a document of presplit chunks. Its text is their concatenation.
fn presplit(
    overrides: &MetadataOverrides,
    chunks: Vec<PresplitChunk>,
    origin: &Path,
    uri: &str,
) -> Result<(Document, Vec<Piece>, Vec<Span>), Error> {
    let text: String = chunks.iter().map(|chunk| &*chunk.content).collect();
    let text = source::without_nul(text, origin)?;
    let document = overrides.build_document_verbatim(text, uri);
    let (mut pieces, mut spans) = (Vec::new(), Vec::new());
    let mut end = 0;
    for chunk in chunks {
        let start = end;
        end += chunk.content.len();
        pieces.push(Piece {
            level: chunk.level.unwrap_or(chunk.section.len() as u32),
            section: chunk.section,
            kind: chunk.kind.unwrap_or(document.kind),
            unit: chunk.unit.unwrap_or(Unit::Text),
            preamble: chunk.preamble,
            tokens: chunk.tokens.unwrap_or_else(|| chunk.content.chars().count().div_ceil(4)),
            bytes: start..end,
            lines: 1..=1,
            imports: chunk.imports,
            links: Vec::new(),
        });
        spans.push(Span { bytes: chunk.bytes, lines: chunk.lines });
    }
    let mut links =
        passage_split::links(&document.text, &document.media_type).into_iter().peekable();
    for piece in &mut pieces {
        while let Some(link) = links.next_if(|link| link.bytes.start < piece.bytes.end) {
            piece.links.push(link);
        }
    }
    Ok((document, pieces, spans))
}
