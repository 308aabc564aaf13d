//! What a source tells of a document, which goes before what is told of all of a run.

use super::Ingest;
use super::remembered::recipe;
use crate::Error;
use crate::document::{Document, MetadataOverrides};
use crate::source::{self, Ready, Told, Validators};
use crate::split::Piece;
use passage_core::{HashInput, Unit};
use serde_json::{Map, Value, json};
use std::ops::{Range, RangeInclusive};
use std::path::Path;

/// What is told of one document.
pub(super) struct Telling {
    pub(super) reading: MetadataOverrides,
    pub(super) metadata: Map<String, Value>,
}

/// Where a chunk is in the source, as far as it is known.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) bytes: Option<Range<usize>>,
    pub(super) lines: Option<RangeInclusive<usize>>,
}

/// Puts together what a source and the run tell.
pub(super) fn telling(ingest: &Ingest, told: Told) -> Telling {
    let run = ingest.reading.clone();
    let reading = MetadataOverrides {
        media_type: told.media_type.or(run.media_type),
        kind: told.kind.or(run.kind),
        title: told.title.or(run.title),
        base_url: told.base_url.or(run.base_url),
    };
    let mut metadata = ingest.metadata.clone();
    metadata.extend(told.metadata);
    if let Some(validators) = told.validators
        && validators != Validators::default()
    {
        let mut http = json!(validators);
        http["recipe"] = recipe(ingest).into();
        metadata.insert("http".into(), http);
    }
    Telling { reading, metadata }
}

/// Returns what the chunks of a document are made from.
pub(super) fn making<'a>(
    ingest: &'a Ingest,
    reading: &'a MetadataOverrides,
    metadata: &'a Map<String, Value>,
) -> HashInput<'a> {
    let Ingest { splitter, embedder, .. } = ingest;
    HashInput {
        overrides: reading,
        limits: splitter.limits(),
        unit: splitter.unit(),
        overlap: splitter.overlap(),
        code_as_text: false,
        model: embedder.as_ref().map(|embedder| embedder.name()),
        metadata,
    }
}

/// Returns what chunks that are ready are hashed as.
pub(super) fn hashed(chunks: &[Ready]) -> Vec<u8> {
    let mut hashed = Vec::new();
    for chunk in chunks {
        serde_json::to_writer(&mut hashed, &chunk.to_json()).expect("memory takes what is written");
        hashed.push(b'\n');
    }
    hashed
}

/// Makes a document of chunks that are ready; its text is theirs, one after the other.
pub(super) fn pieces(
    reading: &MetadataOverrides,
    chunks: Vec<Ready>,
    origin: &Path,
    uri: &str,
) -> Result<(Document, Vec<Piece>, Vec<Place>), Error> {
    let text: String = chunks.iter().map(|chunk| &*chunk.content).collect();
    let text = source::without_nul(text, origin)?;
    let document = reading.build_document_verbatim(text, uri);
    let (mut pieces, mut places) = (Vec::new(), Vec::new());
    let mut end = 0;
    for chunk in chunks {
        let start = end;
        end += chunk.content.len();
        pieces.push(Piece {
            level: chunk.level.unwrap_or(chunk.section.len() as u32),
            section: chunk.section,
            kind: chunk.kind.unwrap_or(document.kind),
            unit: chunk.unit.unwrap_or(Unit::Text),
            preamble: chunk.preamble,
            tokens: chunk.tokens.unwrap_or_else(|| chunk.content.chars().count().div_ceil(4)),
            bytes: start..end,
            lines: 1..=1,
            imports: chunk.imports,
        });
        places.push(Place { bytes: chunk.bytes, lines: chunk.lines });
    }
    Ok((document, pieces, places))
}
