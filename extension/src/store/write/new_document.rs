//! A document to be written, and the arguments of the SQL function that writes it.

use crate::server::spi::Value;
use crate::server::sql_text::section_literal;
use crate::server::types::{Json, TextList, UuidArray};
use crate::split::{PreparedDocument, SplitDocument};
use passage_split::{
    Chunk, SizeUnit, TextMark, chunk_ids, chunk_metadata, document_links, document_metadata,
};
use serde_json::{Map, json};
use std::fmt::Write;
use uuid::Uuid;

/// A document to be written.
pub struct NewDocument<'a> {
    pub collection: String,
    pub version: String,
    pub uri: String,
    pub content_hash: Vec<u8>,
    /// The mark of a document that is split as text.
    pub text_mark: Option<TextMark>,
    /// The metadata that the caller gave, as the text of a JSON object.
    pub metadata: String,
    /// The row that it comes from, as `keep_in_step` records it. It is written with a new document only.
    pub source_row: Option<Json>,
    pub document: &'a PreparedDocument,
}

impl NewDocument<'_> {
    /// Returns the content hash of a version that is split by its syntax, which is better than one that is split as text.
    fn other_hash(&self) -> Option<&[u8]> {
        self.text_mark.as_ref().map(|mark| &mark.content_hash[..])
    }

    /// Returns whether a stored document with a content hash need not be written.
    pub(super) fn is_current(&self, stored_hash: &[u8]) -> bool {
        stored_hash == self.content_hash || self.other_hash() == Some(stored_hash)
    }

    /// Returns the document for `write_documents`, and its metadata: the derived ones, and those that the caller gave. These
    /// stay a text, since their numbers may have more digits than `serde_json` keeps.
    pub(super) fn values(
        &self,
        id: Uuid,
        is_stored: bool,
        split: &SplitDocument<'_>,
    ) -> [Value; 4] {
        let Self { collection, version, uri, content_hash, document, .. } = self;
        let values = json!({
            "id": id.to_string(),
            "is_stored": is_stored,
            "collection": collection,
            "version": version,
            "uri": uri,
            "title": document.title,
            "media_type": document.media_type.name(),
            "source_media_type": document.source_media_type.as_ref().map(|source| source.name().to_owned()),
            "content_hash": bytes_literal(content_hash),
            "other_hash": self.other_hash().map(bytes_literal),
            "chunks": split.chunks.len(),
            "links": document_links(split.chunks.iter().map(|chunk| &chunk.links[..])),
        });
        let mut derived_metadata = document_metadata(&Map::new(), split.syntax_error);
        if let Some(mark) = &self.text_mark {
            derived_metadata[TextMark::KEY] = mark.to_json();
        }
        [
            Value::new(Json::from_value(&values)),
            Value::new(Json::from_value(&derived_metadata)),
            Value::new(self.metadata.as_str()),
            Value::new(self.source_row.clone()),
        ]
    }
}

/// Returns bytes as the text of a `bytea`.
fn bytes_literal(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_owned(), |mut literal, byte| {
        write!(literal, "{byte:02x}").expect("a string accepts any text");
        literal
    })
}

/// Returns the chunks of a document for `write_documents`, an array for each column. The lines of a converted text are
/// not those of the source, so its chunks have none.
pub(super) fn chunk_values(document: Uuid, chunks: &[Chunk<'_>], is_converted: bool) -> Vec<Value> {
    let ids = chunk_ids(document, chunks.iter().map(|chunk| (&chunk.section[..], chunk.content)));
    let number = |number: fn(&Chunk<'_>) -> usize| {
        Value::new(chunks.iter().map(|chunk| number(chunk) as i32).collect::<Vec<_>>())
    };
    let line = |line: fn(&Chunk<'_>) -> usize| {
        let line = |chunk: &Chunk<'_>| (!is_converted).then(|| line(chunk) as i32);
        Value::new(chunks.iter().map(line).collect::<Vec<_>>())
    };
    vec![
        Value::new(vec![1_i32; chunks.len()]),
        Value::new(ids.into_iter().collect::<UuidArray>()),
        Value::new((0..chunks.len() as i32).collect::<Vec<_>>()),
        number(|chunk| chunk.level as usize),
        texts(chunks.iter().map(|chunk| section_literal(&chunk.section))),
        texts(chunks.iter().map(|chunk| chunk.kind.name())),
        texts(chunks.iter().map(|chunk| chunk.unit.name())),
        texts(chunks.iter().map(|chunk| chunk.content)),
        texts(chunks.iter().map(|chunk| &chunk.preamble)),
        number(|chunk| SizeUnit::Characters.tokens(chunk.size)),
        number(|chunk| chunk.bytes.start),
        number(|chunk| chunk.bytes.end),
        line(|chunk| *chunk.lines.start()),
        line(|chunk| *chunk.lines.end()),
        texts(chunks.iter().map(|chunk| chunk_metadata(&chunk.imports).to_string())),
    ]
}

fn texts<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Value {
    Value::new(texts.collect::<TextList>())
}
