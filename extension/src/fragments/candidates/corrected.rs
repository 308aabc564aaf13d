//! The lexemes of words that differ from misspelled words of a query by one slip.

use crate::server::spi::Connection;
use crate::store::Store;
use passage_core::fragments::{MatchKind, TermVariant, corrections};
use passage_core::search::QueryLexemes;
use std::collections::HashMap;

/// The maximum number of words of a query that are corrected.
const MAX_WORDS: usize = 4;

/// How much less likely than the best correction of a word another one may be. A slip with 26 alternatives is
/// less likely than one without.
const LESS_LIKELY: f64 = 10.0;

/// Returns the lexemes of the corrections of some words of a query, most likely first.
///
/// `words` are indexes of the query's words. Most of the lexemes are in no chunk; the caller selects.
pub fn corrected_lexemes(
    store: &Store,
    connection: &Connection,
    lexemes: &QueryLexemes,
    words: &[usize],
    threshold: f64,
) -> Vec<TermVariant> {
    // A word of several lexemes is a compound, whose parts are other words.
    let simple = words.iter().filter_map(|word| {
        let word = &lexemes.words[*word];
        let [origin] = word.whole[..] else { return None };
        Some((origin, &word.text))
    });
    let found: Vec<_> = simple
        .take(MAX_WORDS)
        .flat_map(|(origin, text)| {
            corrections(text, threshold).into_iter().map(move |one| (origin, one))
        })
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let texts = found.iter().map(|(_, correction)| correction.text.as_str()).collect();
    let mut weights: HashMap<(usize, String), f64> = HashMap::new();
    for (index, lexeme) in store.word_lexemes(connection, texts) {
        let (origin, correction) = &found[index];
        if lexeme != lexemes.list[*origin] {
            let best = weights.entry((*origin, lexeme)).or_default();
            *best = best.max(correction.weight);
        }
    }
    let variant =
        |((origin, lexeme), weight)| TermVariant { origin, lexeme, kind: MatchKind::Fuzzy(weight) };
    let mut variants: Vec<_> = weights.into_iter().map(variant).collect();
    variants.sort_by(|a, b| {
        b.kind.weight().total_cmp(&a.kind.weight()).then_with(|| a.lexeme.cmp(&b.lexeme))
    });
    variants
}

/// Removes corrections if another one of the same word, which a chunk has too, is far more likely.
pub fn keep_likely(variants: &mut Vec<TermVariant>) {
    let mut best: HashMap<usize, f64> = HashMap::new();
    for TermVariant { origin, kind, .. } in variants.iter() {
        let best = best.entry(*origin).or_default();
        *best = best.max(kind.weight());
    }
    variants.retain(|variant| variant.kind.weight() * LESS_LIKELY >= best[&variant.origin]);
}
