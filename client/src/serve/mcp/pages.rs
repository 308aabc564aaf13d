//! Pages of search results.
//!
//! The first page is the result of the function with the budget of the page. Its size decides which context the
//! passages have, so a later page is not a later part of a larger result. A later page has the hits that the first
//! page does not contain, each once.

use super::super::error::Error;
use super::super::reader::Reader;
use super::arguments::Page;
use super::results::{Passage, Passages, note};
use crate::store::{CallResult, Notice};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The maximum number of hits and of fragments on all pages together.
const MAX_RESULTS: usize = 100;
/// The largest budget that the extension takes.
const MAX_TOKENS: u32 = 1_000_000;

/// Returns a page of passages. `query` has the question and the filters, `strategy` the context.
pub(super) async fn search(
    reader: &Reader,
    query: Map<String, Value>,
    strategy: Option<&str>,
    page: Page,
) -> Result<Passages, Error> {
    // The question is embedded once for all calls.
    let query = reader.with_embedding("search", query).await?;
    let mut arguments = query.clone();
    arguments.insert("max_passages".into(), page.limit.into());
    arguments.insert("max_tokens".into(), page.max_tokens.into());
    add_strategy(&mut arguments, strategy);
    let first = reader.call("search", &arguments).await?;

    let mut arguments = query;
    arguments.insert("max_hits".into(), MAX_RESULTS.into());
    let hits = reader.call("search_hits", &arguments).await?;
    let (rows, mut notices) = (first.values(), first.notices);
    extend(&mut notices, hits.notices.clone());
    let shown = chunk_ids(&rows);
    let rest: Vec<Hit> = hits.values().iter().filter_map(Hit::from_row).collect();
    let rest: Vec<Hit> = rest.into_iter().filter(|hit| !shown.contains(&hit.id)).collect();
    if page.offset == 0 {
        let next_offset = (!rest.is_empty()).then_some(1);
        return Ok(passages(&rows, next_offset, &notices, page));
    }

    let rest = rest.get(page.offset as usize - 1..).unwrap_or_default();
    let taken = &rest[..fitting(rest.iter().map(|hit| hit.tokens), page)];
    if taken.is_empty() {
        return Ok(passages(&[], None, &notices, page));
    }
    let mut arguments = Map::new();
    arguments.insert("chunk_ids".into(), taken.iter().map(|hit| hit.id.as_str()).collect());
    arguments.insert("scores".into(), taken.iter().map(|hit| hit.score).collect());
    arguments.insert("max_tokens".into(), page.max_tokens.into());
    add_strategy(&mut arguments, strategy);
    let result = reader.call("reassemble", &arguments).await?;
    let rows = result.values();
    extend(&mut notices, result.notices);
    // The context of this page may contain the next hits.
    let shown = chunk_ids(&rows);
    let contained = rest[taken.len()..].iter().take_while(|hit| shown.contains(&hit.id)).count();
    let consumed = taken.len() + contained;
    let next_offset = (consumed < rest.len()).then_some(page.offset + consumed as u32);
    Ok(passages(&rows, next_offset, &notices, page))
}

fn add_strategy(arguments: &mut Map<String, Value>, strategy: Option<&str>) {
    if let Some(strategy) = strategy {
        arguments.insert("strategy".into(), strategy.into());
    }
}

/// A hit without its text.
struct Hit {
    id: String,
    score: f64,
    tokens: i64,
}

impl Hit {
    fn from_row(row: &Value) -> Option<Self> {
        let tokens = row["tokens"].as_i64().unwrap_or(0);
        Some(Self {
            id: row["chunk_id"].as_str()?.to_owned(),
            score: row["score"].as_f64()?,
            tokens,
        })
    }
}

/// Returns how many results fit in a page, given their tokens; at least one if there are results.
fn fitting(results: impl ExactSizeIterator<Item = i64>, page: Page) -> usize {
    let (all, mut sum) = (results.len(), 0);
    let fits = |tokens: &i64| {
        sum += tokens;
        sum <= i64::from(page.max_tokens)
    };
    results.take(page.limit as usize).take_while(fits).count().max(1).min(all)
}

