//! The lines of an export, with the keys that `ingest --jsonl` reads.

use crate::store::{ExportedChunk, ExportedDocument};
use passage_split::{Kind, MediaType, TextMark, Unit, document_id};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

const IS_JSON: &str = "strings and numbers are JSON";

/// The keys of a document. A chunk line has them if its chunk is the first one.
#[derive(Serialize)]
struct DocumentKeys<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    document_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    media_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_media_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
}

impl<'a> DocumentKeys<'a> {
    fn new(document: &'a ExportedDocument) -> Self {
        let ExportedDocument { id, collection, version, uri, .. } = document;
        let mut metadata = document.metadata.clone();
        // It describes the chunks of the server that wrote it.
        metadata.remove(TextMark::KEY);
        Self {
            document_id: Some(*id).filter(|id| *id != document_id(collection, version, uri, 0)),
            title: document.title.as_deref(),
            media_type: document.media_type.name(),
            source_media_type: document.source_media_type.as_ref().map(MediaType::name),
            metadata,
        }
    }
}

/// The line of a document.
#[derive(Serialize)]
pub(super) struct DocumentLine<'a> {
    uri: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    collection: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    #[serde(flatten)]
    keys: DocumentKeys<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
}

impl<'a> DocumentLine<'a> {
    /// Returns the line without its text. `kind` is that of the chunks.
    pub(super) fn new(document: &'a ExportedDocument, kind: Option<Kind>) -> Self {
        let ExportedDocument { uri, collection, version, media_type, .. } = document;
        let kind = kind.filter(|kind| *kind != Kind::detect(uri, media_type)).map(Kind::name);
        Self { uri, collection, version, keys: DocumentKeys::new(document), kind }
    }

    /// Returns the line up to the beginning of its text.
    pub(super) fn beginning(&self) -> String {
        let mut line = serde_json::to_string(self).expect(IS_JSON);
        line.pop();
        line.push_str(",\"text\":\"");
        line
    }
}

/// Returns a text as a part of a JSON string.
pub(super) fn text(content: &str) -> String {
    let quoted = serde_json::to_string(content).expect(IS_JSON);
    quoted[1..quoted.len() - 1].to_owned()
}

/// The line of a chunk.
#[derive(Serialize)]
pub(super) struct ChunkLine<'a> {
    uri: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    collection: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'a str,
    #[serde(flatten)]
    document: Option<DocumentKeys<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<u32>,
    #[serde(flatten)]
    chunk: Option<ChunkKeys<'a>>,
    /// A JSON array.
    #[serde(skip)]
    embedding: Option<&'a str>,
}

/// The keys of a chunk.
#[derive(Serialize)]
struct ChunkKeys<'a> {
    id: Uuid,
    ordinal: usize,
    section: &'a [String],
    level: i64,
    kind: &'a str,
    unit: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    preamble: Option<&'a str>,
    tokens: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_byte: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_byte: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_line: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    chunk_metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
}

impl<'a> ChunkLine<'a> {
    fn of(document: &'a ExportedDocument) -> Self {
        let ExportedDocument { uri, collection, version, .. } = document;
        Self {
            uri,
            collection,
            version,
            document: None,
            chunks: None,
            chunk: None,
            embedding: None,
        }
    }

    /// Returns the line of a document without chunks.
    pub(super) fn empty(document: &'a ExportedDocument) -> Self {
        let document_keys = Some(DocumentKeys::new(document));
        Self { document: document_keys, chunks: Some(0), ..Self::of(document) }
    }

    /// Returns the line of a chunk. The first one has the keys of the document too.
    pub(super) fn new(
        document: &'a ExportedDocument,
        ordinal: usize,
        chunk: &'a ExportedChunk,
        model: Option<&'a str>,
    ) -> Self {
        let keys = (ordinal == 0).then(|| DocumentKeys::new(document));
        let mut chunk_metadata = chunk.metadata.clone();
        let is_list = |imports: &Value| {
            imports
                .as_array()
                .is_some_and(|names| !names.is_empty() && names.iter().all(Value::is_string))
        };
        let imports = match chunk_metadata.get("imports") {
            Some(imports) if is_list(imports) => chunk_metadata.remove("imports"),
            _ => None,
        };
        let default_kind = || Kind::detect(&document.uri, &document.media_type);
        let default_tokens = || chunk.content.chars().count().div_ceil(4) as i64;
        let embedding = chunk.embedding.as_deref();
        let number = i64::from(i32::MAX);
        let chunk = ChunkKeys {
            id: chunk.id,
            ordinal,
            section: &chunk.section,
            level: chunk.level.unwrap_or(chunk.section.len() as i64).clamp(0, number),
            kind: chunk.kind.unwrap_or_else(default_kind).name(),
            unit: chunk.unit.unwrap_or(Unit::Text).name(),
            content: &chunk.content,
            preamble: chunk.preamble.as_deref().filter(|preamble| !preamble.is_empty()),
            tokens: chunk.tokens.unwrap_or_else(default_tokens).clamp(0, number),
            start_byte: chunk.bytes.map(|(start, _)| start),
            end_byte: chunk.bytes.map(|(_, end)| end),
            first_line: chunk.lines.map(|(first, _)| first),
            last_line: chunk.lines.map(|(_, last)| last),
            imports,
            chunk_metadata,
            model: model.filter(|_| embedding.is_some()),
        };
        Self { document: keys, chunk: Some(chunk), embedding, ..Self::of(document) }
    }

    /// Returns the line without a line feed.
    pub(super) fn to_json(&self) -> String {
        let mut line = serde_json::to_string(self).expect(IS_JSON);
        if let Some(embedding) = self.embedding {
            // pgvector writes a JSON array, with the fewest digits that read as the same numbers.
            line.pop();
            line.push_str(",\"embedding\":");
            line.push_str(embedding);
            line.push('}');
        }
        line
    }
}
