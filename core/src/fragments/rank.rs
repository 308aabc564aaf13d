/*!
Which chunks answer a query, by several signals.

Each signal ranks what it knows: words by BM25, where a word that is only alike counts for a fraction
of the word itself; nearness of the words; and nearness of the embedding. A strategy takes one of
them, or fuses all there are by rank. What any signal has is ranked, so where a word is found there
is an answer.
*/

use super::proximity::proximity;
use super::ranking::{FragmentCandidate, FragmentStrategy, RankedChunk, Signal};
use super::semantic::semantic;
use super::terms::QueryTerms;
use crate::search::bm25::{Candidate, score_candidates};
use crate::search::{RankedList, fuse};
use std::collections::HashMap;

/// How soon a rank counts for little. What comes back is a handful, so the first ranks count most.
const K: f64 = 8.0;

/// What the nearness of words counts beside the words and the embedding.
const NEARNESS: f64 = 0.5;

/// How much less words count beside an embedding if no chunk has any of them, and the less so the
/// more of them the best one has: a question in other words than the text has few.
const DOUBT: f64 = 0.3;

/// Ranks chunks by a strategy, best first, and tells by which it was done. Chunks that it has no
/// signal of come behind, by what they have.
pub fn rank_chunks(
    strategy: FragmentStrategy,
    terms: &QueryTerms,
    found: &[FragmentCandidate],
) -> (FragmentStrategy, Vec<RankedChunk>) {
    let lexical = lexical(terms, found);
    let proximity: Vec<_> =
        found.iter().map(|found| proximity(&found.words, &terms.words)).collect();
    let by_words = ranked(found, |chunk| lexical[chunk]);
    // Many chunks have the same words equally near.
    let near = ranked(found, |chunk| {
        proximity[chunk].as_ref().map(|proximity| (proximity.sort_key(), lexical[chunk]))
    });
    let by_vector = ranked(found, |chunk| found[chunk].similarity);
    let share = proximity.iter().flatten().map(|near| near.share).fold(0.0, f64::max);
    let (strategy, mut order) = match strategy.resolve(terms.words()) {
        FragmentStrategy::Adaptive => {
            (FragmentStrategy::Adaptive, scored(&by_words, |chunk| lexical[chunk]))
        }
        FragmentStrategy::Proximity => {
            let score = |chunk: usize| proximity[chunk].map(|proximity| proximity.score);
            (FragmentStrategy::Proximity, scored(&near, score))
        }
        FragmentStrategy::Semantic => {
            let worth = semantic(terms, found, &lexical);
            let ranked = ranked(found, |chunk| worth[chunk]);
            (
                FragmentStrategy::Semantic,
                scored(&ranked, |chunk| worth[chunk].map(|(score, _)| score)),
            )
        }
        FragmentStrategy::Auto | FragmentStrategy::Seed => {
            auto(terms, share, [&by_words, &near, &by_vector])
        }
    };
    // Nothing that was found goes missing because a strategy does not look at it.
    let mut has = vec![false; found.len()];
    for (chunk, _) in &order {
        has[*chunk] = true;
    }
    for chunk in by_words.iter().chain(&by_vector) {
        if !std::mem::replace(&mut has[*chunk], true) {
            order.push((*chunk, 0.0));
        }
    }

    let place =
        |ranked: &[usize]| -> HashMap<usize, usize> { ranked.iter().copied().zip(1..).collect() };
    let (by_words, near, by_vector) = (place(&by_words), place(&near), place(&by_vector));
    let signal = |ranks: &HashMap<_, _>, chunk, score: Option<f64>| {
        Some(Signal { rank: *ranks.get(&chunk)?, score: score? })
    };
    let full = |(chunk, score)| RankedChunk {
        chunk,
        score,
        lexical: signal(&by_words, chunk, lexical[chunk]),
        proximity: proximity[chunk]
            .and_then(|proximity| Some((signal(&near, chunk, Some(proximity.score))?, proximity))),
        vector: signal(&by_vector, chunk, found[chunk].similarity),
        match_kind: terms.best_match(&found[chunk].words),
    };
    (strategy, order.into_iter().map(full).collect())
}

/// Fuses the signals there are, where the best chunk has a share of the words; with a single one that
/// is the strategy.
fn auto(
    terms: &QueryTerms,
    share: f64,
    legs: [&[usize]; 3],
) -> (FragmentStrategy, Vec<(usize, f64)>) {
    let [by_words, near, by_vector] = legs;
    let strategy = match (terms.words(), by_words.is_empty(), by_vector.is_empty()) {
        (_, true, false) => FragmentStrategy::Semantic,
        (0 | 1, _, true) => FragmentStrategy::Adaptive,
        _ => FragmentStrategy::Auto,
    };
    // One word is near to nothing.
    let nearness = if terms.words() > 1 { NEARNESS } else { 0.0 };
    let trust = 1.0 - DOUBT * (1.0 - share);
    let legs = [(by_words, trust), (near, nearness * trust), (by_vector, 1.0)]
        .map(|(ranked, weight)| RankedList { ids: ranked.to_vec(), weight });
    let fused = fuse(&legs, K);
    (strategy, fused.into_iter().map(|fused| (fused.chunk, fused.score)).collect())
}

/// Gives each chunk of a ranking its score.
fn scored(ranked: &[usize], score: impl Fn(usize) -> Option<f64>) -> Vec<(usize, f64)> {
    ranked.iter().map(|chunk| (*chunk, score(*chunk).unwrap_or_default())).collect()
}

