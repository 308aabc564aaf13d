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
    let is_run = |entries: &str| {
        let entries = entries.trim_start_matches(is_blank_or_comma).trim_end();
        let entries = entries.strip_suffix(',').unwrap_or(entries).trim_end();
        // Brackets around nothing, or around a second comma, would be JSON, but there is no entry.
        let has_entries = !entries.is_empty() && !entries.ends_with(',');
        let parses_in = |[open, close]: [&str; 2]| parses(&[open, entries, close].concat());
        has_entries && [["", ""], ["[", "]"], ["{", "}"]].into_iter().any(parses_in)
    };
    parses(text) || entries(text).is_some_and(is_run)
}

/// Returns the entries of the innermost container that a text is in, if nothing but brackets, keys and
/// commas is outside. Only opening brackets or only closing ones may be left over.
fn entries(text: &str) -> Option<&str> {
    let mut open: Vec<usize> = Vec::new();
    let mut closing = None;
    let mut is_string = false;
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_string,
            '"' => is_string = !is_string,
            _ if is_string => {}
            '{' | '[' => open.push(at),
            '}' | ']' if open.pop().is_none() => {
                closing.get_or_insert(at);
            }
            _ => {}
        }
    }
    if is_string {
        return None;
    }
    let Some(closing) = closing else {
        let Some(innermost) = open.last() else { return Some(text) };
        let (before, entries) = text.split_at(innermost + 1);
        return are_openings(before).then_some(entries);
    };
    let is_outside = |char: char| matches!(char, '}' | ']') || is_blank_or_comma(char);
    text[closing..].chars().all(is_outside).then_some(&text[..closing])
}

/// Returns whether a text is opening brackets, each perhaps with a comma and a key before it.
fn are_openings(text: &str) -> bool {
    let rest = text.trim_start_matches(is_blank_or_comma);
    if rest.is_empty() {
        return true;
    }
    let behind_key = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let behind_colon = behind_key.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    let bracket = behind_colon.map_or(rest, str::trim_start);
    bracket.strip_prefix(['{', '[']).is_some_and(are_openings)
}

fn is_blank_or_comma(char: char) -> bool {
    char == ',' || char.is_whitespace()
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
