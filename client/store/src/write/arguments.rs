//! Documents and chunks as arguments of the SQL functions that compare and write them.

use super::super::unnamed_statement::Parameter;
use super::document::{ChunkWrite, DocumentWrite, Replaced};
use crate::postgres_text::array_literal;
use passage_split::{TextMark, chunk_metadata, document_links};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use uuid::Uuid;

/// The arguments for documents: a JSON array, and an array for each column of their chunks.
pub(crate) struct Arguments<'a> {
    pub(crate) documents: Value,
    /// The place of the document of each chunk, from 1.
    document_places: Vec<i32>,
    /// The id of the document of each chunk.
    document_ids: Vec<Uuid>,
    pub(super) ids: Vec<Uuid>,
    ordinals: Vec<i32>,
    levels: Vec<i32>,
    sections: Vec<String>,
    kinds: Vec<&'static str>,
    units: Vec<&'static str>,
    contents: Vec<Option<&'a str>>,
    preambles: Vec<&'a str>,
    tokens: Vec<i32>,
    spans: [Vec<Option<i32>>; 4],
    metadata: Vec<String>,
    /// The places of the chunks with a new embedding, from 1, and the embeddings.
    pub(super) embedded: Vec<i32>,
    pub(super) embeddings: Vec<&'a [f32]>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn of(documents: &[&'a DocumentWrite<'a>]) -> Self {
        let mut arguments = Self {
            documents: documents.iter().map(|document| document_argument(document)).collect(),
            document_places: Vec::new(),
            document_ids: Vec::new(),
            ids: Vec::new(),
            ordinals: Vec::new(),
            levels: Vec::new(),
            sections: Vec::new(),
            kinds: Vec::new(),
            units: Vec::new(),
            contents: Vec::new(),
            preambles: Vec::new(),
            tokens: Vec::new(),
            spans: [const { Vec::new() }; 4],
            metadata: Vec::new(),
            embedded: Vec::new(),
            embeddings: Vec::new(),
        };
        for (place, document) in (1..).zip(documents) {
            for (ordinal, chunk) in (0..).zip(&document.chunks) {
                arguments.document_places.push(place);
                arguments.document_ids.push(document.id);
                arguments.add(ordinal, chunk);
            }
        }
        arguments
    }

    // No number exceeds the bytes of the source, at most 2^30.
    fn add(&mut self, ordinal: i32, chunk: &'a ChunkWrite<'a>) {
        self.ids.push(chunk.id);
        self.ordinals.push(ordinal);
        self.levels.push(chunk.level as i32);
        self.sections.push(array_literal(chunk.section));
        self.kinds.push(chunk.kind.name());
        self.units.push(chunk.unit.name());
        self.contents.push(chunk.content);
        self.preambles.push(chunk.preamble);
        self.tokens.push(chunk.tokens as i32);
        let (bytes, lines) = (chunk.bytes.as_ref(), chunk.lines.as_ref());
        let span = [
            bytes.map(|bytes| bytes.start),
            bytes.map(|bytes| bytes.end),
            lines.map(|lines| *lines.start()),
            lines.map(|lines| *lines.end()),
        ];
        for (column, number) in self.spans.iter_mut().zip(span) {
            column.push(number.map(|number| number as i32));
        }
        self.metadata.push(metadata(chunk).to_string());
        if let Some(embedding) = chunk.embedding {
            self.embedded.push(self.ids.len() as i32);
            self.embeddings.push(embedding);
        }
    }

    /// Returns the arrays of chunks with the ids of their documents.
    pub(crate) fn chunks_with_ids(&self) -> Vec<&dyn Parameter> {
        [vec![&self.document_ids as &dyn Parameter], self.chunks()].concat()
    }

    /// Returns the arrays of chunks with the places of their documents.
    pub(super) fn chunks_with_places(&self) -> Vec<&dyn Parameter> {
        [vec![&self.document_places as &dyn Parameter], self.chunks()].concat()
    }

    /// Returns the arrays of the columns of chunks.
    pub(super) fn chunks(&self) -> Vec<&dyn Parameter> {
        let [start_bytes, end_bytes, first_lines, last_lines] = &self.spans;
        vec![
            &self.ids,
            &self.ordinals,
            &self.levels,
            &self.sections,
            &self.kinds,
            &self.units,
            &self.contents,
            &self.preambles,
            &self.tokens,
            start_bytes,
            end_bytes,
            first_lines,
            last_lines,
            &self.metadata,
        ]
    }
}

/// Returns parameters from a number on, separated by commas.
pub(crate) fn parameters(first: usize, count: usize) -> String {
    let parameters: Vec<_> = (first..first + count).map(|number| format!("${number}")).collect();
    parameters.join(", ")
}

fn document_argument(document: &DocumentWrite<'_>) -> Value {
    let DocumentWrite { id, has_given_ids, collection, version, uri, title, .. } = document;
    let DocumentWrite { media_type, source_media_type, content_hash, metadata, chunks, .. } =
        document;
    let mut argument = json!({
        "id": id.to_string(),
        "has_given_ids": has_given_ids,
        "collection": collection,
        "version": version,
        "uri": uri,
        "title": title,
        "media_type": media_type,
        "source_media_type": source_media_type,
        "content_hash": bytes_literal(content_hash),
        "metadata": metadata,
        "chunks": chunks.len(),
        "links": document_links(chunks.iter().map(|chunk| chunk.links)),
        "is_stored": !matches!(document.replaced, Replaced::Nothing),
    });
    match document.replaced {
        Replaced::Nothing => {}
        Replaced::Source(existing) => {
            argument["is_compared"] = true.into();
            argument["compared_hash"] = existing.content_hash.as_deref().map(bytes_literal).into();
        }
        Replaced::Rows(stored, mark) => {
            let versions: Map<_, _> = stored
                .chunks
                .iter()
                .map(|chunk| (chunk.id.to_string(), chunk.row_version.as_str().into()))
                .collect();
            argument["row_version"] = stored.row_version.as_str().into();
            argument["chunk_versions"] =
                Some(versions).filter(|versions| !versions.is_empty()).into();
            // Without a mark, the hash differs from that of every source and every other write.
            let hash = mark.map_or_else(
                || bytes_literal(&fastrand::u128(..).to_be_bytes()),
                |mark| bytes_literal(&mark.content_hash),
            );
            argument["content_hash"] = hash.into();
            if mark.is_some() {
                argument["without_key"] = TextMark::KEY.into();
                // A policy may hide chunks from a caller who does not own the store.
                argument["chunk_count"] = stored.chunks.len().into();
            }
        }
    }
    argument
}

/// Returns the metadata of a chunk.
fn metadata(chunk: &ChunkWrite<'_>) -> Value {
    let mut metadata = chunk_metadata(chunk.imports);
    if let (Some(other), Value::Object(metadata)) = (chunk.metadata, &mut metadata) {
        metadata.extend(other.clone());
    }
    metadata
}

/// Returns bytes as the text of a `bytea`.
fn bytes_literal(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_owned(), |mut literal, byte| {
        write!(literal, "{byte:02x}").expect("a string accepts any text");
        literal
    })
}