/// What each chunk is worth by its words, if it has any.
fn lexical(terms: &QueryTerms, found: &[FragmentCandidate]) -> Vec<Option<f64>> {
    let candidates: Vec<_> = found.iter().map(|found| &found.words).collect();
    let scores = score_candidates(&candidates, &terms.lexemes, &terms.idf);
    let has = |candidate: &Candidate| !candidate.occurrences.is_empty();
    scores.into_iter().zip(candidates).map(|(score, of)| has(of).then_some(score)).collect()
}

/// The places of what is worth something, best first; of equal ones by their position.
fn ranked<W: PartialOrd>(
    found: &[FragmentCandidate],
    worth: impl Fn(usize) -> Option<W>,
) -> Vec<usize> {
    let mut ranked: Vec<_> =
        (0..found.len()).filter_map(|place| Some((place, worth(place)?))).collect();
    ranked.sort_by(|(first, a), (second, b)| {
        let by_worth = b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal);
        by_worth.then_with(|| found[*first].ordinal.cmp(&found[*second].ordinal))
    });
    ranked.into_iter().map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragments::MatchKind;
    use crate::fragments::terms::TermVariant;
    use crate::search::QueryLexemes;
    use crate::search::bm25::{Field, Idf, Occurrence};

    /// Chunks of the query "alpha beta", whose fourth lexeme begins with "alpha": each with the
    /// lexemes in it and its similarity.
    fn order(
        strategy: FragmentStrategy,
        chunks: &[(&[usize], Option<f64>)],
    ) -> (FragmentStrategy, Vec<usize>) {
        let mut lexemes = QueryLexemes::default();
        lexemes.add(vec!["alpha".to_owned()], vec![]);
        lexemes.add(vec!["beta".to_owned()], vec![]);
        let idf = Idf::new(10.0, &[3.0, 3.0]);
        let variant = |lexeme: &str, kind| TermVariant { of: 0, lexeme: lexeme.to_owned(), kind };
        let variants =
            vec![variant("alphabet", MatchKind::Prefix), variant("alhpa", MatchKind::Fuzzy(0.8))];
        let terms = QueryTerms::new(lexemes, idf, variants);
        let found: Vec<_> = chunks
            .iter()
            .zip(0..)
            .map(|((lexemes, similarity), ordinal)| {
                let occurrence = |(place, lexeme): (usize, &usize)| Occurrence {
                    lexeme: *lexeme,
                    field: Field::Content,
                    position: 10 * place as u16 + 1,
                };
                let mut occurrences: Vec<_> = lexemes.iter().enumerate().map(occurrence).collect();
                occurrences.sort_by_key(|one| (one.lexeme, one.position));
                FragmentCandidate {
                    words: Candidate { length: 100, occurrences },
                    ordinal: Some(ordinal),
                    similarity: *similarity,
                    section: Some((0, i64::from(ordinal))),
                }
            })
            .collect();
        let (strategy, ranked) = rank_chunks(strategy, &terms, &found);
        (strategy, ranked.into_iter().map(|ranked| ranked.chunk).collect())
    }

    #[test]
    fn a_word_comes_before_its_beginning_and_that_before_one_that_is_alike() {
        let chunks: [(&[usize], _); 3] =
            [(&[3, 3, 3, 3], None), (&[2, 2, 2, 2], None), (&[0], None)];
        assert_eq!(
            order(FragmentStrategy::Adaptive, &chunks),
            (FragmentStrategy::Adaptive, vec![2, 1, 0])
        );
    }

    #[test]
    fn all_signals_there_are_decide() {
        let chunks: [(&[usize], _); 3] =
            [(&[0], Some(0.1)), (&[0, 1], Some(0.5)), (&[], Some(0.6))];
        assert_eq!(order(FragmentStrategy::Auto, &chunks), (FragmentStrategy::Auto, vec![1, 0, 2]));
        assert_eq!(order(FragmentStrategy::Semantic, &chunks).1, [2, 1, 0]);
        assert_eq!(order(FragmentStrategy::Proximity, &chunks).1, [1, 0, 2]);
    }

    #[test]
    fn with_one_signal_that_one_is_the_strategy() {
        assert_eq!(
            order(FragmentStrategy::Auto, &[(&[], Some(0.5))]).0,
            FragmentStrategy::Semantic
        );
        assert_eq!(
            order(FragmentStrategy::Auto, &[(&[0], None)]),
            (FragmentStrategy::Auto, vec![0])
        );
        assert_eq!(order(FragmentStrategy::Seed, &[(&[0], None)]).0, FragmentStrategy::Adaptive);
    }

    #[test]
    fn what_was_found_is_never_lost() {
        let chunks: [(&[usize], _); 3] = [(&[], Some(0.1)), (&[0], None), (&[3], None)];
        for strategy in [
            FragmentStrategy::Auto,
            FragmentStrategy::Adaptive,
            FragmentStrategy::Proximity,
            FragmentStrategy::Semantic,
        ] {
            let (_, mut found) = order(strategy, &chunks);
            found.sort_unstable();
            assert_eq!(found, [0, 1, 2], "{}", strategy.name());
        }
    }

    #[test]
    fn without_an_embedding_a_section_counts_as_a_whole() {
        // Sections are one chunk each here, so the better chunk is the better section.
        let chunks: [(&[usize], _); 2] = [(&[0], None), (&[0, 1], None)];
        assert_eq!(
            order(FragmentStrategy::Semantic, &chunks),
            (FragmentStrategy::Semantic, vec![1, 0])
        );
    }
}
