//! Checks that the section of a JSON chunk names its entries in the parsed document.

use super::standalone::excerpt;
use passage_split::{Chunk, MediaType};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Returns the first chunk of a strict JSON document whose section does not name its entries.
///
/// A chunk that is a piece of a longer text has no whole entry and is not checked.
pub fn misnamed(text: &str, chunks: &[Chunk<'_>]) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    if has_equal_titles(&document) {
        return None;
    }
    let media_type = MediaType::new("application/json");
    let is_wrong = |chunk: &&Chunk<'_>| {
        assert_eq!(chunk.level as usize, chunk.section.len(), "{chunk:?}");
        let entries = excerpt(chunk.content, &media_type);
        // A cut text may happen to be JSON.
        let is_cut = chunks.iter().filter(|other| other.section == chunk.section).count() > 1
            && at(&document, &chunk.section[1..])
                .is_some_and(|value| !value.is_object() && !value.is_array());
        match serde_json::from_str(&entries) {
            Ok(_) if is_cut => false,
            Ok(entries) => {
                let has_keys = !chunk.content.trim_start().starts_with(['{', '['])
                    || !serde_json::from_str::<Value>(chunk.content)
                        .is_ok_and(|whole| whole == entries);
                !is_named(&document, &chunk.section[1..], &entries, has_keys)
            }
            Err(_) => false,
        }
    };
    let wrong = chunks.iter().find(is_wrong)?;
    Some(format!("{:?}: {}", wrong.section, wrong.content))
}

/// Returns the value of a section.
fn at<'v>(document: &'v Value, section: &[String]) -> Option<&'v Value> {
    section.iter().try_fold(document, |value, title| match value {
        Value::Array(items) => {
            items.get(title.strip_prefix('[')?.strip_suffix(']')?.parse::<usize>().ok()?)
        }
        Value::Object(entries) => of_title(entries, title),
        _ => None,
    })
}

/// Returns whether an object has two keys that differ only in the white space around them.
fn has_equal_titles(value: &Value) -> bool {
    match value {
        Value::Object(entries) => {
            let titles: HashSet<&str> = entries.keys().map(|key| key.trim()).collect();
            titles.len() < entries.len() || entries.values().any(has_equal_titles)
        }
        Value::Array(items) => items.iter().any(has_equal_titles),
        _ => false,
    }
}

/// Returns the entry of a title, which is a key without the white space around it.
fn of_title<'v>(entries: &'v Map<String, Value>, title: &str) -> Option<&'v Value> {
    entries
        .get(title)
        .or_else(|| entries.iter().find(|(key, _)| key.trim() == title).map(|(_, value)| value))
}

/// Returns whether a section is that of one entry, or of the container of several.
fn is_named(document: &Value, section: &[String], entries: &Value, is_excerpt: bool) -> bool {
    let Some(value) = at(document, section) else { return false };
    if value == entries {
        return true;
    }
    match (value, entries) {
        // One entry, with its key.
        (value, Value::Object(entries)) if is_excerpt && entries.len() == 1 => {
            of_title(entries, section.last().map_or("", String::as_str)) == Some(value)
        }
        (Value::Object(all), Value::Object(some)) if is_excerpt => {
            some.iter().all(|(key, entry)| all.get(key) == Some(entry))
        }
        (Value::Array(all), Value::Array(some)) if is_excerpt && some.len() > 1 => {
            all.windows(some.len()).any(|window| window == some)
        }
        _ => false,
    }
}
