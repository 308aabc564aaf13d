//! JSON: a whole unit must be a JSON value; otherwise its hits fall back.

use super::choice::Choice;
use super::chunk::Chunk;
use super::claims::{Whole, record};
use super::hit::Hit;
use super::strategy::WholeOf;
use std::collections::BTreeMap;

/// Returns the hits of JSON documents whose unit was cut or is not a value.
///
/// "If any hit of the group was cut, or the text of all rows claimed for X by the group (ordinal
/// order, joined as assemble does) does not parse as one JSON value, every hit of the group falls
/// back." A group has the same X of the same document.
pub fn broken(hits: &[Hit], wholes: &[Option<Whole>], choice: &Choice) -> Vec<usize> {
    let is_one = |hit: &Hit| hit.document.is_json() && !record::applies(hit);
    let is_broken = |group: &Vec<usize>| {
        group.iter().any(|i| choice.cut[*i]) || !is_value(&text(claimed(group, wholes)))
    };
    groups(hits, wholes, is_one).into_iter().filter(is_broken).flatten().collect()
}

/// Returns the hits whose record was cut, or is JSON but no value, and whether it was cut.
pub fn rejected(hits: &[Hit], wholes: &[Option<Whole>], choice: &Choice) -> Vec<(usize, bool)> {
    let groups = groups(hits, wholes, record::applies).into_iter();
    let rejected = groups.filter_map(|group| {
        let is_lost = group.iter().any(|i| choice.lost[*i]);
        let is_json = hits[group[0]].document.is_json();
        let is_rejected = is_lost || is_json && !is_value(&text(claimed(&group, wholes)));
        is_rejected.then(|| group.into_iter().map(move |hit| (hit, is_lost)))
    });
    rejected.flatten().collect()
}

/// Returns the hits with a container that share their whole unit, if they meet a condition.
fn groups(
    hits: &[Hit],
    wholes: &[Option<Whole>],
    is_one: impl Fn(&Hit) -> bool,
) -> Vec<Vec<usize>> {
    let mut groups = BTreeMap::new();
    for (i, (hit, whole)) in hits.iter().zip(wholes).enumerate() {
        if let Some(whole) = whole
            && hit.strategy.whole == WholeOf::Container
            && is_one(hit)
        {
            let group: &mut Vec<usize> =
                groups.entry((hit.document.id, whole.identity())).or_default();
            group.push(i);
        }
    }
    groups.into_values().collect()
}

fn claimed<'a>(group: &[usize], wholes: &[Option<Whole<'a>>]) -> Vec<&'a Chunk> {
    let wholes = group.iter().filter_map(|i| wholes[*i].as_ref());
    wholes.flat_map(|whole| whole.chunks.iter().copied()).collect()
}

/// Returns whether a text is JSON, or whole entries of one container with the brackets and commas around
/// them. A comma may follow a last entry.
pub fn is_value(text: &str) -> bool {
    let parses = |text: &str| {
        let text = without_last_commas(text);
        serde_json::from_str::<serde_json::Value>(&text).is_ok()
    };
    let is_run = |text: &str| {
        [["", ""], ["[", "]"], ["{", "}"]]
            .iter()
            .any(|[open, close]| parses(&[open, text.trim(), close].concat()))
    };
    if parses(text) {
        return true;
    }
    // Only opening brackets or only closing ones may be left over.
    let without_comma = |text: &str| {
        let text = text.trim_end();
        is_run(text.strip_suffix(',').unwrap_or(text))
    };
    without_openings(text).into_iter().any(without_comma)
        || without_closings(text).iter().any(|text| is_run(text))
}

/// Returns the rests of a text after brackets, keys and commas at its beginning.
fn without_openings(text: &str) -> Vec<&str> {
    let behind_key = |text: &'_ str| -> Option<usize> {
        let key = text.strip_prefix('"')?.find('"')? + 2;
        text[key..].starts_with(':').then_some(key + 1)
    };
    let mut rests = vec![text.trim_start()];
    loop {
        let rest = rests[rests.len() - 1];
        let is_opening = rest.starts_with(['{', '[', ',']);
        let skipped = if is_opening { Some(1) } else { behind_key(rest) };
        let Some(skipped) = skipped else { return rests };
        rests.push(rest[skipped..].trim_start());
    }
}

/// Returns the rests of a text before brackets and commas at its end.
fn without_closings(text: &str) -> Vec<&str> {
    let mut rests = Vec::new();
    let mut rest = text.trim_end();
    while let Some(shorter) = rest.strip_suffix(['}', ']', ',']) {
        rest = shorter.trim_end();
        rests.push(rest);
        // Only one comma follows an entry.
        rests.extend(rest.strip_suffix(',').filter(|rest| !rest.ends_with(',')));
    }
    rests
}

/// Removes the commas before closing brackets. No text of these tests has such a comma in a string.
fn without_last_commas(text: &str) -> String {
    let mut result = String::new();
    for char in text.chars() {
        let entry = result.trim_end().strip_suffix(',').map(str::trim_end);
        let is_last =
            entry.is_some_and(|entry| !entry.is_empty() && !entry.ends_with(['{', '[', ',']));
        if matches!(char, '}' | ']') && is_last {
            result.truncate(result.trim_end().len() - 1);
        }
        result.push(char);
    }
    result
}

/// Returns the text of chunks of a document. The common part of overlapping spans appears once. Structured
/// data has nothing between chunks.
pub fn text(mut chunks: Vec<&Chunk>) -> String {
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
