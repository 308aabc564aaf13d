//! The query of a search whose misspelled words are replaced by words that the store has.
//!
//! Its twin in SQL is `sql/edition/corrections.sql`.

use super::corrected_lexemes::{CorrectedLexeme, corrected_lexemes};
use super::present_variants::present_variants;
use crate::server::notices;
use crate::server::spi::Connection;
use crate::store::{Filters, ParsedQuery, Store, TextRanking};
use passage_core::fragments::MatchKind;

/// The minimum similarity of a word and its correction, the default of `fragments`.
const THRESHOLD: f64 = 0.8;

/// The minimum weight of a slip that has no alternatives, such as two swapped letters.
const LIKELY: f64 = 0.5;

/// The minimum length of a word, in letters, of which other slips are corrected too. `lexer` is a word of its own beside
/// `lever`, while a long word that differs in one letter is hardly another one.
const LONG: usize = 7;

/// Returns a query whose words that no chunk has are replaced by their most likely corrections that chunks have, and
/// reports each of them to the caller; `None` without corrections. `found` is what the query found as it is.
pub fn corrected_query(
    store: &Store,
    connection: &Connection,
    filters: &Filters,
    query: &ParsedQuery,
    found: &TextRanking,
) -> Option<ParsedQuery> {
    let ParsedQuery { lexemes, required } = query;
    let mut corrected = corrected_lexemes(store, connection, lexemes, found.unmatched(), THRESHOLD);
    let is_alone = found.hits.is_empty();
    corrected.retain(|CorrectedLexeme { variant, text }| {
        let weight = if let MatchKind::Fuzzy(weight) = variant.kind { weight } else { 1.0 };
        is_alone || weight >= LIKELY || text.chars().nth(LONG - 1).is_some()
    });
    if corrected.is_empty() {
        return None;
    }
    let variants = corrected.iter().map(|word| word.variant.clone()).collect();
    let (present, rows) = present_variants(store, connection, filters, variants, required);
    corrected.retain(|word| present.contains(&word.variant));
    // Of equally likely ones, the most common.
    let count = |word: &CorrectedLexeme| {
        rows.iter().filter(|(_, row)| row.tsv.has(&word.variant.lexeme)).count()
    };
    corrected.sort_by_cached_key(|word| std::cmp::Reverse(count(word)));
    corrected.sort_by(|a, b| b.variant.kind.weight().total_cmp(&a.variant.kind.weight()));
    let mut query = query.clone();
    let mut origins = Vec::new();
    for CorrectedLexeme { variant, text } in corrected {
        if !origins.contains(&variant.origin) {
            origins.push(variant.origin);
            for misspelled in query.lexemes.correct(variant.origin, &variant.lexeme, &text) {
                notices::report_correction(&misspelled, &text);
            }
        }
    }
    (!origins.is_empty()).then_some(query)
}
