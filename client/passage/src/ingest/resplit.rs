//! A stored document, split again and compared with its stored chunks.

use crate::Error;
use crate::split::{Piece, Split, Splitter};
use crate::store::{ChunkWrite, DocumentWrite, Replaced, StoredChunk, StoredDocument};
use passage_split::{
    Kind, MediaType, SyntaxError, TextMark, chunk_ids, document_metadata, place_marks,
    place_metadata,
};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::RangeInclusive;
use uuid::Uuid;

/// A document with its new pieces and its stored chunks.
pub(super) struct Resplit {
    stored: StoredDocument,
    text: String,
    media_type: MediaType,
    pieces: Vec<Piece>,
    /// The id of each piece, and the ordinal of the stored chunk with that text, if there is one.
    ids: Vec<(Uuid, Option<usize>)>,
    /// The place of each piece in a converted document.
    places: Vec<Map<String, Value>>,
    metadata: Value,
    syntax_error: Option<SyntaxError>,
    /// Whether its chunks have the lines of a source. Those of a converted text have none.
    has_lines: bool,
    embeds: bool,
}

/// Splits a document again. Returns `None` if its chunks are not known to be its whole text, one
/// after the other. With `embeds`, chunks without an embedding get one.
pub(super) fn resplit(
    splitter: &Splitter,
    stored: StoredDocument,
    embeds: bool,
) -> Result<Option<Resplit>, Error> {
    let Some(text) = whole_text(&stored.chunks) else { return Ok(None) };
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
    // In a document that SQL split as text, all but the mark come from its caller. Otherwise the first is
    // detected here, and the second describes a fetch, but this text was not fetched.
    let is_marked = metadata.contains_key(TextMark::KEY);
    let derived = if is_marked { &[TextMark::KEY][..] } else { &["syntax_error", "http"] };
    for key in derived {
        metadata.remove(*key);
    }
    let metadata = document_metadata(&metadata, split.syntax_error);
    let Split { pieces, syntax_error } = split;
    let ids = matched_ids(&stored, &text, &pieces);
    let places = places(&stored.chunks, &pieces);
    let has_lines = stored.chunks.iter().any(|chunk| chunk.lines.is_some());
    Ok(Some(Resplit {
        stored,
        text,
        media_type,
        pieces,
        ids,
        places,
        metadata,
        syntax_error,
        has_lines,
        embeds,
    }))
}

