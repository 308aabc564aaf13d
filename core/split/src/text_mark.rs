//! The mark of a document that a build without its grammar split as plain text.

use crate::{ChunkLimits, SplitPattern};
use serde_json::Value;
use std::fmt::Write;

/// The settings of a document that was split as plain text, because the build lacked its grammar.
///
/// The mark is in the metadata of the document. A build with the grammar splits the document again with
/// these settings and removes the mark. The document then equals one that such a build ingested.
///
/// ```
/// use passage_split::{ChunkLimits, TextMark};
/// use serde_json::json;
///
/// let limits = ChunkLimits::CHARACTERS;
/// let mark = TextMark { content_hash: vec![7; 32], limits, overlap: 0, split_at: None, split_offsets: Vec::new() };
/// let metadata = json!({ TextMark::KEY: mark.to_json() });
/// assert_eq!(TextMark::of_metadata(&metadata), Some(mark));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMark {
    /// The content hash of the document as a build with the grammar computes it.
    pub content_hash: Vec<u8>,
    /// The size limits of chunks, in characters.
    pub limits: ChunkLimits,
    /// The overlap of chunks, in characters.
    pub overlap: usize,
    /// The lines before which the document is divided.
    pub split_at: Option<SplitPattern>,
    /// The offsets at which the document is divided, in bytes.
    pub split_offsets: Vec<usize>,
}

impl TextMark {
    /// The key in the metadata of documents.
    pub const KEY: &'static str = "split_as_text";

    /// Returns the value in the metadata.
    pub fn to_json(&self) -> Value {
        let Self { content_hash, limits, overlap, split_at, split_offsets } = self;
        let hex = content_hash.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string takes any text");
            hex
        });
        let mut mark = limits.to_json(*overlap);
        mark["content_hash"] = hex.into();
        if let Some(pattern) = split_at {
            mark["split_at"] = pattern.as_str().into();
        }
        if !split_offsets.is_empty() {
            mark["split_offsets"] = split_offsets.as_slice().into();
        }
        mark
    }

    /// Returns the mark in the metadata of a document. Returns `None` for a value that no build writes.
    pub fn of_metadata(metadata: &Value) -> Option<Self> {
        let mark = metadata.get(Self::KEY)?;
        let (limits, overlap) = ChunkLimits::from_json(mark)?;
        let split_at = match mark.get("split_at") {
            Some(pattern) => Some(pattern.as_str()?.parse().ok()?),
            None => None,
        };
        let offset = |offset: &Value| usize::try_from(offset.as_u64()?).ok();
        let split_offsets = match mark.get("split_offsets") {
            Some(offsets) => offsets.as_array()?.iter().map(offset).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        Some(Self { content_hash: hash(mark)?, limits, overlap, split_at, split_offsets })
    }
}

/// Returns the 32 bytes of a SHA-256 in a mark.
fn hash(mark: &Value) -> Option<Vec<u8>> {
    let hex = mark.get("content_hash")?.as_str()?.as_bytes();
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    if hex.len() == 64 { hex.chunks_exact(2).map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_no_build_writes_is_no_mark() {
        let mark = TextMark {
            content_hash: vec![0xa7; 32],
            limits: ChunkLimits::CHARACTERS,
            overlap: 9,
            split_at: Some("^== ".parse().unwrap()),
            split_offsets: vec![0, 9],
        };
        let read = |value: Value| TextMark::of_metadata(&json!({ TextMark::KEY: value }));
        let with = |key: &str, value: Value| {
            let mut changed = mark.to_json();
            changed[key] = value;
            read(changed)
        };
        assert_eq!(read(mark.to_json()), Some(mark.clone()));
        assert_eq!(TextMark::of_metadata(&json!({})), None);
        assert_eq!(TextMark::of_metadata(&json!([1])), None);
        for value in [json!(null), json!(true), json!({}), json!([])] {
            assert_eq!(read(value), None);
        }
        for hash in ["", "a7", &"g7".repeat(32), &"a7".repeat(33), &"é".repeat(32)] {
            assert_eq!(with("content_hash", json!(hash)), None, "{hash}");
        }
        for pattern in [json!("("), json!(""), json!(null), json!(7)] {
            assert_eq!(with("split_at", pattern), None);
        }
        for offsets in [json!([-1]), json!([1.5]), json!(["1"]), json!(null), json!(7)] {
            assert_eq!(with("split_offsets", offsets), None);
        }
        assert_eq!(with("max_size", json!(-1)), None);
        assert_eq!(with("min_size", json!(900)), None);
    }
}
