//! Chunks that another program has split.

use passage_split::{Kind, Unit};
use serde_json::{Map, Value, json};
use std::ops::{Range, RangeInclusive};
use uuid::Uuid;

/// A chunk that is stored without being split again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresplitChunk {
    /// The id; by default derived from the document, the section and the content.
    pub id: Option<Uuid>,
    /// The embedding that another program has made.
    pub embedding: Option<Vec<f32>>,
    /// Other metadata of the chunk.
    pub metadata: Map<String, Value>,
    /// The text.
    pub content: String,
    /// The section: the titles from the root down to the chunk.
    pub section: Vec<String>,
    /// The depth, 0 for the root; by default the length of the section.
    pub level: Option<u32>,
    /// The kind; by default that of the document's media type.
    pub kind: Option<Kind>,
    /// The structural unit; by default text.
    pub unit: Option<Unit>,
    /// The text that precedes the content for embedding and full-text search.
    pub preamble: String,
    /// The size in tokens; by default a quarter of the number of characters.
    pub tokens: Option<usize>,
    /// The bytes in the source, as many as the content has.
    pub bytes: Option<Range<usize>>,
    /// The lines in the source, from 1, first and last included.
    pub lines: Option<RangeInclusive<usize>>,
    /// The names that the imports in it bind.
    pub imports: Vec<String>,
}

impl PresplitChunk {
    /// Returns all fields but the embedding. The content hash of a document is computed over them.
    pub fn to_json(&self) -> Value {
        json!({
            "content": self.content,
            "section": self.section,
            "level": self.level,
            "kind": self.kind.map(Kind::name),
            "unit": self.unit.map(Unit::name),
            "preamble": self.preamble,
            "tokens": self.tokens,
            "bytes": self.bytes.as_ref().map(|bytes| [bytes.start, bytes.end]),
            "lines": self.lines.as_ref().map(|lines| [lines.start(), lines.end()]),
            "imports": self.imports,
            "id": self.id,
            "chunk_metadata": self.metadata,
        })
    }
}

/// Fills in missing lines of chunks. Does nothing unless their bytes cover the document from its
/// beginning without gaps.
pub(super) fn fill_missing_lines(chunks: &mut [PresplitChunk]) {
    let mut text = String::new();
    for chunk in &*chunks {
        match &chunk.bytes {
            Some(bytes) if bytes.start == text.len() => text.push_str(&chunk.content),
            _ => return,
        }
    }
    let bytes = text.as_bytes();
    let ends_line = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let ends: Vec<usize> = (0..bytes.len()).filter(ends_line).collect();
    let line = |byte: usize| 1 + ends.partition_point(|end| *end < byte);
    for chunk in chunks {
        let bytes = chunk.bytes.clone().expect("all have bytes");
        let last = bytes.end.saturating_sub(1).max(bytes.start);
        chunk.lines.get_or_insert_with(|| line(bytes.start)..=line(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(contents: &[&str]) -> Vec<RangeInclusive<usize>> {
        let mut end = 0;
        let ready = |content: &&str| {
            let start = end;
            end += content.len();
            PresplitChunk {
                content: (*content).into(),
                bytes: Some(start..end),
                ..PresplitChunk::default()
            }
        };
        let mut chunks: Vec<_> = contents.iter().map(ready).collect();
        fill_missing_lines(&mut chunks);
        chunks.into_iter().map(|chunk| chunk.lines.unwrap()).collect()
    }

    #[test]
    fn missing_lines_are_counted_as_splitters_count_them() {
        assert_eq!(lines(&["a\n", "b\nc", "d\n", "", "e"]), [1..=1, 2..=3, 3..=3, 4..=4, 4..=4]);
        assert_eq!(lines(&["a\r", "\nb\rc"]), [1..=1, 1..=3]);
    }

    #[test]
    fn missing_lines_stay_unknown_if_bytes_have_gaps() {
        let ready = |bytes| PresplitChunk {
            content: "a\n".into(),
            bytes: Some(bytes),
            ..PresplitChunk::default()
        };
        let mut chunks = [ready(0..2), ready(3..5)];
        fill_missing_lines(&mut chunks);
        assert_eq!(chunks.map(|chunk| chunk.lines), [None, None]);
    }
}