fn chunk_ids(rows: &[Value]) -> HashSet<String> {
    let ids = rows.iter().flat_map(|row| row["chunk_ids"].as_array().into_iter().flatten());
    ids.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

/// Returns a page of fragments. `query` has the question, the document and the collection.
pub(super) async fn fragments(
    reader: &Reader,
    query: Map<String, Value>,
    page: Page,
) -> Result<Passages, Error> {
    let query = reader.with_embedding("fragments", query).await?;
    let call = async |limit: usize, max_tokens: u32| {
        let mut arguments = query.clone();
        arguments.insert("max_fragments".into(), limit.into());
        arguments.insert("max_tokens".into(), max_tokens.into());
        reader.call("fragments", &arguments).await
    };
    let first: CallResult = call(page.limit as usize, page.max_tokens).await?;
    let all: CallResult = call(MAX_RESULTS, MAX_TOKENS).await?;
    let (first, mut notices) = (first.values(), first.notices);
    extend(&mut notices, all.notices.clone());
    let rest: Vec<Value> = all
        .values()
        .into_iter()
        .filter(|row| !first.iter().any(|shown| overlap(shown, row)))
        .collect();
    if page.offset == 0 {
        let next_offset = (!rest.is_empty()).then_some(1);
        return Ok(passages(&first, next_offset, &notices, page));
    }
    let rest = rest.get(page.offset as usize - 1..).unwrap_or_default();
    let taken = fitting(rest.iter().map(|row| row["tokens"].as_i64().unwrap_or(0)), page);
    let next_offset = (taken < rest.len()).then_some(page.offset + taken as u32);
    Ok(passages(&rest[..taken], next_offset, &notices, page))
}

/// Returns whether two fragments have a line in common.
fn overlap(one: &Value, other: &Value) -> bool {
    let lines = |row: &Value| Some((row["first_line"].as_i64()?, row["last_line"].as_i64()?));
    one["document_id"] == other["document_id"]
        && match (lines(one), lines(other)) {
            (Some(one), Some(other)) => one.0 <= other.1 && other.0 <= one.1,
            _ => one["content"] == other["content"],
        }
}

/// Adds notices that are not among them.
fn extend(notices: &mut Vec<Notice>, more: Vec<Notice>) {
    for notice in more {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}

/// Returns rows as passages, with a note if a single one exceeds the budget.
fn passages(rows: &[Value], next_offset: Option<u32>, notices: &[Notice], page: Page) -> Passages {
    let passages: Vec<Passage> = rows.iter().map(Passage::from_row).collect();
    let mut notes: Vec<String> = notices.iter().map(note).collect();
    notes.extend(over_budget(&passages, page.max_tokens));
    Passages { passages, next_offset, notes }
}

/// Returns a note if the passages exceed a budget, because hits are never cut.
pub(super) fn over_budget(passages: &[Passage], max_tokens: u32) -> Option<String> {
    let tokens: i64 = passages.iter().map(|passage| passage.tokens).sum();
    (tokens > i64::from(max_tokens))
        .then(|| format!("the result has {tokens} tokens, because a hit is never cut"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page(limit: u32, max_tokens: u32) -> Page {
        Page::new(None, (Some(limit), 1), (Some(max_tokens), 1)).unwrap()
    }

    #[test]
    fn as_many_hits_are_taken_as_fit_but_at_least_one() {
        let of = |limit, max_tokens| fitting([40, 50, 20].into_iter(), page(limit, max_tokens));
        assert_eq!(of(5, 100), 2);
        assert_eq!(of(1, 100), 1);
        assert_eq!(of(5, 10), 1);
        assert_eq!(of(5, 500), 3);
        assert_eq!(fitting([].into_iter(), page(5, 500)), 0);
    }

    #[test]
    fn fragments_overlap_if_they_share_a_line() {
        let row = |document: &str, first, last| json!({"document_id": document, "first_line": first, "last_line": last, "content": ""});
        assert!(overlap(&row("a", 1, 5), &row("a", 5, 9)));
        assert!(!overlap(&row("a", 1, 5), &row("a", 6, 9)));
        assert!(!overlap(&row("a", 1, 5), &row("b", 1, 5)));
    }
}
