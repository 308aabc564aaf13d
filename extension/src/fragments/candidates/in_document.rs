/*!
Words in one document.

All its chunks are read. A word that begins with a word of the query counts too. For a word without a
match, the words that differ from it by one slip are looked up in the document. If there are none, its stem is
compared with the whole vocabulary of the document.
*/

use super::lexeme_reader::LexemeReader;
use super::{Candidates, whole_lexemes, without_variant};
use crate::corrections::{corrected_lexemes, keep_likely};
use crate::server::spi::Connection;
use crate::store::{ChunkLexemes, NamedDocument, Store};
use passage_core::fragments::{
    FragmentCandidate, QueryTerms, can_be_prefix, similar_words, unmatched_words,
};
use passage_core::search::bm25::Idf;
use passage_core::search::{QueryLexemes, SearchQuery, quote_lexeme, term};
use std::collections::HashSet;

/// The largest document, in chunks, of which all chunks are read.
const ALL: i32 = 10_000;

impl Candidates {
    /// Finds the chunks of a document.
    pub(super) fn in_document(
        store: &Store,
        connection: &Connection,
        named: &NamedDocument,
        query: &SearchQuery,
        threshold: f64,
    ) -> Self {
        let parsed = store.parse_query(connection, query);
        let (lexemes, required) = (parsed.lexemes, parsed.required);
        if lexemes.list.is_empty() {
            return Self::empty();
        }
        let (document, chunks) = (named.id, named.info.chunks);
        let required = Some(required).filter(|required| !required.is_empty());
        // In a document that is not long, reading all chunks costs less than matching them first.
        let all = chunks.is_some_and(|chunks| chunks <= ALL);
        let matching =
            if all { required.clone() } else { Some(any_of(&lexemes, required.as_deref())) };
        let mut rows = store.document_lexemes(connection, document, matching.as_deref());

        let mut reader = LexemeReader::new(&lexemes);
        for row in &rows {
            reader.add(row);
        }
        // A longer word with the misspelled one as its prefix does not show that it was meant.
        let inexact = unmatched_words(&lexemes, |lexeme| reader.frequencies[lexeme] > 0.0);
        let present = reader.present();
        let unmatched = unmatched_words(&lexemes, |lexeme| present.contains(&lexeme));
        if !inexact.is_empty() && threshold > 0.0 {
            if !all {
                rows = store.document_lexemes(connection, document, required.as_deref());
                reader = LexemeReader::new(&lexemes);
                for row in &rows {
                    reader.add(row);
                }
            }
            let mut vocabulary = HashSet::new();
            for row in &rows {
                row.tsv.with_prefix("", |lexeme, _| _ = vocabulary.insert(lexeme));
            }
            let words = corrected_lexemes(store, connection, &lexemes, &inexact, threshold);
            let mut similar: Vec<_> = words.into_iter().map(|word| word.variant).collect();
            similar.retain(|variant| vocabulary.contains(variant.lexeme.as_str()));
            keep_likely(&mut similar);
            let corrected: HashSet<_> = similar.iter().map(|variant| variant.origin).collect();
            let mut words = whole_lexemes(&lexemes, &unmatched);
            words.retain(|word| !corrected.contains(word));
            similar.extend(similar_words(&lexemes, &words, vocabulary, threshold));
            reader.add_variants(similar, &rows);
        }
        let LexemeReader { variants, candidates: matches, frequencies, .. } = reader;
        let mut candidates = Self::empty();
        for (ChunkLexemes { id, ordinal, section, .. }, words) in rows.iter().zip(matches) {
            let (ordinal, section) =
                (*ordinal, section.map(|section| (document.as_u128(), section)));
            candidates.positions.insert(*id, (ordinal, section));
            if !words.occurrences.is_empty() {
                candidates.ids.push(*id);
                candidates.list.push(FragmentCandidate {
                    words,
                    ordinal,
                    similarity: None,
                    section,
                });
            }
        }
        let chunks = f64::from(chunks.unwrap_or_default()).max(rows.len() as f64);
        candidates.unmatched = without_variant(&unmatched, &lexemes, &variants);
        candidates.terms = QueryTerms::new(lexemes, Idf::new(chunks, &frequencies), variants);
        candidates
    }
}

/// Returns a `tsquery` that matches any lexeme or, if it is long enough, words that begin with it.
fn any_of(lexemes: &QueryLexemes, required: Option<&str>) -> String {
    let term = |lexeme: &String| {
        if can_be_prefix(lexeme) { format!("{}:*", quote_lexeme(lexeme)) } else { term(lexeme) }
    };
    let any: Vec<_> = lexemes.list.iter().map(term).collect();
    let any = any.join("|");
    required.map_or(any.clone(), |required| format!("({any})&{required}"))
}
