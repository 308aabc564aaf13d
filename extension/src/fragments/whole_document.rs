//! Documents from their first line on: in full, or the beginning if nothing else was asked.

use super::ranking::positions;
use super::rows::{FragmentRow, RowBuilder};
use crate::server::spi::Connection;
use crate::store::{NamedDocument, Store};
use passage_core::fragments::{Fragment, FragmentLimits, Truncation, select_fragments, text_runs};
use std::collections::HashMap;

/// The maximum number of chunks that are read for the beginning of a document.
const BEGINNING_CHUNKS: i64 = 16;

/// The least tokens that a chunk is assumed to have when a whole document is read.
const MIN_CHUNK_TOKENS: u32 = 8;

/// The maximum number of bytes that a token is assumed to have.
const MAX_TOKEN_BYTES: i64 = 16;

/// Returns a document from its first line on, to its end or as far as the budget allows.
pub fn whole_document(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
) -> Vec<FragmentRow> {
    let chunks = max_chunks(limits);
    first_lines(store, connection, named, limits, chunks, "full", None, Extent::Any)
}

/// Returns a document in full if it fits into the budget, else nothing. `hint` precedes the one about this.
pub fn document_within(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
    hint: Option<&'static str>,
) -> Vec<FragmentRow> {
    let chunks = max_chunks(limits);
    let may_fit = named.info.chunks.is_some_and(|count| i64::from(count) <= chunks)
        && named
            .info
            .bytes
            .is_none_or(|bytes| i64::from(bytes) <= i64::from(limits.max_tokens) * MAX_TOKEN_BYTES);
    if !may_fit {
        return Vec::new();
    }
    let fits = "the whole document fits into max_tokens; return_full => false returns only the lines that answer";
    let hint = hint.or(Some(fits));
    first_lines(store, connection, named, limits, chunks, "full", hint, Extent::Whole)
}

/// Returns the maximum number of chunks that may fit into the budget.
fn max_chunks(limits: FragmentLimits) -> i64 {
    i64::from(limits.max_tokens / MIN_CHUNK_TOKENS) + 1
}

/// Returns the beginning of a document.
pub fn beginning(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
) -> Vec<FragmentRow> {
    let hint = "there is no query, and no chunk has the words of the uri, so this is the beginning of the document";
    first_lines(
        store,
        connection,
        named,
        limits,
        BEGINNING_CHUNKS,
        "beginning",
        Some(hint),
        Extent::Any,
    )
}

/// How much of a document must fit.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// As many lines as fit.
    Any,
    /// All lines or nothing.
    Whole,
}

#[expect(clippy::too_many_arguments, reason = "three callers, each with most of them")]
fn first_lines(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
    chunks: i64,
    strategy: &'static str,
    hint: Option<&'static str>,
    extent: Extent,
) -> Vec<FragmentRow> {
    if limits.max_fragments == 0 {
        return Vec::new();
    }
    let (mut read, more) = store.first_chunks(connection, named.id, chunks);
    if let Some(last) = read.list.last_mut() {
        last.continues[1] = more;
    }
    let documents = HashMap::from([(named.id, named.info.clone())]);
    let markdown = named.info.is_markdown();
    let text_runs = text_runs(&read.list, |_| markdown);
    let Some(first) = text_runs.first() else { return Vec::new() };
    // All lines that fit the budget, also blank lines at both ends.
    let mut lines = 0..0;
    let mut tokens = 0.0;
    for (index, line) in first.lines.iter().enumerate() {
        tokens += line.tokens;
        if !line.is_complete || tokens > f64::from(limits.max_tokens) {
            break;
        }
        lines.end = index + 1;
    }
    let whole = !more && text_runs.len() == 1 && lines.end == first.lines.len();
    if extent == Extent::Whole && !whole {
        return Vec::new();
    }
    let builder =
        RowBuilder { read: &read, text_runs: &text_runs, documents: &documents, strategy, hint };
    if lines.is_empty() {
        let hits: Vec<_> = positions(&read, &text_runs).remove(&read.ids[0]).into_iter().collect();
        let limits = FragmentLimits { max_fragments: 1, ..limits };
        return builder.rows(
            &select_fragments(&text_runs, &hits, limits, &|lines| vec![0.0; lines.len()]),
            &[],
        );
    }
    let bytes = 0..if whole { first.text.len() } else { first.text(lines.clone()).len() };
    let tokens = first.tokens(lines.clone()).ceil() as u32;
    let cut = (!whole).then_some(Truncation::Document);
    builder.rows(
        &[Fragment { text_run: 0, lines, bytes, tokens, hits: vec![0], truncation: cut }],
        &[],
    )
}
