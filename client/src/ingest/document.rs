//! One document on its way through the pipeline.

use super::run::{Run, blocking, turn};
use super::told::{self, Place, Telling};
use super::{Event, Ingest, Outcome, vectors};
use crate::embed::Embedding;
use crate::source::{Content, Item, Ready};
use crate::split::Piece;
use crate::store::{
    self, ChunkWrite, DocumentWrite, ExistingChunk, ExistingDocument, WriteOutcome,
};
use crate::{Error, document, source};
use passage_core::{MediaType, chunk_ids, document_id, document_metadata};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use uuid::Uuid;

/// How often a document is tried when others write it at the same time, or have its id.
const ATTEMPTS: usize = 32;

/// A document that was read and split.
struct Split {
    uri: String,
    document: document::Document,
    content_hash: Vec<u8>,
    pieces: Vec<Piece>,
    /// Where they are in the source, if that is not where they are in the text.
    told: Option<Vec<Place>>,
    /// What is known of it beside, a JSON object.
    metadata: Value,
}

impl Split {
    /// Returns where its pieces are in the source.
    fn places(&self) -> impl Iterator<Item = Place> {
        let own = |piece: &Piece| Place {
            bytes: Some(piece.bytes.clone()),
            lines: Some(piece.lines.clone()),
        };
        let told = |ordinal: usize| self.told.as_ref().map(|places| places[ordinal].clone());
        let place = move |(ordinal, piece)| told(ordinal).unwrap_or_else(|| own(piece));
        self.pieces.iter().enumerate().map(place)
    }
}

/// A document with its chunks and embeddings, as compared with what the store has of it.
pub(super) struct Prepared {
    split: Arc<Split>,
    known: Option<ExistingDocument>,
    id: Uuid,
    ids: Vec<Uuid>,
    there: HashMap<Uuid, ExistingChunk>,
    embeddings: HashMap<Uuid, Embedding>,
}

/// Ingests a document of which the store knows as much as `known` says.
pub(super) async fn ingest(
    run: &Arc<Run>,
    item: Item,
    mut known: Option<ExistingDocument>,
) -> Result<Outcome, Error> {
    let turn = turn(&run.splitting).await;
    let reader = Arc::clone(run);
    let hash = known.as_ref().and_then(|known| known.content_hash.clone());
    let Some(split) = blocking(move || split(&reader.ingest, item, hash.as_deref())).await? else {
        return unchanged(run, known.as_ref()).await;
    };
    drop(turn);
    let split = Arc::new(split);

    let Ingest { collection, version, .. } = &run.ingest;
    let mut embeddings = HashMap::new();
    let mut salt = 0;
    for _ in 0..ATTEMPTS {
        let id = match &known {
            Some(known) => known.id,
            None => document_id(collection, version, &split.uri, salt),
        };
        let ids = ids(id, &split);
        let there = match &known {
            Some(known) => run.reader.existing_chunks(known.id, run.with_embeddings).await?,
            None => HashMap::new(),
        };
        let chunks = ids.len();
        let outcome = match known {
            Some(_) => {
                let kept = ids.iter().filter(|id| there.contains_key(id)).count();
                Outcome::Replaced { chunks, kept }
            }
            None => Outcome::Added { chunks },
        };
        if run.ingest.dry_run {
            return Ok(outcome);
        }
        embed(run, &split, &ids, &there, &mut embeddings).await?;
        let split = Arc::clone(&split);
        let ready = Prepared { split, known, id, ids, there, embeddings };
        let (ready, written) = run.loader.load(ready).await?;
        if written == WriteOutcome::Written {
            return Ok(outcome);
        }
        let Prepared { split, known: before, .. } = ready;
        embeddings = ready.embeddings;
        let mut found = run.reader.existing_documents(collection, version, &[&split.uri]).await?;
        known = found.remove(&split.uri);
        let hash = known.as_ref().and_then(|known| known.content_hash.as_ref());
        if hash == Some(&split.content_hash) {
            return Ok(Outcome::Unchanged);
        }
        if before.is_none() && known.is_none() {
            salt += 1;
        }
    }
    Err(store::Error::Contended(split.uri.clone()).into())
}

/// Leaves a document as it is, but for a mark that its source is gone.
async fn unchanged(run: &Run, known: Option<&ExistingDocument>) -> Result<Outcome, Error> {
    match known {
        Some(known) if known.is_orphan => {
            if !run.ingest.dry_run {
                run.reader.unmark_orphaned(known.id).await?;
            }
            Ok(Outcome::Restored)
        }
        _ => Ok(Outcome::Unchanged),
    }
}

