//! Documents from their first line on: in full, or the beginning if nothing else was asked.

use super::ranking::positions;
use super::rows::{FragmentRow, RowBuilder};
use crate::spi::Connection;
use crate::store::{NamedDocument, Store};
use passage_core::fragments::{Fragment, FragmentLimits, Truncation, select_fragments, text_runs};
use std::collections::HashMap;

/// The most chunks that are read for the beginning of a document.
const BEGINNING_CHUNKS: i64 = 16;

/// The least tokens that a chunk is assumed to have when a whole document is read.
const MIN_CHUNK_TOKENS: u32 = 8;

/// Returns a document from its first line on, to its end or as far as the budget allows.
pub fn whole_document(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
) -> Vec<FragmentRow> {
    let chunks = i64::from(limits.max_tokens / MIN_CHUNK_TOKENS) + 1;
    first_lines(store, connection, named, limits, chunks, "full", None)
}

/// Returns the beginning of a document.
pub fn beginning(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
) -> Vec<FragmentRow> {
    let hint = "there is no query, and no chunk has the words of the uri, so this is the beginning of the document";
    first_lines(store, connection, named, limits, BEGINNING_CHUNKS, "beginning", Some(hint))
}

fn first_lines(
    store: &Store,
    connection: &Connection,
    named: &NamedDocument,
    limits: FragmentLimits,
    chunks: i64,
    strategy: &'static str,
    hint: Option<&'static str>,
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
    let whole = !more && text_runs.len() == 1 && lines.end == first.lines.len();
    let bytes = 0..if whole { first.text.len() } else { first.text(lines.clone()).len() };
    let tokens = first.tokens(lines.clone()).ceil() as u32;
    let cut = (!whole).then_some(Truncation::Document);
    builder.rows(
        &[Fragment { text_run: 0, lines, bytes, tokens, hits: vec![0], truncation: cut }],
        &[],
    )
}
