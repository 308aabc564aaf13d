//! Chunks that somebody else has made.

use passage_core::{Kind, Unit};
use serde_json::{Value, json};
use std::ops::{Range, RangeInclusive};

/// A chunk that is stored as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// Its text.
    pub content: String,
    /// The titles above it.
    pub section: Vec<String>,
    /// Its depth; by default the length of the section.
    pub level: Option<u32>,
    /// What it is made of; by default what the document's media type says.
    pub kind: Option<Kind>,
    /// The structural unit it belongs to; by default text.
    pub unit: Option<Unit>,
    /// What goes before its content for embedding and full text.
    pub preamble: String,
    /// Its size in tokens; by default a quarter of its characters.
    pub tokens: Option<usize>,
    /// Its bytes in the document, as many as its content has.
    pub bytes: Option<Range<usize>>,
    /// The lines that it touches, from 1.
    pub lines: Option<RangeInclusive<usize>>,
    /// The names that the imports in it bind.
    pub imports: Vec<String>,
}

impl Ready {
    /// All that is told of it, by which it is known whether it has changed.
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
        })
    }
}

/// Tells the lines of chunks whose bytes follow one another from the document's beginning on, as
/// far as they are not told.
pub(super) fn count_lines(chunks: &mut [Ready]) {
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
            Ready { content: (*content).into(), bytes: Some(start..end), ..Ready::default() }
        };
        let mut chunks: Vec<_> = contents.iter().map(ready).collect();
        count_lines(&mut chunks);
        chunks.into_iter().map(|chunk| chunk.lines.unwrap()).collect()
    }

    #[test]
    fn lines_are_counted_as_splitters_count_them() {
        assert_eq!(lines(&["a\n", "b\nc", "d\n", "", "e"]), [1..=1, 2..=3, 3..=3, 4..=4, 4..=4]);
        assert_eq!(lines(&["a\r", "\nb\rc"]), [1..=1, 1..=3]);
    }

    #[test]
    fn lines_across_gaps_are_unknown() {
        let ready = |bytes| Ready { content: "a\n".into(), bytes: Some(bytes), ..Ready::default() };
        let mut chunks = [ready(0..2), ready(3..5)];
        count_lines(&mut chunks);
        assert_eq!(chunks.map(|chunk| chunk.lines), [None, None]);
    }
}
