//! A document that is ready to be written, compared with its stored version.

use super::Ingest;
use super::split_document::{Span, SplitDocument};
use crate::embed::Embedding;
use crate::split::Piece;
use crate::store::{ChunkWrite, DocumentChanges, DocumentWrite, ExistingDocument, Replaced};
use passage_split::{MediaType, chunk_ids};
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

/// A document with its chunks and embeddings, and its stored version.
pub(super) struct Prepared {
    pub(super) split: Arc<SplitDocument>,
    /// The stored version of the document, if there is one.
    pub(super) existing: Option<ExistingDocument>,
    pub(super) id: Uuid,
    pub(super) chunk_ids: Vec<Uuid>,
    /// The differences from the stored version.
    pub(super) changes: DocumentChanges,
    /// The new embeddings.
    pub(super) embeddings: HashMap<Uuid, Embedding>,
}

/// Returns the ids of the chunks of a document, in document order.
pub(super) fn ids_of_chunks(document: Uuid, split: &SplitDocument) -> Vec<Uuid> {
    if !split.given.ids.is_empty() {
        return split.given.ids.clone();
    }
    let text = &split.document.text;
    let chunks = split.pieces.iter();
    chunk_ids(document, chunks.map(|piece| (&piece.section[..], &text[piece.bytes.clone()])))
}

impl Prepared {
    /// Returns the approximate size of the document in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.split.document.text.len()
    }

    /// Returns the document in the form that the store writes, without the content of chunks that the store has.
    pub(super) fn document<'a>(&'a self, ingest: &'a Ingest) -> DocumentWrite<'a> {
        self.document_with(ingest, |ordinal| !self.changes.kept.contains(&ordinal))
    }

    /// Returns the document in the form that the store compares, without the content of chunks.
    pub(super) fn compared<'a>(&'a self, ingest: &'a Ingest) -> DocumentWrite<'a> {
        self.document_with(ingest, |_| false)
    }

    fn document_with<'a>(
        &'a self,
        ingest: &'a Ingest,
        has_content: impl Fn(usize) -> bool,
    ) -> DocumentWrite<'a> {
        let Self { split, existing, id, chunk_ids, embeddings, .. } = self;
        let (collection, version) = split.given.collection(ingest);
        // A given id does not say that the content is the same.
        let has_given_ids = !split.given.ids.is_empty();
        let chunk =
            |(ordinal, ((id, piece), span)): (usize, ((&Uuid, &'a Piece), Span))| ChunkWrite {
                id: *id,
                section: &piece.section,
                level: piece.level,
                kind: piece.kind,
                unit: piece.unit,
                content: (has_given_ids || has_content(ordinal))
                    .then(|| &split.document.text[piece.bytes.clone()]),
                preamble: &piece.preamble,
                tokens: piece.tokens,
                bytes: span.bytes,
                lines: span.lines,
                imports: &piece.imports,
                links: &piece.links,
                metadata: split.given.metadata(ordinal),
                embedding: embeddings.get(id).map(Vec::as_slice),
            };
        let chunks = chunk_ids.iter().zip(&split.pieces).zip(split.spans());
        DocumentWrite {
            id: *id,
            replaced: existing.as_ref().map_or(Replaced::Nothing, Replaced::Source),
            has_given_ids,
            collection,
            version,
            uri: &split.uri,
            title: split.document.title.as_deref(),
            media_type: split.document.media_type.name(),
            source_media_type: split.document.source_media_type.as_ref().map(MediaType::name),
            content_hash: &split.content_hash,
            metadata: &split.metadata,
            chunks: chunks.enumerate().map(chunk).collect(),
        }
    }
}
