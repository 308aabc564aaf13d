//! A document that is ready to be written, compared with its stored version.

use super::Ingest;
use super::split_document::{Span, SplitDocument};
use crate::embed::Embedding;
use crate::split::Piece;
use crate::store::{ChunkWrite, DocumentWrite, ExistingChunk, ExistingDocument};
use passage_split::{MediaType, chunk_ids};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// A document with its chunks and embeddings, and its stored version.
pub(super) struct Prepared {
    pub(super) split: Arc<SplitDocument>,
    /// The stored version of the document, if there is one.
    pub(super) existing: Option<ExistingDocument>,
    pub(super) id: Uuid,
    pub(super) chunk_ids: Vec<Uuid>,
    /// The chunks of the stored version.
    pub(super) existing_chunks: HashMap<Uuid, ExistingChunk>,
    /// The chunks of the stored version with an id of this version and other values.
    pub(super) replaced_chunks: Vec<Uuid>,
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

/// Returns whether the stored embedding of a chunk, if any, fits its present text.
pub(super) fn is_current(existing: Option<&ExistingChunk>, piece: &Piece) -> bool {
    existing
        .is_some_and(|existing| existing.preamble.as_deref().unwrap_or_default() == piece.preamble)
}

/// Removes the chunks that have a given id but other values, and returns their ids. They are written again.
///
/// A derived id says that section and content are the same; a given one does not.
pub(super) fn take_changed(
    existing: &mut HashMap<Uuid, ExistingChunk>,
    split: &SplitDocument,
) -> Vec<Uuid> {
    let mut changed = Vec::new();
    for (ordinal, id) in split.given.ids.iter().enumerate() {
        let piece: &Piece = &split.pieces[ordinal];
        let content = &split.document.text[piece.bytes.clone()];
        let metadata = split.given.metadata(ordinal);
        let is_changed = |chunk: &ExistingChunk| {
            chunk
                .identity
                .as_ref()
                .is_none_or(|identity| !identity.is_of(&piece.section, content, metadata))
        };
        if existing.get(id).is_some_and(is_changed) {
            existing.remove(id);
            changed.push(*id);
        }
    }
    changed
}

impl Prepared {
    /// Returns the approximate size of the document in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.split.document.text.len()
    }

    /// Returns the document in the form that the store writes.
    pub(super) fn document<'a>(
        &'a self,
        ingest: &'a Ingest,
        with_embeddings: bool,
    ) -> DocumentWrite<'a> {
        let Self { split, existing, id, chunk_ids, existing_chunks, replaced_chunks, embeddings } =
            self;
        let (collection, version) = split.given.collection(ingest);
        let chunk =
            |(ordinal, ((id, piece), span)): (usize, ((&Uuid, &'a Piece), Span))| ChunkWrite {
                id: *id,
                section: &piece.section,
                level: piece.level,
                kind: piece.kind,
                unit: piece.unit,
                content: &split.document.text[piece.bytes.clone()],
                preamble: &piece.preamble,
                tokens: piece.tokens,
                bytes: span.bytes,
                lines: span.lines,
                imports: &piece.imports,
                metadata: split.given.metadata(ordinal),
                exists: existing_chunks.contains_key(id),
                preamble_changed: !is_current(existing_chunks.get(id), piece),
                embedding: embeddings.get(id).map(Vec::as_slice),
            };
        let chunks = chunk_ids.iter().zip(&split.pieces).zip(split.spans());
        let chunks = chunks.enumerate().map(chunk).collect();
        let kept: HashSet<&Uuid> = chunk_ids.iter().collect();
        DocumentWrite {
            id: *id,
            existing: existing.as_ref(),
            collection,
            version,
            uri: &split.uri,
            title: split.document.title.as_deref(),
            media_type: split.document.media_type.name(),
            source_media_type: split.document.source_media_type.as_ref().map(MediaType::name),
            content_hash: &split.content_hash,
            metadata: &split.metadata,
            removed_chunks: existing_chunks
                .keys()
                .filter(|id| !kept.contains(id))
                .chain(replaced_chunks)
                .copied()
                .collect(),
            with_embeddings,
            chunks,
        }
    }
}
