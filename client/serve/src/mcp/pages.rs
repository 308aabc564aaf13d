//! Passages of a search, and pages of fragments.
//!
//! The next passages of a search are those of the same call with the chunks that were shown in `skip`. Fragments have no
//! context: their pages are parts of one list.

use super::arguments::Page;
use super::parts::parts;
use super::results::{CitedPassage, PassageRow, Passages, note, parse_rows};
use crate::error::Error;
use crate::reader::Reader;
use crate::reader::search::Searched;
use passage_store::{CallResult, Notice};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The maximum number of fragments on all pages together.
const MAX_RESULTS: usize = 100;
/// The largest budget that the extension takes.
const MAX_TOKENS: u32 = 1_000_000;

/// Returns the passages of a search. `arguments` are those of the function.
pub(super) async fn search(
    reader: &Reader,
    arguments: Map<String, Value>,
    page: Page,
) -> Result<Passages, Error> {
    let Searched { result, is_reranked } = reader.search(&arguments, None).await?;
    let passages = read_passages(&result)?;
    let mut notes = notes_with_context(&result.notices, &passages, page.max_tokens);
    if passages.iter().filter(|passage| passage.has_hits()).count() == page.limit as usize {
        notes.push(OTHER_PASSAGES.into());
    }
    Ok(Passages { passages, reranked: is_reranked, next_offset: None, notes })
}

/// A row of `similar`.
#[derive(Deserialize)]
struct SimilarRow {
    chunk_id: String,
    score: f64,
}

/// Returns the passages of similar chunks. `original` is the argument for what they are compared with.
pub(super) async fn similar(
    reader: &Reader,
    mut original: Map<String, Value>,
    page: Page,
) -> Result<Passages, Error> {
    original.insert("max_hits".into(), page.limit.into());
    let found = reader.call("similar", &original).await?;
    let (ids, scores): (Vec<_>, Vec<_>) =
        parse_rows::<SimilarRow>(&found)?.into_iter().map(|row| (row.chunk_id, row.score)).unzip();
    let arguments = json!({
        "chunk_ids": ids, "scores": scores, "max_passages": page.limit, "max_tokens": page.max_tokens,
    });
    let joined = reader.call("reassemble", arguments.as_object().expect("it is an object")).await?;
    let passages = read_passages(&joined)?;
    let notices = [found.notices, joined.notices].concat();
    let notes = notes_with_context(&notices, &passages, page.max_tokens);
    Ok(Passages { passages, reranked: false, next_offset: None, notes })
}

/// The note for as many passages as were asked for, because there may be others.
const OTHER_PASSAGES: &str = "there may be other passages: call search again with skip, the chunk_ids of the passages that you have";

/// The note for passages whose context is cut.
const CUT_CONTEXT: &str = "context was left out (truncated); for more, call read_passage with a chunk_id \
    and a larger max_tokens, or with uri, first_line and last_line";

/// Reads the rows of a call.
fn read_passages(result: &CallResult) -> Result<Vec<CitedPassage>, Error> {
    Ok(parse_rows::<PassageRow>(result)?.into_iter().map(CitedPassage::from_row).collect())
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

/// Returns a page of fragments. `query` has the question, the document and the collection.
pub(super) async fn fragments(
    reader: &Reader,
    mut query: Map<String, Value>,
    page: Page,
) -> Result<Passages, Error> {
    query.insert("max_fragments".into(), MAX_RESULTS.into());
    query.insert("max_tokens".into(), MAX_TOKENS.into());
    // A named document would be returned as a whole if it fits.
    query.insert("return_full".into(), false.into());
    let result = reader.call("fragments", &query).await?;
    let found = read_passages(&result)?;
    let is_capped = found.len() == MAX_RESULTS;
    let all: Vec<CitedPassage> =
        found.iter().flat_map(|passage| parts(passage, page.max_tokens)).collect();
    let rest = all.get(page.offset as usize..).unwrap_or_default();
    let taken = fitting(rest.iter().map(|passage| passage.tokens), page);
    let passages = rest[..taken].to_vec();
    let next_offset = (taken < rest.len()).then_some(page.offset + taken as u32);
    let mut notes = notes(&result.notices, &passages, page.max_tokens);
    notes.extend(passages.iter().filter(|passage| passage.truncated).map(cut_line));
    if is_capped && next_offset.is_none() {
        notes.push(format!(
            "fragments finds the best {MAX_RESULTS} fragments; ask a narrower question for others"
        ));
    }
    Ok(Passages { passages, reranked: false, next_offset, notes })
}

/// Returns the note for a line that alone exceeds the budget.
fn cut_line(passage: &CitedPassage) -> String {
    match (&passage.uri, passage.first_line) {
        (Some(_), Some(line)) => format!(
            "line {line} is cut at max_tokens; read it with read_passage, its uri, first_line {line}, last_line {line} and a \
             larger max_tokens"
        ),
        _ => "a line is cut at max_tokens; call again with a larger max_tokens".into(),
    }
}

/// Returns notices as notes, with a note if the passages exceed the budget.
fn notes(notices: &[Notice], passages: &[CitedPassage], max_tokens: u32) -> Vec<String> {
    notices.iter().map(note).chain(over_budget(passages, max_tokens)).collect()
}

/// Returns the notes on passages whose context may be cut.
pub(super) fn notes_with_context(
    notices: &[Notice],
    passages: &[CitedPassage],
    max_tokens: u32,
) -> Vec<String> {
    let mut notes = notes(notices, passages, max_tokens);
    if passages.iter().any(|passage| passage.truncated) {
        notes.push(CUT_CONTEXT.into());
    }
    notes
}

/// Returns a note if the passages exceed a budget, because hits are never cut.
fn over_budget(passages: &[CitedPassage], max_tokens: u32) -> Option<String> {
    let tokens: i64 = passages.iter().map(|passage| passage.tokens).sum();
    (tokens > i64::from(max_tokens))
        .then(|| format!("the result has {tokens} tokens, because a hit is never cut"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(limit: u32, max_tokens: u32) -> Page {
        Page::new((None, 0), (Some(limit), 1), (Some(max_tokens), 1)).unwrap()
    }

    #[test]
    fn as_many_hits_are_taken_as_fit_but_at_least_one() {
        let count = |limit, max_tokens| fitting([40, 50, 20].into_iter(), page(limit, max_tokens));
        assert_eq!(count(5, 100), 2);
        assert_eq!(count(1, 100), 1);
        assert_eq!(count(5, 10), 1);
        assert_eq!(count(5, 500), 3);
        assert_eq!(fitting([].into_iter(), page(5, 500)), 0);
    }
}
