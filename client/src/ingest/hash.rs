//! Content hashes: all that a document's chunks and their embeddings are made from.

use super::Ingest;
use passage_core::{MediaType, SPLITTER_VERSION};
use sha2::{Digest, Sha256};

/// Returns the hash that tells whether a document must be written again.
///
/// It covers the text, its media type, the splitter's version, the limits and what they count, the
/// model, the title and the metadata, each behind its length.
pub(super) fn content_hash(
    ingest: &Ingest,
    text: &str,
    media_type: &MediaType,
    title: Option<&str>,
) -> Vec<u8> {
    let limits = ingest.splitter.limits();
    let sizes = [limits.min, limits.preferred, limits.max, limits.window];
    let model = ingest.embedder.as_ref().map(|embedder| embedder.model().name());
    let metadata = serde_json::to_string(&ingest.metadata).expect("an object is JSON");

    let mut hash = Sha256::new_with_prefix("passage content 1");
    hash.update(SPLITTER_VERSION.to_be_bytes());
    for size in sizes {
        hash.update((size as u64).to_be_bytes());
    }
    let parts = [
        Some(media_type.name()),
        Some(ingest.splitter.unit().name()),
        model,
        title,
        Some(&metadata),
        Some(text),
    ];
    for part in parts {
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
            title: None,
            metadata: Map::new(),
            media_type: None,
        }
    }

    #[test]
    fn whatever_chunks_are_made_from_changes_the_hash() {
        let with_metadata =
            Ingest { metadata: json!({"a": 1}).as_object().unwrap().clone(), ..plain() };
        let hashes = [
            content_hash(&plain(), "text", &MediaType::PLAIN, None),
            content_hash(&plain(), "text.", &MediaType::PLAIN, None),
            content_hash(&plain(), "text", &MediaType::MARKDOWN, None),
            content_hash(&plain(), "text", &MediaType::PLAIN, Some("")),
            content_hash(&plain(), "text", &MediaType::PLAIN, Some("title")),
            content_hash(&with_metadata, "text", &MediaType::PLAIN, None),
        ];
        assert_eq!(HashSet::from(hashes.clone()).len(), hashes.len());
        assert_eq!(content_hash(&plain(), "text", &MediaType::PLAIN, None), hashes[0]);
    }
}
