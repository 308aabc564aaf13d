//! The lexemes of words that differ from misspelled words of a query by one slip.

use crate::server::spi::Connection;
use crate::store::Store;
use passage_core::fragments::{Correction, MatchKind, TermVariant, corrections};
use passage_core::search::QueryLexemes;
use std::collections::HashMap;

/// The maximum number of words of a query that are corrected.
const MAX_WORDS: usize = 4;

/// How much less likely than the best correction of a word another one may be. A slip with 26 alternatives is
/// less likely than one without.
const LESS_LIKELY: f64 = 10.0;

/// A lexeme, and the most likely correction that has it.
pub struct CorrectedLexeme {
    pub variant: TermVariant,
    /// The correction, as a word.
    pub text: String,
}

/// Returns the lexemes of the corrections of some words of a query, most likely first.
///
/// `words` are indexes of the query's words. Most of the lexemes are in no chunk; the caller selects.
pub fn corrected_lexemes(
    store: &Store,
    connection: &Connection,
    lexemes: &QueryLexemes,
    words: &[usize],
    threshold: f64,
) -> Vec<CorrectedLexeme> {
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
    let mut likely: HashMap<(usize, String), usize> = HashMap::new();
    for (index, lexeme) in store.word_lexemes(connection, texts) {
        let (origin, correction) = &found[index];
        if lexeme != lexemes.list[*origin] {
            let best = likely.entry((*origin, lexeme)).or_insert(index);
            if correction.weight > found[*best].1.weight {
                *best = index;
            }
        }
    }
    let corrected = |((origin, lexeme), index): ((usize, String), usize)| {
        let correction: &Correction = &found[index].1;
        let variant = TermVariant { origin, lexeme, kind: MatchKind::Fuzzy(correction.weight) };
        CorrectedLexeme { variant, text: correction.text.clone() }
    };
    let mut corrected: Vec<_> = likely.into_iter().map(corrected).collect();
    corrected.sort_by(|CorrectedLexeme { variant: a, .. }, CorrectedLexeme { variant: b, .. }| {
        b.kind.weight().total_cmp(&a.kind.weight()).then_with(|| a.lexeme.cmp(&b.lexeme))
    });
    corrected
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
