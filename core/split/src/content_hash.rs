//! Content hashes: they change if a document must be written again.
//!
//! Its twin in SQL is `sql/edition/functions/ingest.sql`.

use crate::document::MetadataOverrides;
use crate::{ChunkLimits, Kind, MediaType, SPLITTER_VERSION, SizeUnit, interrupt};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// The input of a content hash: all that decides chunks and embeddings, except the source itself.
///
/// ```
/// use passage_split::{ChunkLimits, HashInput, MetadataOverrides, SizeUnit};
///
/// let input = HashInput {
///     overrides: &MetadataOverrides::default(),
///     limits: ChunkLimits::CHARACTERS,
///     unit: SizeUnit::Characters,
///     overlap: 0,
///     split_at: None,
///     split_offsets: &[],
///     code_as_text: false,
///     model: None,
///     document_prefix: "",
///     metadata: &serde_json::Map::new(),
/// };
/// assert_ne!(input.content_hash("a.md", b"one"), input.content_hash("a.md", b"two"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HashInput<'a> {
    /// The overrides of the document's properties.
    pub overrides: &'a MetadataOverrides,
    /// The size limits of chunks.
    pub limits: ChunkLimits,
    /// The unit of these limits.
    pub unit: SizeUnit,
    /// The overlap of chunks, in that unit.
    pub overlap: usize,
    /// The pattern of the lines before which documents are divided, if any.
    pub split_at: Option<&'a str>,
    /// The offsets at which the document is divided, ascending.
    pub split_offsets: &'a [usize],
    /// Whether source code is split as plain text, see
    /// [`lacks_grammar`](crate::split::lacks_grammar).
    pub code_as_text: bool,
    /// The embedding model, if any.
    pub model: Option<&'a str>,
    /// The text that is embedded before each chunk; empty for none.
    pub document_prefix: &'a str,
    /// The metadata of the document, as stored.
    pub metadata: &'a Map<String, Value>,
}

impl HashInput<'_> {
    /// Returns the hash, a SHA-256 of 32 bytes. An unchanged hash means an unchanged document.
    ///
    /// The hash covers the bytes of the source, the uri (which may decide the media type), the overrides,
    /// the splitter's version, the limits and their unit, the boundaries, the model with its prefix and the metadata in any key order. Each
    /// part is preceded by its length.
    pub fn content_hash(&self, uri: &str, bytes: &[u8]) -> Vec<u8> {
        let Self { overrides, limits, unit, overlap, code_as_text, metadata, .. } = *self;
        let Self { model, document_prefix, split_at, split_offsets, .. } = *self;
        let mut written = String::new();
        write_object(metadata, &mut written);

        let mut hash = Sha256::new_with_prefix("passage content 2");
        hash.update(SPLITTER_VERSION.to_be_bytes());
        for size in [limits.min, limits.preferred, limits.max, limits.window, overlap] {
            hash.update((size as u64).to_be_bytes());
        }
        let parts = [
            Some(unit.name()),
            model,
            overrides.media_type.as_ref().map(MediaType::name),
            overrides.kind.map(Kind::name),
            overrides.title.as_deref(),
            overrides.base_url.as_deref(),
            Some(uri),
            Some(&written),
        ];
        for part in parts.map(|part| part.map(str::as_bytes)).into_iter().chain([Some(bytes)]) {
            // A missing part differs from an empty one.
            hash.update([u8::from(part.is_some())]);
            interrupt::hash_text(&mut hash, part.unwrap_or_default());
        }
        if code_as_text {
            hash.update([1]);
        }
        if let Some(encoding) = &overrides.encoding {
            hash.update([3]);
            hash.update(encoding);
        }
        if !document_prefix.is_empty() {
            hash.update([2]);
            hash.update(document_prefix);
        }
        if let Some(pattern) = split_at {
            hash.update([4]);
            hash.update(pattern);
        }
        // A pattern has no NUL and each of these numbers has one, so none is read as the end of a pattern.
        if !split_offsets.is_empty() {
            hash.update([5]);
            for offset in split_offsets {
                hash.update((*offset as u64).to_be_bytes());
            }
        }
        hash.finalize().to_vec()
    }
}

/// Writes a value with sorted object keys, because a command line and a jsonb order them differently.
fn write(value: &Value, into: &mut String) {
    match value {
        Value::Object(object) => write_object(object, into),
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                write(item, into);
            }
            into.push(']');
        }
        other => into.push_str(&other.to_string()),
    }
}

fn write_object(object: &Map<String, Value>, into: &mut String) {
    let mut entries: Vec<_> = object.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    into.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            into.push(',');
        }
        into.push_str(&Value::from(key.as_str()).to_string());
        into.push(':');
        write(value, into);
    }
    into.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn object(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn every_input_changes_the_hash() {
        let [empty, metadata] = ["{}", r#"{"a": 1}"#].map(object);
        let overrides = MetadataOverrides::default();
        let plain = HashInput {
            overrides: &overrides,
            limits: ChunkLimits::CHARACTERS,
            unit: SizeUnit::Characters,
            overlap: 0,
            split_at: None,
            split_offsets: &[],
            code_as_text: false,
            model: None,
            document_prefix: "",
            metadata: &empty,
        };
        let hash = |input: HashInput<'_>| input.content_hash("a", b"text");
        let with =
            |overrides: MetadataOverrides| hash(HashInput { overrides: &overrides, ..plain });
        let hashes = [
            hash(plain),
            plain.content_hash("a", b"text."),
            plain.content_hash("a.md", b"text"),
            with(MetadataOverrides {
                media_type: Some(MediaType::PLAIN),
                ..MetadataOverrides::default()
            }),
            with(MetadataOverrides { kind: Some(Kind::Code), ..MetadataOverrides::default() }),
            with(MetadataOverrides { title: Some(String::new()), ..MetadataOverrides::default() }),
            with(MetadataOverrides { title: Some("title".into()), ..MetadataOverrides::default() }),
            with(MetadataOverrides {
                base_url: Some("title".into()),
                ..MetadataOverrides::default()
            }),
            hash(HashInput { overlap: 1, ..plain }),
            hash(HashInput { split_at: Some("title"), ..plain }),
            hash(HashInput { split_offsets: &[1], ..plain }),
            hash(HashInput { split_offsets: &[1, 2], ..plain }),
            hash(HashInput { split_at: Some("title"), split_offsets: &[1], ..plain }),
            hash(HashInput { limits: ChunkLimits { max: 999, ..plain.limits }, ..plain }),
            hash(HashInput { unit: SizeUnit::Wordpieces, ..plain }),
            hash(HashInput { code_as_text: true, ..plain }),
            hash(HashInput { model: Some("model"), ..plain }),
            hash(HashInput { document_prefix: "passage: ", ..plain }),
            hash(HashInput { metadata: &metadata, ..plain }),
        ];
        assert_eq!(HashSet::from(hashes.clone()).len(), hashes.len());
        assert_eq!(hash(plain), hashes[0]);
    }

    #[test]
    fn object_keys_are_sorted() {
        let mut written = String::new();
        write_object(&object(r#"{"bb": [{"d": 1, "c": "\""}, null], "a\n": {}}"#), &mut written);
        assert_eq!(written, r#"{"a\n":{},"bb":[{"c":"\"","d":1},null]}"#);
    }
}
