//! Whole documents, and the beginnings of those of which nothing more is asked.

use super::Row;
use super::request::{Checked, places};
use super::telling::Telling;
use crate::spi::Connection;
use crate::store::{Named, Store};
use passage_core::fragments::{Fragment, FragmentLimits, Truncation, select_fragments, text_runs};
use std::collections::HashMap;

/// The most chunks that are read to show how a document begins.
const CHUNKS: i64 = 16;

/// The least tokens that a chunk is taken for when a whole document is read.
const CHUNK_TOKENS: u32 = 8;

impl Checked {
    /// Returns the document from its first line on, to its end or as far as the budget goes.
    pub(super) fn whole(&self, store: &Store, connection: &Connection, named: &Named) -> Vec<Row> {
        let most = i64::from(self.limits.max_tokens / CHUNK_TOKENS) + 1;
        self.first_lines(store, connection, named, most, "full", None)
    }

    /// Returns how the document begins.
    pub(super) fn beginning(
        &self,
        store: &Store,
        connection: &Connection,
        named: &Named,
    ) -> Vec<Row> {
        let hint = "nothing was asked, and nothing has the words of the uri: this is how the document begins";
        self.first_lines(store, connection, named, CHUNKS, "beginning", Some(hint))
    }

    fn first_lines(
        &self,
        store: &Store,
        connection: &Connection,
        named: &Named,
        most: i64,
        strategy: &'static str,
        hint: Option<&'static str>,
    ) -> Vec<Row> {
        if self.limits.max_fragments == 0 {
            return Vec::new();
        }
        let (mut read, more) = store.whole(connection, named.id, most);
        if let Some(last) = read.list.last_mut() {
            last.continues[1] = more;
        }
        let told = HashMap::from([(named.id, named.told.clone())]);
        let markdown = named.told.is_markdown();
        let text_runs = text_runs(&read.list, |_| markdown);
        let Some(first) = text_runs.first() else { return Vec::new() };
        // All lines that fit, those that are blank at either end among them.
        let mut lines = 0..0;
        let mut tokens = 0.0;
        for (place, line) in first.lines.iter().enumerate() {
            tokens += line.tokens;
            if !line.is_complete || tokens > f64::from(self.limits.max_tokens) {
                break;
            }
            lines.end = place + 1;
        }
        let telling = Telling { read: &read, text_runs: &text_runs, told: &told, strategy, hint };
        if lines.is_empty() {
            let hits: Vec<_> = places(&read, &text_runs).remove(&read.ids[0]).into_iter().collect();
            let limits = FragmentLimits { max_fragments: 1, ..self.limits };
            return telling.rows(
                &select_fragments(&text_runs, &hits, limits, &|lines| vec![0.0; lines.len()]),
                &[],
            );
        }
        let whole = !more && text_runs.len() == 1 && lines.end == first.lines.len();
        let bytes = 0..if whole { first.text.len() } else { first.text(lines.clone()).len() };
        let tokens = first.tokens(lines.clone()).ceil() as u32;
        let cut = (!whole).then_some(Truncation::Document);
        telling.rows(
            &[Fragment { text_run: 0, lines, bytes, tokens, hits: vec![0], truncation: cut }],
            &[],
        )
    }
}
