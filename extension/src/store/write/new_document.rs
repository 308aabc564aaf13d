//! A document to be written, and the arguments of the statements that write it.

use crate::server::spi::Value;
use crate::server::sql_text::section_literal;
use crate::server::types::{Json, to_sql};
use crate::split::{PreparedDocument, SplitDocument};
use passage_split::interrupt::poll_periodically as pause;
use passage_split::{Chunk, SizeUnit, TextMark, chunk_metadata, document_metadata};
use serde_json::Map;
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
    /// Returns the content hashes of a stored document that need not be written. One that is split by its
    /// syntax is better than this one, which is split as text.
    pub(super) fn current_hashes(&self) -> Value {
        let marked = self.text_mark.as_ref().map(|mark| &mark.content_hash);
        let hashes = std::iter::once(&self.content_hash).chain(marked);
        Value::new(hashes.map(Vec::as_slice).collect::<Vec<_>>())
    }
}

/// Returns the first arguments of both INSERT and UPDATE of a document.
pub(super) fn document_values(
    new: &NewDocument<'_>,
    id: Uuid,
    split: &SplitDocument<'_>,
) -> Vec<Value> {
    let document = new.document;
    let source = document.source_media_type.as_ref().map(|media_type| media_type.name().to_owned());
    // The caller's metadata stays a text, since its numbers may have more digits than serde_json keeps.
    let mut derived_metadata = document_metadata(&Map::new(), split.syntax_error);
    if let Some(mark) = &new.text_mark {
        derived_metadata[TextMark::KEY] = mark.to_json();
    }
    vec![
        Value::new(to_sql(id)),
        Value::new(document.title.clone()),
        Value::new(document.media_type.name()),
        Value::new(source),
        Value::new(new.content_hash.as_slice()),
        Value::new(split.chunks.len() as i32),
        Value::new(derived_metadata.to_string()),
        Value::new(new.metadata.as_str()),
    ]
}

/// Returns the columns of chunks that may change while their ids stay.
pub(super) fn position_values(ids: &[Uuid], chunks: &[Chunk<'_>], indexes: &[usize]) -> Vec<Value> {
    let number = |count: fn(&Chunk<'_>) -> usize| {
        Value::new(indexes.iter().map(|&at| count(&chunks[at]) as i32).collect::<Vec<_>>())
    };
    let metadata = |(count, &at): (usize, &usize)| {
        pause(count);
        chunk_metadata(&chunks[at].imports).to_string()
    };
    vec![
        Value::new(indexes.iter().map(|&at| to_sql(ids[at])).collect::<Vec<_>>()),
        Value::new(indexes.iter().map(|&at| at as i32).collect::<Vec<_>>()),
        number(|chunk| chunk.level as usize),
        Value::new(indexes.iter().map(|&at| chunks[at].kind.name()).collect::<Vec<_>>()),
        Value::new(indexes.iter().map(|&at| chunks[at].unit.name()).collect::<Vec<_>>()),
        Value::new(indexes.iter().map(|&at| chunks[at].preamble.as_str()).collect::<Vec<_>>()),
        number(|chunk| SizeUnit::Characters.tokens(chunk.size)),
        number(|chunk| chunk.bytes.start),
        number(|chunk| chunk.bytes.end),
        number(|chunk| *chunk.lines.start()),
        number(|chunk| *chunk.lines.end()),
        Value::new(indexes.iter().enumerate().map(metadata).collect::<Vec<_>>()),
    ]
}

/// Returns the other columns of new chunks.
pub(super) fn content_values(chunks: &[Chunk<'_>], indexes: &[usize]) -> [Value; 2] {
    let sections: Vec<_> = indexes.iter().map(|&at| section_literal(&chunks[at].section)).collect();
    let contents: Vec<_> = indexes.iter().map(|&at| chunks[at].content).collect();
    [Value::new(sections), Value::new(contents)]
}
