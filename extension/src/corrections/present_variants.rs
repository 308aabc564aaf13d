/*!
Selection of the corrections that the chunks of a store have.

A word counts only if a chunk that the caller reads has it. So words of chunks that a policy hides change nothing.

Its twin in SQL is `sql/edition/corrections.sql`.
*/

use crate::server::spi::Connection;
use crate::store::{ChunkLexemes, Filters, MAX_MATCHING, Store};
use passage_core::fragments::TermVariant;
use passage_core::search::quote_lexeme;
use passage_split::interrupt::poll_periodically as pause;
use std::collections::HashSet;
use uuid::Uuid;

/// The maximum number of statements that look for corrections of a word.
const MAX_ROUNDS: usize = 3;

/// The maximum number of chunks that are read for corrections under row-level security.
const MAX_VISIBLE: usize = 20_000;

/// Returns those variants that chunks which the caller may read have, with these chunks.
pub fn present_variants<'c>(
    store: &Store,
    connection: &'c Connection,
    filters: &Filters,
    variants: Vec<TermVariant>,
    required: &str,
) -> (Vec<TermVariant>, Vec<(Uuid, ChunkLexemes<'c>)>) {
    let read = if store.has_policies() { visible_variants } else { indexed_variants };
    read(store, connection, filters, variants, required)
}

/// Returns those variants that chunks have, with these chunks, by the full-text index.
///
/// The chunks of one statement are limited, and common words may take all of them. So the others are
/// searched again without these words.
fn indexed_variants<'c>(
    store: &Store,
    connection: &'c Connection,
    filters: &Filters,
    mut variants: Vec<TermVariant>,
    required: &str,
) -> (Vec<TermVariant>, Vec<(Uuid, ChunkLexemes<'c>)>) {
    let (mut present, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..MAX_ROUNDS {
        if variants.is_empty() {
            break;
        }
        let any = variants.iter().map(|variant| quote_lexeme(&variant.lexeme));
        let any = any_of(any, required);
        let found = store.matching_lexemes(connection, Some(&any), filters, MAX_MATCHING);
        let has = |variant: &TermVariant| found.iter().any(|(_, row)| row.tsv.has(&variant.lexeme));
        let (new, rest): (Vec<_>, Vec<_>) = variants.into_iter().partition(has);
        let is_complete = new.is_empty() || found.len() < MAX_MATCHING;
        present.extend(new);
        rows.extend(found);
        if is_complete {
            break;
        }
        variants = rest;
    }
    (present, rows)
}

/// Returns those variants that chunks have, with these chunks, in a store with policies.
///
/// A policy excludes the full-text index, and hundreds of words would be compared with every chunk. So the
/// lexemes of the chunks are read and looked up in the words.
fn visible_variants<'c>(
    store: &Store,
    connection: &'c Connection,
    filters: &Filters,
    mut variants: Vec<TermVariant>,
    required: &str,
) -> (Vec<TermVariant>, Vec<(Uuid, ChunkLexemes<'c>)>) {
    let required = Some(required).filter(|required| !required.is_empty());
    let mut rows = store.matching_lexemes(connection, required, filters, MAX_VISIBLE);
    let words: HashSet<_> = variants.iter().map(|variant| variant.lexeme.as_str()).collect();
    let mut present = HashSet::new();
    let mut count = 0;
    rows.retain(|(_, row)| {
        pause(count);
        count += 1;
        let mut has_any = false;
        row.tsv.with_prefix("", |lexeme, _| {
            if words.contains(lexeme) {
                has_any = true;
                present.insert(lexeme);
            }
        });
        has_any
    });
    variants.retain(|variant| present.contains(variant.lexeme.as_str()));
    (variants, rows)
}

/// Returns a `tsquery` for any of some terms, and for the required phrases.
pub fn any_of(terms: impl Iterator<Item = String>, required: &str) -> String {
    let any = terms.collect::<Vec<_>>().join("|");
    if required.is_empty() { any } else { format!("({any})&{required}") }
}
