//! One document, split anew and compared with what the store has of it.

use crate::Error;
use crate::split::{Piece, Splitter};
use crate::store::{ChunkWrite, DocumentWrite, StoredChunk, StoredDocument};
use passage_core::{Kind, MediaType, chunk_ids, document_metadata};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use uuid::Uuid;

/// A document as it would be made now.
pub(super) struct Made {
    stored: StoredDocument,
    text: String,
    media_type: MediaType,
    pieces: Vec<Piece>,
    /// The id of each piece, and which chunk of the store it is, if it is one.
    ids: Vec<(Uuid, Option<usize>)>,
    metadata: Value,
    embeds: bool,
}

/// Splits a document anew; `None` if its chunks are not known to be all of its text, one after the
/// other. `embeds` tells whether a chunk without an embedding is to get one.
pub(super) fn remake(
    splitter: &Splitter,
    stored: StoredDocument,
    embeds: bool,
) -> Result<Option<Made>, Error> {
    let Some(text) = whole(&stored.chunks) else { return Ok(None) };
    let media_type = match &stored.media_type {
        Some(media_type) => media_type.parse()?,
        None => MediaType::detect(&stored.uri, &text),
    };
    let kind = kind(&stored, &media_type);
    let split = splitter.split(&text, &media_type, Some(kind), stored.title.as_deref())?;
    let mut metadata = match &stored.metadata {
        Value::Object(metadata) => metadata.clone(),
        _ => Map::new(),
    };
    // Of these one is found out here, and the other tells how the source was read.
    for own in ["syntax_error", "http"] {
        metadata.remove(own);
    }
    let metadata = document_metadata(&metadata, split.syntax_error);
    let ids = ids(&stored, &text, &split.pieces);
    Ok(Some(Made { stored, text, media_type, pieces: split.pieces, ids, metadata, embeds }))
}

/// Puts the text together, if the chunks say that they are all of it.
fn whole(chunks: &[StoredChunk]) -> Option<String> {
    let mut text = String::with_capacity(chunks.iter().map(|chunk| chunk.content.len()).sum());
    for chunk in chunks {
        let start = text.len();
        text.push_str(&chunk.content);
        if chunk.bytes != Some(start..text.len()) {
            return None;
        }
    }
    Some(text)
}

/// What the document is made of: what its uri and media type say, unless none of its chunks is
/// that; it was then told, and most of them say what.
fn kind(stored: &StoredDocument, media_type: &MediaType) -> Kind {
    let found = Kind::detect(&stored.uri, media_type);
    let kinds = || stored.chunks.iter().filter_map(|chunk| chunk.kind);
    if kinds().any(|kind| kind == found) {
        return found;
    }
    let often = |wanted: Kind| kinds().filter(|kind| *kind == wanted).count();
    kinds().max_by_key(|kind| often(*kind)).unwrap_or(found)
}

/// Gives each piece the id of the chunk that says the same in the same section, wherever that id
/// comes from, and a derived one where there is none.
fn ids(stored: &StoredDocument, text: &str, pieces: &[Piece]) -> Vec<(Uuid, Option<usize>)> {
    let mut there: HashMap<(&[String], &str), VecDeque<usize>> = HashMap::new();
    for (place, chunk) in stored.chunks.iter().enumerate() {
        there.entry((&chunk.section, &chunk.content)).or_default().push_back(place);
    }
    let said = || pieces.iter().map(|piece| (&piece.section[..], &text[piece.bytes.clone()]));
    let derived = chunk_ids(stored.id, said());
    let matched: Vec<_> = said()
        .map(|said| there.get_mut(&said).and_then(VecDeque::pop_front))
        .zip(&derived)
        .map(|(place, derived)| (place.map_or(*derived, |place| stored.chunks[place].id), place))
        .collect();
    let distinct: HashSet<_> = matched.iter().map(|(id, _)| id).collect();
    if distinct.len() == matched.len() {
        return matched;
    }
    // A chunk was reworded under a derived id that another one now has a right to.
    let of: HashMap<Uuid, usize> =
        stored.chunks.iter().enumerate().map(|(place, chunk)| (chunk.id, place)).collect();
    let same = |id: &Uuid, (section, content): (&[String], &str)| {
        of.get(id).copied().filter(|place| {
            let chunk = &stored.chunks[*place];
            chunk.section == section && chunk.content == content
        })
    };
    derived.iter().zip(said()).map(|(id, said)| (*id, same(id, said))).collect()
}

impl Made {
    pub(super) fn stored(&self) -> &StoredDocument {
        &self.stored
    }

    pub(super) fn chunks(&self) -> usize {
        self.pieces.len()
    }

    /// Counts the chunks that the document had before.
    pub(super) fn kept(&self) -> usize {
        self.ids.iter().filter(|(_, place)| place.is_some()).count()
    }