/// Reads and splits a document, or finds that the store has it already.
fn split(ingest: &Ingest, item: Item, hash: Option<&[u8]>) -> Result<Option<Split>, Error> {
    let Item { uri, inside, origin, content, told } = item;
    let Telling { reading, metadata } = told::telling(ingest, *told);
    let read = match content {
        Content::Unchanged => return Ok(None),
        Content::Bytes(bytes) => Read::Bytes(bytes),
        Content::File(path) => Read::Bytes(source::read(&path)?),
        Content::Text(text) => Read::Text(text),
        Content::Chunks(chunks) => Read::Chunks(told::hashed(&chunks), chunks),
    };
    let hashed = match &read {
        Read::Bytes(bytes) | Read::Chunks(bytes, _) => bytes,
        Read::Text(text) => text.as_bytes(),
    };
    let content_hash = told::making(ingest, &reading, &metadata).content_hash(&uri, hashed);
    if hash == Some(&content_hash) {
        return Ok(None);
    }
    let inside = inside.as_deref();
    let document = match read {
        Read::Bytes(bytes) => document::read(&reading, bytes, &origin, &uri, inside)?,
        Read::Text(text) => document::read_text(&reading, text, &origin, &uri, inside)?,
        Read::Chunks(_, chunks) => {
            let (document, pieces, places) = told::pieces(&reading, chunks, &origin, &uri)?;
            let (metadata, told) = (Value::Object(metadata), Some(places));
            return Ok(Some(Split { uri, document, content_hash, pieces, told, metadata }));
        }
    };
    let document::Document { text, media_type, kind, title, .. } = &document;
    let split = ingest.splitter.split(text, media_type, Some(*kind), title.as_deref())?;
    let metadata = document_metadata(&metadata, split.syntax_error);
    let (pieces, told) = (split.pieces, None);
    Ok(Some(Split { uri, document, content_hash, pieces, told, metadata }))
}

/// What a source gave, read.
enum Read {
    Bytes(Vec<u8>),
    Text(String),
    /// Chunks, and what they are hashed as.
    Chunks(Vec<u8>, Vec<Ready>),
}

/// Returns the ids of a document's chunks, in document order.
fn ids(document: Uuid, split: &Split) -> Vec<Uuid> {
    let text = &split.document.text;
    let chunks = split.pieces.iter();
    chunk_ids(document, chunks.map(|piece| (&piece.section[..], &text[piece.bytes.clone()])))
}

/// Tells whether a chunk's embedding in the store is, or would be, its own.
fn is_current(there: Option<&ExistingChunk>, piece: &Piece) -> bool {
    there.is_some_and(|there| there.preamble.as_deref().unwrap_or_default() == piece.preamble)
}

/// Embeds the chunks that have no embedding yet, here or in the store.
async fn embed(
    run: &Run,
    split: &Arc<Split>,
    ids: &[Uuid],
    there: &HashMap<Uuid, ExistingChunk>,
    embeddings: &mut HashMap<Uuid, Embedding>,
) -> Result<(), Error> {
    let Some(pool) = run.ingest.embedder.clone() else { return Ok(()) };
    let has = |id: &Uuid, piece| {
        let there = there.get(id);
        embeddings.contains_key(id)
            || (is_current(there, piece) && there.is_some_and(|there| there.has_embedding))
    };
    let _turn = turn(&run.embedding).await;
    let missing: Vec<usize> =
        (0..ids.len()).filter(|&ordinal| !has(&ids[ordinal], &split.pieces[ordinal])).collect();

    let split = Arc::clone(split);
    let text =
        move |ordinal: usize| (ordinal, split.pieces[ordinal].embedded_text(&split.document.text));
    vectors::embed(pool, missing.into_iter().map(text), |ordinal, embedding| {
        embeddings.insert(ids[ordinal], embedding);
        run.report(&Event::Embedded);
    })
    .await
}

impl Prepared {
    /// Returns about how large it is.
    pub(super) fn bytes(&self) -> usize {
        self.split.document.text.len()
    }

    /// Returns the document as the store takes it.
    pub(super) fn document<'a>(&'a self, run: &'a Run) -> DocumentWrite<'a> {
        let Self { split, known, id, ids, there, embeddings } = self;
        let chunk = |((id, piece), place): ((&Uuid, &'a Piece), Place)| ChunkWrite {
            id: *id,
            section: &piece.section,
            level: piece.level,
            kind: piece.kind,
            unit: piece.unit,
            content: &split.document.text[piece.bytes.clone()],
            preamble: &piece.preamble,
            tokens: piece.tokens,
            bytes: place.bytes,
            lines: place.lines,
            imports: &piece.imports,
            exists: there.contains_key(id),
            preamble_changed: !is_current(there.get(id), piece),
            embedding: embeddings.get(id).map(Vec::as_slice),
        };
        let chunks = ids.iter().zip(&split.pieces).zip(split.places()).map(chunk).collect();
        let stays: HashSet<&Uuid> = ids.iter().collect();
        DocumentWrite {
            id: *id,
            existing: known.as_ref(),
            collection: &run.ingest.collection,
            version: &run.ingest.version,
            uri: &split.uri,
            title: split.document.title.as_deref(),
            media_type: split.document.media_type.name(),
            source_media_type: split.document.source_media_type.as_ref().map(MediaType::name),
            content_hash: &split.content_hash,
            metadata: &split.metadata,
            removed_chunks: there.keys().filter(|id| !stays.contains(id)).copied().collect(),
            with_embeddings: run.with_embeddings,
            chunks,
        }
    }
}
