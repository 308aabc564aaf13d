//! Metadata of one document: values from its source, which take precedence over those of the run.

use super::Ingest;
use super::http_cache::cache_entry;
use crate::document::MetadataOverrides;
use crate::source::SourceMetadata;
use serde_json::{Map, Value};

/// The settings and the metadata of one document.
pub(super) struct MergedMetadata {
    pub(super) overrides: MetadataOverrides,
    pub(super) metadata: Map<String, Value>,
}

/// Merges the metadata of a source into that of the run.
pub(super) fn merge(ingest: &Ingest, source: SourceMetadata) -> MergedMetadata {
    let run = ingest.overrides.clone();
    let overrides = MetadataOverrides {
        media_type: source.media_type.or(run.media_type),
        kind: source.kind.or(run.kind),
        title: source.title.or(run.title),
        base_url: source.base_url.or(run.base_url),
        encoding: run.encoding,
    };
    let mut metadata = ingest.metadata.clone();
    metadata.extend(source.metadata);
    if let Some(entry) = source.validators.and_then(|validators| cache_entry(ingest, &validators)) {
        metadata.insert("http".into(), entry);
    }
    MergedMetadata { overrides, metadata }
}
