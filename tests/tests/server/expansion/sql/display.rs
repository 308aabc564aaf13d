//! Answers, calls and documents as readable text.

use super::Store;
use super::query;
use crate::expansion::model::{Chunk, Document};
use crate::expansion::random::Call;
use serde_json::Value;
use std::fmt::Write;
use uuid::Uuid;

/// Formats a row of `expand_contexts`.
pub fn context(
    chunk: Uuid,
    role: &str,
    distance: i32,
    hit: Uuid,
    score: Option<f64>,
    decayed: Option<f64>,
) -> String {
    let (score, decayed) = (number(score), number(decayed));
    format!("{} {role} {distance} of {}, score {score}, decayed {decayed}", id(chunk), id(hit))
}

/// Formats a row of `reassemble`.
pub fn passage(
    rank: i32,
    score: Option<f64>,
    document: Uuid,
    chunks: &[Uuid],
    hits: &[Uuid],
    [truncated, complete]: [bool; 2],
) -> String {
    let ids = |ids: &[Uuid]| ids.iter().map(|one| id(*one)).collect::<Vec<_>>().join(" ");
    let score = number(score);
    format!(
        "{rank}. score {score}, document {}: [{}] hits [{}] truncated {truncated} complete {complete}",
        id(document),
        ids(chunks),
        ids(hits)
    )
}

/// Formats an id as the numbers of document and chunk.
fn id(id: Uuid) -> String {
    let (document, chunk) = id.as_u64_pair();
    match chunk >> 48 {
        0 => format!("{:x}/{chunk:x}", document >> 32),
        _ => format!("{:x}", document >> 32),
    }
}

/// Formats a score with as many digits as do not depend on the order of its summands.
fn number(number: Option<f64>) -> String {
    let rounded = |number: f64| (number * 1e9).round() / 1e9;
    number.map_or("NULL".to_owned(), |number| rounded(number).to_string())
}

/// Formats a call as SQL.
pub fn sql(call: &Call, store: &Store) -> String {
    let given = query::arguments(call).into_iter().filter(|(_, value)| !value.is_null());
    let given: Vec<_> =
        given.map(|(name, value)| format!("{name} => {}", literal(&value))).collect();
    let (function, given) = (call.function(), given.join(", "));
    format!("SELECT * FROM passage.{function}({given}, store => '{}')", store.schema)
}

/// Formats a value as SQL.
pub fn literal(value: &Value) -> String {
    let element = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    match value {
        Value::Array(values) => {
            format!("'{{{}}}'", values.iter().map(element).collect::<Vec<_>>().join(","))
        }
        Value::Null => "NULL".to_owned(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        value => format!("'{}'", element(value)),
    }
}

/// Formats the chunks of a document without their content.
pub fn document(document: &Document) -> String {
    let media_type = document.media_type.as_deref().unwrap_or("NULL");
    let mut text = format!("document {}, {media_type}\n", id(document.id));
    let mut chunks: Vec<&Chunk> = document.chunks.iter().collect();
    chunks.sort_by_key(|chunk| (chunk.ordinal.is_none(), chunk.ordinal));
    for chunk in chunks {
        let ordinal = chunk.ordinal.map_or("NULL".to_owned(), |ordinal| ordinal.to_string());
        let level = chunk.level.map_or("NULL".to_owned(), |level| level.to_string());
        let Chunk { section, unit, kind, span, .. } = chunk;
        let [unit, kind] = [unit, kind].map(|name| name.as_deref().unwrap_or("NULL"));
        let cost = chunk.cost();
        writeln!(
            text,
            "  {} ordinal {ordinal} level {level} {section:?} {unit} {kind} tokens {cost} span {span:?}",
            id(chunk.id)
        )
        .expect("a text can be written");
    }
    text
}