    /// Tells whether the store has it otherwise.
    pub(super) fn differs(&self) -> bool {
        let Self { stored, pieces, ids, .. } = self;
        let is_same =
            |(ordinal, (piece, (_, place))): (usize, (&Piece, &(Uuid, Option<usize>)))| {
                *place == Some(ordinal) && self.is_as_stored(piece, &stored.chunks[ordinal])
            };
        let syntax_error = |metadata: &Value| metadata.get("syntax_error").cloned();
        pieces.len() != stored.chunks.len()
            || syntax_error(&self.metadata) != syntax_error(&stored.metadata)
            || !pieces.iter().zip(ids).enumerate().all(is_same)
    }

    fn is_as_stored(&self, piece: &Piece, chunk: &StoredChunk) -> bool {
        i64::from(piece.level) == i64::from(chunk.level)
            && Some(piece.kind) == chunk.kind
            && Some(piece.unit) == chunk.unit
            && is_current(piece, chunk)
            && Some(piece.tokens as i32) == chunk.tokens
            && Some(&piece.bytes) == chunk.bytes.as_ref()
            && Some(&piece.lines) == chunk.lines.as_ref()
            && piece.imports == chunk.imports
            && (chunk.has_embedding || !self.embeds)
    }

    /// Returns the chunks that want an embedding, and the text of each.
    pub(super) fn missing(&self) -> impl Iterator<Item = (usize, String)> {
        let has = |(piece, (_, place)): (&Piece, &(Uuid, Option<usize>))| {
            self.current(piece, *place).is_some_and(|chunk| chunk.has_embedding)
        };
        let chunks = self.pieces.iter().zip(&self.ids).enumerate();
        chunks
            .filter(move |(_, chunk)| !has(*chunk))
            .map(|(ordinal, (piece, _))| (ordinal, piece.embedded_text(&self.text)))
    }

    /// Returns the chunks that stay and say what they said, with whatever goes before it.
    pub(super) fn reused(&self) -> Vec<Uuid> {
        let chunks = self.pieces.iter().zip(&self.ids);
        let same = chunks.filter(|(piece, (_, place))| self.current(piece, *place).is_some());
        same.map(|(_, (id, _))| *id).collect()
    }

    /// Returns the chunk that a piece was, if what is embedded of it is still the same.
    fn current(&self, piece: &Piece, place: Option<usize>) -> Option<&StoredChunk> {
        place.map(|place| &self.stored.chunks[place]).filter(|chunk| is_current(piece, chunk))
    }

    /// Returns the document as a store takes it that has nothing of it.
    pub(super) fn new_document(&self, with_embeddings: bool) -> DocumentWrite<'_> {
        let mut document = self.document(&HashMap::new(), with_embeddings);
        document.removed_chunks.clear();
        for chunk in &mut document.chunks {
            (chunk.exists, chunk.preamble_changed) = (false, false);
        }
        document
    }

    /// Returns the document as the store takes it, with new embeddings by the number of the chunk.
    pub(super) fn document<'a>(
        &'a self,
        embeddings: &HashMap<usize, &'a [f32]>,
        with_embeddings: bool,
    ) -> DocumentWrite<'a> {
        let Self { stored, text, media_type, pieces, ids, metadata, .. } = self;
        let chunk =
            |(ordinal, (piece, (id, place))): (usize, (&'a Piece, &(Uuid, Option<usize>)))| {
                ChunkWrite {
                    id: *id,
                    section: &piece.section,
                    level: piece.level,
                    kind: piece.kind,
                    unit: piece.unit,
                    content: &text[piece.bytes.clone()],
                    preamble: &piece.preamble,
                    tokens: piece.tokens,
                    bytes: Some(piece.bytes.clone()),
                    lines: Some(piece.lines.clone()),
                    imports: &piece.imports,
                    exists: place.is_some(),
                    preamble_changed: place
                        .is_some_and(|place| !is_current(piece, &stored.chunks[place])),
                    embedding: embeddings.get(&ordinal).copied(),
                }
            };
        let chunks = pieces.iter().zip(ids).enumerate().map(chunk).collect();
        let stays: HashSet<usize> = ids.iter().filter_map(|(_, place)| *place).collect();
        let gone = stored.chunks.iter().enumerate().filter(|(place, _)| !stays.contains(place));
        DocumentWrite {
            id: stored.id,
            existing: None,
            collection: &stored.collection,
            version: &stored.version,
            uri: &stored.uri,
            title: stored.title.as_deref(),
            media_type: media_type.name(),
            source_media_type: None,
            content_hash: &[],
            metadata,
            removed_chunks: gone.map(|(_, chunk)| chunk.id).collect(),
            with_embeddings,
            chunks,
        }
    }
}

/// Tells whether what is embedded of a piece is what is embedded of the chunk with its content.
fn is_current(piece: &Piece, chunk: &StoredChunk) -> bool {
    chunk.preamble.as_deref().unwrap_or_default() == piece.preamble
}
