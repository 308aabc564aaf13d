//! Content hashes: all that a document's chunks and their embeddings are made from.

use super::Ingest;
use passage_core::{Kind, MediaType, SPLITTER_VERSION};
use sha2::{Digest, Sha256};

/// Returns the hash that tells whether a document must be written again.
///
/// It covers the bytes of the source, the uri (which may say what they are), what is told of the
/// document, the splitter's version, the limits and what they count, the model and the metadata,
/// each behind its length.
pub(super) fn content_hash(ingest: &Ingest, uri: &str, bytes: &[u8]) -> Vec<u8> {
    let Ingest { splitter, embedder, reading, metadata, .. } = ingest;
    let limits = splitter.limits();
    let sizes = [limits.min, limits.preferred, limits.max, limits.window, splitter.overlap()];
    let metadata = serde_json::to_string(metadata).expect("an object is JSON");

    let mut hash = Sha256::new_with_prefix("passage content 2");
    hash.update(SPLITTER_VERSION.to_be_bytes());
    for size in sizes {
        hash.update((size as u64).to_be_bytes());
    }
    let parts = [
        Some(splitter.unit().name()),
        embedder.as_ref().map(|embedder| embedder.name()),
        reading.media_type.as_ref().map(MediaType::name),
        reading.kind.map(Kind::name),
        reading.title.as_deref(),
        reading.base_url.as_deref(),
        Some(uri),
        Some(&metadata),
    ];
    for part in parts.map(|part| part.map(str::as_bytes)).into_iter().chain([Some(bytes)]) {
        // What is missing is not what is empty.
        hash.update([u8::from(part.is_some())]);
        let part = part.unwrap_or_default();
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Reading;
    use crate::split::Splitter;
    use serde_json::{Map, json};
    use std::collections::HashSet;

    fn plain() -> Ingest {
        Ingest {
            url: String::new(),
            store: "rag".into(),
            collection: String::new(),
            version: String::new(),
            splitter: Splitter::by_characters(),
            embedder: None,
            reading: Reading::default(),
            metadata: Map::new(),
        }
    }

    #[test]
    fn whatever_chunks_are_made_from_changes_the_hash() {
        let with = |reading: Reading| Ingest { reading, ..plain() };
        let metadata = json!({"a": 1}).as_object().unwrap().clone();
        let of = |ingest: &Ingest| content_hash(ingest, "a", b"text");
        let hashes = [
            of(&plain()),
            content_hash(&plain(), "a", b"text."),
            content_hash(&plain(), "a.md", b"text"),
            of(&with(Reading { media_type: Some(MediaType::PLAIN), ..Reading::default() })),
            of(&with(Reading { kind: Some(Kind::Code), ..Reading::default() })),
            of(&with(Reading { title: Some(String::new()), ..Reading::default() })),
            of(&with(Reading { title: Some("title".into()), ..Reading::default() })),
            of(&with(Reading { base_url: Some("title".into()), ..Reading::default() })),
            of(&Ingest { splitter: Splitter::by_characters().with_overlap(1), ..plain() }),
            of(&Ingest { metadata, ..plain() }),
        ];
        assert_eq!(HashSet::from(hashes.clone()).len(), hashes.len());
        assert_eq!(of(&plain()), hashes[0]);
    }
}