/// Joins the text of a document. Returns `None` unless the spans show that the chunks are all of
/// it.
fn whole_text(chunks: &[StoredChunk]) -> Option<String> {
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

/// Returns the place of each piece in a converted document, from those of the stored chunks.
fn places(chunks: &[StoredChunk], pieces: &[Piece]) -> Vec<Map<String, Value>> {
    let marks = place_marks(
        chunks.iter().filter_map(|chunk| Some((chunk.bytes.as_ref()?.start, &chunk.place))),
    );
    pieces.iter().map(|piece| place_metadata(&marks, piece.bytes.clone())).collect()
}

/// Returns the kind of the document: the one of its uri and media type, if a chunk has it.
/// Otherwise the kind was set explicitly, and it is the most frequent one of the chunks.
fn kind(stored: &StoredDocument, media_type: &MediaType) -> Kind {
    let detected = Kind::detect(&stored.uri, media_type);
    let kinds = || stored.chunks.iter().filter_map(|chunk| chunk.kind);
    if kinds().any(|kind| kind == detected) {
        return detected;
    }
    let frequency = |wanted: Kind| kinds().filter(|kind| *kind == wanted).count();
    kinds().max_by_key(|kind| frequency(*kind)).unwrap_or(detected)
}

/// Gives each piece the id of the stored chunk with the same text in the same section, and a
/// derived id where there is none.
fn matched_ids(
    stored: &StoredDocument,
    text: &str,
    pieces: &[Piece],
) -> Vec<(Uuid, Option<usize>)> {
    let mut by_text: HashMap<(&[String], &str), VecDeque<usize>> = HashMap::new();
    for (ordinal, chunk) in stored.chunks.iter().enumerate() {
        by_text.entry((&chunk.section, &chunk.content)).or_default().push_back(ordinal);
    }
    let texts = || pieces.iter().map(|piece| (&piece.section[..], &text[piece.bytes.clone()]));
    let derived = chunk_ids(stored.id, texts());
    let matched: Vec<_> = texts()
        .map(|text| by_text.get_mut(&text).and_then(VecDeque::pop_front))
        .zip(&derived)
        .map(|(ordinal, derived)| {
            (ordinal.map_or(*derived, |ordinal| stored.chunks[ordinal].id), ordinal)
        })
        .collect();
    let distinct: HashSet<_> = matched.iter().map(|(id, _)| id).collect();
    if distinct.len() == matched.len() {
        return matched;
    }
    // Someone has changed the text of a chunk and kept its derived id, which now belongs to another
    // piece.
    let by_id: HashMap<Uuid, usize> =
        stored.chunks.iter().enumerate().map(|(ordinal, chunk)| (chunk.id, ordinal)).collect();
    let same = |id: &Uuid, (section, content): (&[String], &str)| {
        by_id.get(id).copied().filter(|ordinal| {
            let chunk = &stored.chunks[*ordinal];
            chunk.section == section && chunk.content == content
        })
    };
    derived.iter().zip(texts()).map(|(id, text)| (*id, same(id, text))).collect()
}

impl Resplit {
    pub(super) fn syntax_error(&self) -> Option<SyntaxError> {
        self.syntax_error
    }

    /// Returns the number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.pieces.len()
    }

    /// Returns the number of chunks that the document has already.
    pub(super) fn kept(&self) -> usize {
        self.ids.iter().filter(|(_, stored)| stored.is_some()).count()
    }

    /// Returns whether the document differs from its stored version.
    pub(super) fn differs(&self) -> bool {
        let Self { stored, pieces, ids, .. } = self;
        let is_same =
            |(ordinal, (piece, (_, matched))): (usize, (&Piece, &(Uuid, Option<usize>)))| {
                *matched == Some(ordinal) && self.is_as_stored(piece, &stored.chunks[ordinal])
            };
        let derived = |metadata: &Value| {
            ["syntax_error", TextMark::KEY].map(|key| metadata.get(key).cloned())
        };
        pieces.len() != stored.chunks.len()
            || derived(&self.metadata) != derived(&stored.metadata)
            || !pieces.iter().zip(ids).enumerate().all(is_same)
    }

    fn is_as_stored(&self, piece: &Piece, chunk: &StoredChunk) -> bool {
        i64::from(piece.level) == i64::from(chunk.level)
            && Some(piece.kind) == chunk.kind
            && Some(piece.unit) == chunk.unit
            && is_current(piece, chunk)
            && Some(piece.tokens as i32) == chunk.tokens
            && Some(&piece.bytes) == chunk.bytes.as_ref()
            && self.lines_of(piece) == chunk.lines
            && piece.imports == chunk.imports
            && (chunk.has_embedding || !self.embeds)
    }

    /// Returns the lines of a piece in the source.
    fn lines_of(&self, piece: &Piece) -> Option<RangeInclusive<usize>> {
        self.has_lines.then(|| piece.lines.clone())
    }

    /// Returns the ordinals of the chunks that need an embedding, and the text of each.
    pub(super) fn missing(&self) -> impl Iterator<Item = (usize, String)> {
        let has = |(piece, (_, matched)): (&Piece, &(Uuid, Option<usize>))| {
            self.current(piece, *matched).is_some_and(|chunk| chunk.has_embedding)
        };
        let chunks = self.pieces.iter().zip(&self.ids).enumerate();
        chunks
            .filter(move |(_, chunk)| !has(*chunk))
            .map(|(ordinal, (piece, _))| (ordinal, piece.embedded_text(&self.text)))
    }

    /// Returns the ids of the stored chunks whose text and preamble stay the same.
    pub(super) fn reused(&self) -> Vec<Uuid> {
        let chunks = self.pieces.iter().zip(&self.ids);
        let same = chunks.filter(|(piece, (_, matched))| self.current(piece, *matched).is_some());
        same.map(|(_, (id, _))| *id).collect()
    }

    /// Returns the stored chunk of a piece, if its embedded text is still the same.
    fn current(&self, piece: &Piece, matched: Option<usize>) -> Option<&StoredChunk> {
        matched.map(|ordinal| &self.stored.chunks[ordinal]).filter(|chunk| is_current(piece, chunk))
    }

    /// Returns the document in the form that the store writes, with new embeddings by the ordinal
    /// of the chunk. `mark` is the mark of SQL to remove.
    pub(super) fn document<'a>(
        &'a self,
        embeddings: &HashMap<usize, &'a [f32]>,
        mark: Option<&'a TextMark>,
    ) -> DocumentWrite<'a> {
        let Self { stored, text, media_type, pieces, ids, places, metadata, .. } = self;
        let chunk = |(ordinal, (piece, (id, _))): (usize, (&'a Piece, &(Uuid, _)))| ChunkWrite {
            id: *id,
            section: &piece.section,
            level: piece.level,
            kind: piece.kind,
            unit: piece.unit,
            content: Some(&text[piece.bytes.clone()]),
            preamble: &piece.preamble,
            tokens: piece.tokens,
            bytes: Some(piece.bytes.clone()),
            lines: self.lines_of(piece),
            imports: &piece.imports,
            links: &piece.links,
            metadata: Some(&places[ordinal]),
            embedding: embeddings.get(&ordinal).copied(),
        };
        DocumentWrite {
            id: stored.id,
            replaced: Replaced::Rows(stored, mark),
            // Someone may have changed the text of a chunk and kept its id.
            has_given_ids: true,
            collection: &stored.collection,
            version: &stored.version,
            uri: &stored.uri,
            title: stored.title.as_deref(),
            media_type: media_type.name(),
            source_media_type: None,
            content_hash: &[],
            metadata,
            chunks: pieces.iter().zip(ids).enumerate().map(chunk).collect(),
        }
    }
}

/// Returns whether a piece and the stored chunk with its content have the same embedded text.
fn is_current(piece: &Piece, chunk: &StoredChunk) -> bool {
    chunk.preamble.as_deref().unwrap_or_default() == piece.preamble
}
