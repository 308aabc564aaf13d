//! One document on its way through the pipeline.

use super::hash::content_hash;
use super::run::{Run, blocking, turn};
use super::{Event, Ingest, Outcome};
use crate::document::Reading;
use crate::embed::Embedding;
use crate::source::{Content, Item};
use crate::split::Piece;
use crate::store::{self, Chunk, Document, Known, KnownChunk, Written};
use crate::{Error, document, source};
use passage_core::{MediaType, SyntaxError, chunk_id, document_id};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

/// How often a document is tried when others write it at the same time, or have its id.
const ATTEMPTS: usize = 32;

/// A document that was read and split.
struct Split {
    uri: String,
    document: document::Document,
    content_hash: Vec<u8>,
    pieces: Vec<Piece>,
    /// What is known of it beside, a JSON object.
    metadata: Value,
}

/// A document with its chunks and embeddings, as compared with what the store has of it.
pub(super) struct Ready {
    split: Arc<Split>,
    known: Option<Known>,
    id: Uuid,
    ids: Vec<Uuid>,
    there: HashMap<Uuid, KnownChunk>,
    embeddings: HashMap<Uuid, Embedding>,
}

/// Ingests a document of which the store knows as much as `known` says.
pub(super) async fn ingest(
    run: &Arc<Run>,
    item: Item,
    mut known: Option<Known>,
) -> Result<Outcome, Error> {
    let turn = turn(&run.splitting).await;
    let reader = Arc::clone(run);
    let hash = known.as_ref().and_then(|known| known.content_hash.clone());
    let Some(split) = blocking(move || split(&reader.ingest, item, hash.as_deref())).await? else {
        return Ok(Outcome::Unchanged);
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
        let ids = chunk_ids(id, &split);
        let there = match &known {
            Some(known) => run.reader.known_chunks(known.id, run.with_embeddings).await?,
            None => HashMap::new(),
        };
        embed(run, &split, &ids, &there, &mut embeddings).await?;
        let split = Arc::clone(&split);
        let ready = Ready { split, known, id, ids, there, embeddings };
        let (ready, written) = run.loader.load(ready).await?;
        if written == Written::Done {
            let chunks = ready.ids.len();
            let kept = ready.ids.iter().filter(|id| ready.there.contains_key(id)).count();
            return Ok(match ready.known {
                Some(_) => Outcome::Replaced { chunks, kept },
                None => Outcome::Added { chunks },
            });
        }
        let Ready { split, known: before, .. } = ready;
        embeddings = ready.embeddings;
        let mut found = run.reader.known(collection, version, &[&split.uri]).await?;
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

/// Reads and splits a document, or finds that the store has it already.
fn split(ingest: &Ingest, item: Item, hash: Option<&[u8]>) -> Result<Option<Split>, Error> {
    let Item { uri, inside, origin, content, told } = item;
    let bytes = match content {
        Content::Bytes(bytes) => bytes,
        Content::File(path) => source::read(&path)?,
    };
    let reading = Reading {
        media_type: told.media_type.or_else(|| ingest.reading.media_type.clone()),
        title: told.title.or_else(|| ingest.reading.title.clone()),
        ..ingest.reading.clone()
    };
    let mut metadata = ingest.metadata.clone();
    metadata.extend(told.metadata);
    let content_hash = content_hash(ingest, &reading, &metadata, &uri, &bytes);
    if hash == Some(&content_hash) {
        return Ok(None);
    }
    let document = reading.read(bytes, &origin, &uri, inside.as_deref())?;
    let document::Document { text, media_type, kind, title, .. } = &document;
    let split = ingest.splitter.split(text, media_type, Some(*kind), title.as_deref())?;
    // Where the document is not what its media type says is known of it beside.
    if let Some(SyntaxError { line, column }) = split.syntax_error {
        let place = json!({ "line": line, "column": column });
        metadata.entry("syntax_error").or_insert(place);
    }
    let metadata = Value::Object(metadata);
    Ok(Some(Split { uri, document, content_hash, pieces: split.pieces, metadata }))
}

/// Returns the ids of a document's chunks, in document order.
fn chunk_ids(document: Uuid, split: &Split) -> Vec<Uuid> {
    let mut occurrences: HashMap<Uuid, u32> = HashMap::with_capacity(split.pieces.len());
    let id = |piece: &Piece| {
        let content = &split.document.text[piece.bytes.clone()];
        let first = chunk_id(document, &piece.section, content, 0);
        let earlier = occurrences.entry(first).and_modify(|earlier| *earlier += 1).or_insert(0);
        if *earlier == 0 { first } else { chunk_id(document, &piece.section, content, *earlier) }
    };
    split.pieces.iter().map(id).collect()
}

/// Tells whether a chunk's embedding in the store is, or would be, its own.
fn is_current(there: Option<&KnownChunk>, piece: &Piece) -> bool {
    there.is_some_and(|there| there.preamble.as_deref().unwrap_or_default() == piece.preamble)
}

/// Embeds the chunks that have no embedding yet, here or in the store.
async fn embed(
    run: &Run,
    split: &Arc<Split>,
    ids: &[Uuid],
    there: &HashMap<Uuid, KnownChunk>,
    embeddings: &mut HashMap<Uuid, Embedding>,
) -> Result<(), Error> {
    let Some(pool) = run.ingest.embedder.clone() else { return Ok(()) };
    let has = |id: &Uuid, piece| {
        let there = there.get(id);
        embeddings.contains_key(id)
            || (is_current(there, piece) && there.is_some_and(|there| there.embedded))
    };
    let _turn = turn(&run.embedding).await;
    let missing: Vec<usize> =
        (0..ids.len()).filter(|&ordinal| !has(&ids[ordinal], &split.pieces[ordinal])).collect();

    let (sender, mut pending) = mpsc::unbounded_channel();
    let texts = Arc::clone(split);
    // The queue of the model holds this thread back; it ends early when nobody waits any more.
    let submitting = tokio::task::spawn_blocking(move || {
        for ordinal in missing {
            let text = texts.pieces[ordinal].embedded_text(&texts.document.text);
            if sender.send((ordinal, pool.submit(text))).is_err() {
                break;
            }
        }
    });
    while let Some((ordinal, pending)) = pending.recv().await {
        embeddings.insert(ids[ordinal], pending.wait().await?);
        run.report(&Event::Embedded);
    }
    submitting.await.expect("submitting does not panic");
    Ok(())
}

impl Ready {
    /// Returns about how large it is.
    pub(super) fn bytes(&self) -> usize {
        self.split.document.text.len()
    }

    /// Returns the document as the store takes it.
    pub(super) fn document<'a>(&'a self, run: &'a Run) -> Document<'a> {
        let Self { split, known, id, ids, there, embeddings } = self;
        let chunk = |(id, piece): (&Uuid, &'a Piece)| Chunk {
            id: *id,
            section: &piece.section,
            level: piece.level,
            kind: piece.kind,
            unit: piece.unit,
            content: &split.document.text[piece.bytes.clone()],
            preamble: &piece.preamble,
            tokens: piece.tokens,
            bytes: piece.bytes.clone(),
            lines: piece.lines.clone(),
            imports: &piece.imports,
            known: there.contains_key(id),
            stale: !is_current(there.get(id), piece),
            embedding: embeddings.get(id).map(Vec::as_slice),
        };
        let chunks = ids.iter().zip(&split.pieces).map(chunk).collect();
        let stays: HashSet<&Uuid> = ids.iter().collect();
        Document {
            id: *id,
            known: known.as_ref(),
            collection: &run.ingest.collection,
            version: &run.ingest.version,
            uri: &split.uri,
            title: split.document.title.as_deref(),
            media_type: split.document.media_type.name(),
            source_media_type: split.document.source_media_type.as_ref().map(MediaType::name),
            content_hash: &split.content_hash,
            metadata: &split.metadata,
            gone: there.keys().filter(|id| !stays.contains(id)).copied().collect(),
            with_embeddings: run.with_embeddings,
            chunks,
        }
    }
}
