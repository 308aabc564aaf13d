/*!
Words in a store or a part of it.

The index of words gives what is worth ranking. Words that are alike, or begin with one of the query,
are looked for only where nothing has the word itself.
*/

use super::{NEAREST, Sought, still_lost, wholes};
use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, Matches, Store, Words};
use crate::types::Tsvector;
use passage_core::fragments::{
    FragmentCandidate, QueryTerms, similar_words, unmatched_words, words_with_prefix,
};
use passage_core::search::bm25::{Candidate, Occurrence};
use passage_core::search::{SearchQuery, quote_lexeme};
use std::collections::{BTreeSet, HashSet};

/// The most words of a query that are looked for by likeness in a store, and the least characters of
/// their beginnings.
const ALIKE: usize = 4;
const BEGINNING: usize = 3;

impl Sought {
    /// Finds what passes the filters.
    ///
    /// # Errors
    ///
    /// Returns that the store has no words to search by.
    pub(super) fn in_store(
        store: &Store,
        connection: &Connection,
        filters: &Filters,
        query: &SearchQuery,
        threshold: f64,
    ) -> Result<Self, Error> {
        let asked = store.ask(connection, query);
        if asked.lexemes.list.is_empty() {
            return Ok(Self::nothing());
        }
        let required = asked.required.clone();
        let Matches { ids, candidates, lexemes, idf } =
            store.matches(connection, asked, filters, None, NEAREST)?;
        let occurrences = candidates.iter().flat_map(|candidate| &candidate.occurrences);
        let present: HashSet<_> = occurrences.map(|occurrence| occurrence.lexeme).collect();
        let lost = unmatched_words(&lexemes, |lexeme| present.contains(&lexeme));
        let mut variants = Vec::new();
        let mut rows = Vec::new();
        let begins: Vec<_> = wholes(&lexemes, &lost[..lost.len().min(ALIKE)])
            .into_iter()
            .filter_map(|place| likely_beginning(&lexemes.list[place]))
            .collect();
        if !begins.is_empty() && threshold > 0.0 {
            let any: Vec<_> =
                begins.iter().map(|begin| format!("{}:*", quote_lexeme(begin))).collect();
            let any = any.join("|");
            let matching = if required.is_empty() { any } else { format!("({any})&{required}") };
            rows = store.words_like(connection, &matching, filters);
            let mut vocabulary = BTreeSet::new();
            for (_, row) in &rows {
                for begin in &begins {
                    row.tsv.beginning(begin, |lexeme, _| _ = vocabulary.insert(lexeme));
                }
            }
            let wholes: HashSet<_> = wholes(&lexemes, &lost).into_iter().collect();
            variants = words_with_prefix(&lexemes, &vocabulary);
            variants.retain(|variant| wholes.contains(&variant.of));
            let begun: HashSet<_> = variants.iter().map(|variant| variant.of).collect();
            let places: Vec<_> = wholes.difference(&begun).copied().collect();
            variants.extend(similar_words(&lexemes, &places, vocabulary, threshold));
        }
        let lost = still_lost(&lost, &lexemes, &variants);
        let own = lexemes.list.len();
        let mut sought =
            Self { terms: QueryTerms::new(lexemes, idf, variants), lost, ..Self::nothing() };
        let found = candidates
            .into_iter()
            .map(|words| FragmentCandidate { words, ..FragmentCandidate::default() });
        (sought.ids, sought.found) = (ids, found.collect());
        let mut places = sought.places();
        for (document, Words { id, ordinal, section, tsv: words, .. }) in rows {
            let words = candidate(sought.terms.lexemes(), &words);
            if words.occurrences.iter().all(|occurrence| occurrence.lexeme < own) {
                continue;
            }
            let section = section.map(|section| (document.as_u128(), section));
            let new = FragmentCandidate { words, ordinal, similarity: None, section };
            if let Some(place) = places.get(&id) {
                sought.found[*place] = new;
            } else {
                places.insert(id, sought.ids.len());
                sought.ids.push(id);
                sought.found.push(new);
            }
        }
        Ok(sought)
    }
}

/// Returns with what a word probably begins that is like a lexeme, if it is long enough to tell.
fn likely_beginning(lexeme: &str) -> Option<String> {
    let letters = lexeme.chars().count();
    (letters > BEGINNING).then(|| lexeme.chars().take(BEGINNING.max(letters * 2 / 5)).collect())
}

/// Looks for lexemes in a chunk.
fn candidate(lexemes: &[String], words: &Tsvector) -> Candidate {
    let mut candidate = Candidate { length: words.length(), occurrences: Vec::new() };
    for (lexeme, text) in lexemes.iter().enumerate() {
        words.positions(text, |field, position| {
            candidate.occurrences.push(Occurrence { lexeme, field, position });
        });
    }
    candidate
}
