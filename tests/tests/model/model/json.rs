//! JSON: a whole unit must be a JSON value; otherwise its hits fall back.

use super::choice::Choice;
use super::chunk::{Chunk, Section};
use super::claims::Whole;
use super::hit::Hit;
use super::strategy::WholeOf;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Returns the hits of JSON documents whose container was cut or is not a value.
///
/// "If any hit of the group was cut, or the text of all rows claimed for X by the group (ordinal
/// order, joined as assemble does) does not parse as one JSON value, every hit of the group falls
/// back." A group has the same X of the same document.
pub fn broken(hits: &[Hit], wholes: &[Option<Whole>], choice: &Choice) -> Vec<usize> {
    let mut groups: BTreeMap<(Uuid, &Section), Vec<usize>> = BTreeMap::new();
    for (i, (hit, whole)) in hits.iter().zip(wholes).enumerate() {
        if let Some(whole) = whole
            && hit.strategy.whole == WholeOf::Container
            && hit.document.is_json()
        {
            groups.entry((hit.document.id, &whole.section)).or_default().push(i);
        }
    }
    let is_broken = |group: &Vec<usize>| {
        let claimed = group.iter().filter_map(|i| wholes[*i].as_ref());
        let claimed = claimed.flat_map(|whole| whole.chunks.iter().copied());
        group.iter().any(|i| choice.cut[*i]) || !is_value(&text(claimed.collect()))
    };
    groups.into_values().filter(is_broken).flatten().collect()
}

/// Returns whether a text is one JSON value, with optional white space around it.
fn is_value(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Returns the text of chunks of a document. The common part of overlapping spans appears once. Structured
/// data has nothing between chunks.
fn text(mut chunks: Vec<&Chunk>) -> String {
    chunks.sort_by_key(|chunk| chunk.ordinal);
    chunks.dedup_by_key(|chunk| chunk.id);
    let mut text = String::new();
    let mut end: Option<i64> = None;
    for chunk in chunks {
        // A span whose length differs from that of the content is wrong.
        let own =
            chunk.span.clone().filter(|span| span.end - span.start == chunk.content.len() as i64);
        let (Some(span), Some(known_end)) = (own.clone(), end) else {
            text.push_str(&chunk.content);
            end = own.map(|span| span.end);
            continue;
        };
        if span.start > known_end {
            text.push_str(&chunk.content);
            end = Some(span.end);
        } else {
            let shared = known_end.min(span.end) - span.start;
            text.push_str(chunk.content.get(shared as usize..).unwrap_or(&chunk.content));
            end = Some(known_end.max(span.end));
        }
    }
    text
}
