//! Content hashes: all that a document's chunks and their embeddings are made from.

use crate::document::MetadataOverrides;
use crate::{ChunkLimits, Kind, MediaType, SPLITTER_VERSION, SizeUnit, interrupt};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// What the chunks of a document and their embeddings are made from, beside the document.
#[derive(Clone, Copy, Debug)]
pub struct HashInput<'a> {
    /// What is told of the document.
    pub overrides: &'a MetadataOverrides,
    /// How large chunks may be.
    pub limits: ChunkLimits,
    /// What that is counted in.
    pub unit: SizeUnit,
    /// How much of the end of each chunk the preamble of the next one repeats.
    pub overlap: usize,
    /// Whether it is source code that is split as text, see
    /// [`lacks_grammar`](crate::split::lacks_grammar).
    pub code_as_text: bool,
    /// The model that embeds, if one does.
    pub model: Option<&'a str>,
    /// What is told of the document beside, as its column keeps it.
    pub metadata: &'a Map<String, Value>,
}

impl HashInput<'_> {
    /// Returns the hash that tells whether a document must be written again.
    ///
    /// It covers the bytes of the source, the uri (which may say what they are), what is told of
    /// the document, the splitter's version, the limits and what they count, the model and the
    /// metadata in whatever order, each behind its length.
    pub fn content_hash(&self, uri: &str, bytes: &[u8]) -> Vec<u8> {
        let Self { overrides, limits, unit, overlap, code_as_text, model, metadata } = *self;
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
            // What is missing is not what is empty.
            hash.update([u8::from(part.is_some())]);
            let part = part.unwrap_or_default();
            hash.update((part.len() as u64).to_be_bytes());
            for block in part.chunks(interrupt::POLL_BLOCK) {
                interrupt::poll();
                hash.update(block);
            }
        }
        if code_as_text {
            hash.update([1]);
        }
        hash.finalize().to_vec()
    }
}

/// Writes a value with the keys of its objects in one order: a command line has them in another
/// order than a jsonb.
fn write(value: &Value, into: &mut String) {
    match value {
        Value::Object(object) => write_object(object, into),
        Value::Array(items) => {
            into.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
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
    for (place, (key, value)) in entries.into_iter().enumerate() {
        if place > 0 {
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
    fn whatever_chunks_are_made_from_changes_the_hash() {
        let [empty, metadata] = ["{}", r#"{"a": 1}"#].map(object);
        let overrides = MetadataOverrides::default();
        let plain = HashInput {
            overrides: &overrides,
            limits: ChunkLimits::CHARACTERS,
            unit: SizeUnit::Characters,
            overlap: 0,
            code_as_text: false,
            model: None,
            metadata: &empty,
        };
        let of = |making: HashInput<'_>| making.content_hash("a", b"text");
        let with = |overrides: MetadataOverrides| of(HashInput { overrides: &overrides, ..plain });
        let hashes = [
            of(plain),
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
            of(HashInput { overlap: 1, ..plain }),
            of(HashInput { limits: ChunkLimits { max: 999, ..plain.limits }, ..plain }),
            of(HashInput { unit: SizeUnit::Wordpieces, ..plain }),
            of(HashInput { code_as_text: true, ..plain }),
            of(HashInput { model: Some("model"), ..plain }),
            of(HashInput { metadata: &metadata, ..plain }),
        ];
        assert_eq!(HashSet::from(hashes.clone()).len(), hashes.len());
        assert_eq!(of(plain), hashes[0]);
    }

    #[test]
    fn keys_are_written_in_one_order() {
        let mut written = String::new();
        write_object(&object(r#"{"bb": [{"d": 1, "c": "\""}, null], "a\n": {}}"#), &mut written);
        assert_eq!(written, r#"{"a\n":{},"bb":[{"c":"\"","d":1},null]}"#);
    }
}
