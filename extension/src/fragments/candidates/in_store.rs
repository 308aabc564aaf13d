/*!
Words in a store or a part of it.

The full-text index finds the candidates. Similar words, and words that begin with a word of the query, are
searched only if no candidate has the word itself. So are the words that differ from it by one slip.

A word counts only if a chunk that the caller reads has it. So words of chunks that a policy hides change nothing.
*/

use super::{Candidates, STORE_CHUNKS, whole_lexemes, without_variant};
use crate::corrections::{any_of, corrected_lexemes, keep_likely, present_variants};
use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::server::types::Tsvector;
use crate::store::{ChunkLexemes, Filters, MAX_MATCHING, Store, TextMatches};
use passage_core::fragments::{FragmentCandidate, QueryTerms, similar_words, words_with_prefix};
use passage_core::search::bm25::{Candidate, Occurrence};
use passage_core::search::{SearchQuery, quote_lexeme};
use std::collections::{BTreeSet, HashSet};

/// The maximum number of words of a query for which similar words are searched in a store, and the least characters of
/// the prefixes by which they are searched.
const MAX_FUZZY_WORDS: usize = 4;
const MIN_PREFIX: usize = 3;

impl Candidates {
    /// Finds the chunks that pass the filters.
    ///
    /// # Errors
    ///
    /// Returns that the store does not support full-text search.
    pub(super) fn in_store(
        store: &Store,
        connection: &Connection,
        filters: &Filters,
        query: &SearchQuery,
        threshold: f64,
    ) -> Result<Self, Error> {
        let parsed = store.parse_query(connection, query);
        if parsed.lexemes.list.is_empty() {
            return Ok(Self::empty());
        }
        let required = parsed.required.clone();
        let TextMatches { ids, candidates: matches, lexemes, idf, unmatched } =
            store.text_matches(connection, parsed, filters, None, STORE_CHUNKS)?;
        let mut variants = Vec::new();
        let mut rows = Vec::new();
        let mut corrected = Vec::new();
        if !unmatched.is_empty() && threshold > 0.0 {
            let words = corrected_lexemes(store, connection, &lexemes, &unmatched, threshold);
            corrected = words.into_iter().map(|word| word.variant).collect();
        }
        if !corrected.is_empty() {
            (variants, rows) =
                present_variants(store, connection, filters, corrected.clone(), &required);
            corrected.retain(|word| !variants.contains(word));
            keep_likely(&mut variants);
        }
        let fuzzy = &unmatched[..unmatched.len().min(MAX_FUZZY_WORDS)];
        let prefixes: Vec<_> = whole_lexemes(&lexemes, fuzzy)
            .into_iter()
            .filter_map(|index| likely_prefix(&lexemes.list[index]))
            .collect();
        if !prefixes.is_empty() && threshold > 0.0 {
            let any = prefixes.iter().map(|prefix| format!("{}:*", quote_lexeme(prefix)));
            let matching = any_of(any, &required);
            let begun = store.matching_lexemes(connection, Some(&matching), filters, MAX_MATCHING);
            let mut vocabulary = BTreeSet::new();
            for (_, row) in &begun {
                for prefix in &prefixes {
                    row.tsv.with_prefix(prefix, |lexeme, _| _ = vocabulary.insert(lexeme));
                }
            }
            corrected.retain(|variant| vocabulary.contains(variant.lexeme.as_str()));
            variants.extend(corrected);
            let whole: HashSet<_> = whole_lexemes(&lexemes, &unmatched).into_iter().collect();
            let mut longer = words_with_prefix(&lexemes, &vocabulary);
            longer.retain(|variant| whole.contains(&variant.origin));
            let with_words: HashSet<_> =
                longer.iter().chain(&variants).map(|variant| variant.origin).collect();
            let indexes: Vec<_> = whole.difference(&with_words).copied().collect();
            let similar = similar_words(&lexemes, &indexes, vocabulary, threshold);
            // A longer word counts more than a correction of the same lexeme.
            variants.retain(|variant| {
                !longer
                    .iter()
                    .any(|one| (one.origin, &one.lexeme) == (variant.origin, &variant.lexeme))
            });
            variants.extend(longer.into_iter().chain(similar));
            rows.extend(begun);
        }
        let unmatched = without_variant(&unmatched, &lexemes, &variants);
        let own = lexemes.list.len();
        let mut candidates =
            Self { terms: QueryTerms::new(lexemes, idf, variants), unmatched, ..Self::empty() };
        let list = matches
            .into_iter()
            .map(|words| FragmentCandidate { words, ..FragmentCandidate::default() });
        (candidates.ids, candidates.list) = (ids, list.collect());
        let mut index_by_id = candidates.index_by_id();
        for (document, ChunkLexemes { id, ordinal, section, tsv, .. }) in rows {
            let words = occurrences_in(candidates.terms.lexemes(), &tsv);
            if words.occurrences.iter().all(|occurrence| occurrence.lexeme < own) {
                continue;
            }
            let section = section.map(|section| (document.as_u128(), section));
            let new = FragmentCandidate { words, ordinal, similarity: None, section };
            if let Some(index) = index_by_id.get(&id) {
                candidates.list[*index] = new;
            } else {
                index_by_id.insert(id, candidates.ids.len());
                candidates.ids.push(id);
                candidates.list.push(new);
            }
        }
        Ok(candidates)
    }
}

/// Returns the prefix that words similar to a lexeme probably have, if the lexeme is long enough.
fn likely_prefix(lexeme: &str) -> Option<String> {
    let letters = lexeme.chars().count();
    (letters > MIN_PREFIX).then(|| lexeme.chars().take(MIN_PREFIX.max(letters * 2 / 5)).collect())
}

/// Returns the occurrences of lexemes in a chunk.
fn occurrences_in(lexemes: &[String], tsv: &Tsvector) -> Candidate {
    let mut candidate = Candidate { length: tsv.length(), occurrences: Vec::new() };
    for (lexeme, text) in lexemes.iter().enumerate() {
        tsv.positions(text, |field, position| {
            candidate.occurrences.push(Occurrence { lexeme, field, position });
        });
    }
    candidate
}
