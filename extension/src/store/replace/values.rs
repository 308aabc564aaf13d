//! What the statements of replacing a document are given.

use super::Written;
use crate::document::Split;
use crate::interrupt::pause;
use crate::spi::Value;
use crate::types::to_sql;
use passage_core::{Chunk, SizeUnit, chunk_metadata, document_metadata};
use serde_json::Map;
use uuid::Uuid;

/// The values that both INSERT and UPDATE of a document begin with.
pub(super) fn told(written: &Written<'_>, id: Uuid, split: &Split<'_>) -> Vec<Value> {
    let document = written.document;
    let source = document.source_media_type.as_ref().map(|of| of.name().to_owned());
    // What is told goes through as it came, for its numbers may be longer than ours.
    let found = document_metadata(&Map::new(), split.syntax_error).to_string();
    vec![
        Value::new(to_sql(id)),
        Value::new(document.title.clone()),
        Value::new(document.media_type.name()),
        Value::new(source),
        Value::new(written.content_hash.as_slice()),
        Value::new(split.chunks.len() as i32),
        Value::new(found),
        Value::new(written.metadata.as_str()),
    ]
}

/// The values that say where chunks are, and what is known of them beside what their ids stand for.
pub(super) fn placed(ids: &[Uuid], chunks: &[Chunk<'_>], places: &[usize]) -> Vec<Value> {
    let number = |of: fn(&Chunk<'_>) -> usize| {
        Value::new(places.iter().map(|&at| of(&chunks[at]) as i32).collect::<Vec<_>>())
    };
    let metadata = |(count, &at): (usize, &usize)| {
        pause(count);
        chunk_metadata(&chunks[at].imports).to_string()
    };
    vec![
        Value::new(places.iter().map(|&at| to_sql(ids[at])).collect::<Vec<_>>()),
        Value::new(places.iter().map(|&at| at as i32).collect::<Vec<_>>()),
        number(|chunk| chunk.level as usize),
        Value::new(places.iter().map(|&at| chunks[at].kind.name()).collect::<Vec<_>>()),
        Value::new(places.iter().map(|&at| chunks[at].unit.name()).collect::<Vec<_>>()),
        Value::new(places.iter().map(|&at| chunks[at].preamble.as_str()).collect::<Vec<_>>()),
        number(|chunk| SizeUnit::Characters.tokens(chunk.size)),
        number(|chunk| chunk.bytes.start),
        number(|chunk| chunk.bytes.end),
        number(|chunk| *chunk.lines.start()),
        number(|chunk| *chunk.lines.end()),
        Value::new(places.iter().enumerate().map(metadata).collect::<Vec<_>>()),
    ]
}

/// The values that a new chunk has besides.
pub(super) fn content(chunks: &[Chunk<'_>], places: &[usize]) -> [Value; 2] {
    let sections: Vec<_> = places.iter().map(|&at| literal(&chunks[at].section)).collect();
    let contents: Vec<_> = places.iter().map(|&at| chunks[at].content).collect();
    [Value::new(sections), Value::new(contents)]
}

/// A section as PostgreSQL writes an array: `unnest` takes arrays of arrays apart.
fn literal(section: &[String]) -> String {
    let titles = section
        .iter()
        .map(|title| format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", titles.collect::<Vec<_>>().join(","))
}
