/*!
Words in one document.

All its chunks are looked at: a word that begins with one of the query counts, too, and for a word that
nothing has the whole vocabulary is gone through.
*/

use super::super::read::Read;
use super::{Sought, still_lost, wholes};
use crate::spi::Connection;
use crate::store::{Named, Store, Words};
use passage_core::fragments::{
    FragmentCandidate, QueryTerms, can_be_prefix, similar_words, unmatched_words,
};
use passage_core::search::bm25::Idf;
use passage_core::search::{QueryLexemes, SearchQuery, quote_lexeme};
use std::collections::HashSet;

/// Up to how many chunks of a document all are looked at.
const ALL: i32 = 10_000;

impl Sought {
    /// Finds what a document has.
    pub(super) fn in_document(
        store: &Store,
        connection: &Connection,
        named: &Named,
        query: &SearchQuery,
        threshold: f64,
    ) -> Self {
        let asked = store.ask(connection, query);
        let (lexemes, required) = (asked.lexemes, asked.required);
        if lexemes.list.is_empty() {
            return Self::nothing();
        }
        let (document, chunks) = (named.id, named.told.chunks);
        let required = Some(required).filter(|required| !required.is_empty());
        // Of a document that is not long, to look at all chunks costs less than to match them first.
        let all = chunks.is_some_and(|chunks| chunks <= ALL);
        let matching =
            if all { required.clone() } else { Some(any(&lexemes, required.as_deref())) };
        let mut rows = store.words_of(connection, document, matching.as_deref());

        let mut read = Read::new(&lexemes);
        for row in &rows {
            read.add(row);
        }
        let present = read.present();
        let lost = unmatched_words(&lexemes, |lexeme| present.contains(&lexeme));
        if !lost.is_empty() && threshold > 0.0 {
            if !all {
                rows = store.words_of(connection, document, required.as_deref());
                read = Read::new(&lexemes);
                for row in &rows {
                    read.add(row);
                }
            }
            let mut vocabulary = HashSet::new();
            for row in &rows {
                row.tsv.beginning("", |lexeme, _| _ = vocabulary.insert(lexeme));
            }
            let alike = similar_words(&lexemes, &wholes(&lexemes, &lost), vocabulary, threshold);
            read.add_variants(alike, &rows);
        }
        let Read { variants, candidates, frequencies, .. } = read;
        let mut sought = Self::nothing();
        for (Words { id, ordinal, section, .. }, words) in rows.iter().zip(candidates) {
            let (ordinal, section) = (*ordinal, section.map(|of| (document.as_u128(), of)));
            sought.placed.insert(*id, (ordinal, section));
            if !words.occurrences.is_empty() {
                sought.ids.push(*id);
                sought.found.push(FragmentCandidate { words, ordinal, similarity: None, section });
            }
        }
        let chunks = f64::from(chunks.unwrap_or_default()).max(rows.len() as f64);
        sought.lost = still_lost(&lost, &lexemes, &variants);
        sought.terms = QueryTerms::new(lexemes, Idf::new(chunks, &frequencies), variants);
        sought
    }
}

/// Writes what matches any lexeme or, if it is long enough, words that begin with it.
fn any(lexemes: &QueryLexemes, required: Option<&str>) -> String {
    let begun = |lexeme: &String| {
        let beginning = if can_be_prefix(lexeme) { ":*" } else { "" };
        format!("{}{beginning}", quote_lexeme(lexeme))
    };
    let any: Vec<_> = lexemes.list.iter().map(begun).collect();
    let any = any.join("|");
    required.map_or(any.clone(), |required| format!("({any})&{required}"))
}
