//! Values that a source gives of a document beyond its text: ids, embeddings and a collection of its own.

use super::Ingest;
use crate::embed::Embedding;
use crate::source::{self, CollectionVersion, PresplitChunk, SourceMetadata};
use crate::store::EmbeddingModel;
use passage_split::MediaType;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::PathBuf;
use uuid::Uuid;

/// The values of a document that the source gives instead of those that the client derives.
#[derive(Default)]
pub(super) struct Given {
    /// The file and the line of the document, for errors.
    pub(super) origin: PathBuf,
    pub(super) collection: Option<CollectionVersion>,
    pub(super) document_id: Option<Uuid>,
    pub(super) source_media_type: Option<MediaType>,
    /// The model of the embeddings.
    model: Option<String>,
    /// The ids of all chunks, or none.
    pub(super) ids: Vec<Uuid>,
    /// The embeddings of chunks by their ordinals.
    embeddings: HashMap<usize, Embedding>,
    /// Other metadata of chunks by their ordinals.
    metadata: HashMap<usize, Map<String, Value>>,
}

impl Given {
    /// Takes the values of a document from its source.
    pub(super) fn of_document(origin: PathBuf, source: &mut SourceMetadata) -> Self {
        Self {
            origin,
            collection: source.collection.take(),
            document_id: source.document_id,
            source_media_type: source.source_media_type.take(),
            model: source.model.take(),
            ..Self::default()
        }
    }

    /// Takes the values of a chunk, which must be added in the order of the document.
    pub(super) fn add(&mut self, ordinal: usize, chunk: &mut PresplitChunk) {
        self.ids.extend(chunk.id);
        if let Some(embedding) = chunk.embedding.take() {
            self.embeddings.insert(ordinal, embedding);
        }
        self.add_metadata(ordinal, std::mem::take(&mut chunk.metadata));
    }

    /// Takes the metadata of a chunk.
    pub(super) fn add_metadata(&mut self, ordinal: usize, metadata: Map<String, Value>) {
        if !metadata.is_empty() {
            self.metadata.insert(ordinal, metadata);
        }
    }

    /// Returns the model of the embeddings with their dimensions, if there are any.
    pub(super) fn model(&self) -> Option<EmbeddingModel> {
        let dimensions = self.embeddings.values().next()?.len();
        Some(EmbeddingModel { name: self.model.clone()?, dimensions, prefixes: None })
    }

    /// Returns the embeddings by the ids of their chunks.
    pub(super) fn embeddings(&self, ids: &[Uuid]) -> HashMap<Uuid, Embedding> {
        self.embeddings
            .iter()
            .map(|(&ordinal, embedding)| (ids[ordinal], embedding.clone()))
            .collect()
    }

    /// Returns the other metadata of a chunk.
    pub(super) fn metadata(&self, ordinal: usize) -> Option<&Map<String, Value>> {
        self.metadata.get(&ordinal)
    }

    /// Returns the collection and the version of the document.
    pub(super) fn collection<'a>(&'a self, ingest: &'a Ingest) -> (&'a str, &'a str) {
        collection(self.collection.as_ref(), ingest)
    }

    /// Returns the error for an id that another document has.
    pub(super) fn in_use(&self, what: &'static str, id: Uuid) -> source::Error {
        source::Error::IdInUse { path: self.origin.clone(), what, id }
    }
}

/// Returns the collection and the version of a document: its own, or those of the run.
pub(super) fn collection<'a>(
    own: Option<&'a CollectionVersion>,
    ingest: &'a Ingest,
) -> (&'a str, &'a str) {
    match own {
        Some(own) => (&own.collection, &own.version),
        None => (&ingest.collection, &ingest.version),
    }
}
