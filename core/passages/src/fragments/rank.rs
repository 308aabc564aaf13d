/*!
Ranking of candidates by several signals.

Each signal gives a ranking: words by BM25, where a similar word counts a fraction of an exact one; the proximity
of the words; and the embedding. A strategy takes one ranking or fuses all by reciprocal rank. Candidates with any
signal are always in the result.

Its twin in SQL is `sql/edition/fragments/rank.sql`.
*/

use super::proximity::proximity;
use super::ranking::{FragmentCandidate, FragmentStrategy, RankedChunk, Signal};
use super::semantic::semantic;
use super::terms::QueryTerms;
use crate::search::bm25::{Bm25, Candidate, score_candidates};
use crate::search::{RankedList, fuse};
use std::collections::HashMap;

/// The constant of reciprocal rank fusion. Results are few, so the first ranks count most.
const K: f64 = 8.0;

/// The weight of proximity relative to words and embedding.
const PROXIMITY: f64 = 0.5;

/// The reduction of the words' weight beside an embedding if no chunk has any of them. It shrinks with the
/// share of words that the best chunk has: a paraphrased question has few.
const DOUBT: f64 = 0.3;

/// Ranks candidates, best first, and returns the strategy that was applied.
///
/// The caller resolves [`FragmentStrategy::Seed`]. Candidates without the strategy's signal follow, ranked by their other signals.
///
/// ```
/// use passage_core::fragments::{FragmentCandidate, FragmentStrategy, QueryTerms, rank_chunks};
/// use passage_core::search::{QueryLexemes, bm25::Idf};
///
/// let terms = QueryTerms::new(QueryLexemes::default(), Idf::new(0.0, &[]), Vec::new());
/// let candidates = [0.2, 0.7].map(|similarity| FragmentCandidate {
///     similarity: Some(similarity), ..FragmentCandidate::default()
/// });
/// let (strategy, ranked) = rank_chunks(FragmentStrategy::Auto, &terms, &candidates);
/// assert_eq!((strategy, ranked[0].chunk), (FragmentStrategy::Semantic, 1));
/// ```
pub fn rank_chunks(
    strategy: FragmentStrategy,
    terms: &QueryTerms,
    candidates: &[FragmentCandidate],
) -> (FragmentStrategy, Vec<RankedChunk>) {
    let lexical = lexical(terms, candidates);
    let proximity: Vec<_> =
        candidates.iter().map(|candidate| proximity(&candidate.words, &terms.words)).collect();
    let by_words = ranked(candidates, |chunk| lexical[chunk]);
    // Many chunks tie in proximity, so the lexical score decides.
    let near = ranked(candidates, |chunk| {
        proximity[chunk].as_ref().map(|proximity| (proximity.sort_key(), lexical[chunk]))
    });
    let by_vector = ranked(candidates, |chunk| candidates[chunk].similarity);
    let share = proximity.iter().flatten().map(|near| near.share).fold(0.0, f64::max);
    let (strategy, mut order) = match strategy {
        FragmentStrategy::Adaptive => {
            (FragmentStrategy::Adaptive, scored(&by_words, |chunk| lexical[chunk]))
        }
        FragmentStrategy::Proximity => {
            let score = |chunk: usize| proximity[chunk].map(|proximity| proximity.score);
            (FragmentStrategy::Proximity, scored(&near, score))
        }
        FragmentStrategy::Semantic => {
            let scores = semantic(terms, candidates, &lexical);
            let ranked = ranked(candidates, |chunk| scores[chunk]);
            (
                FragmentStrategy::Semantic,
                scored(&ranked, |chunk| scores[chunk].map(|(score, _)| score)),
            )
        }
        FragmentStrategy::Auto | FragmentStrategy::Seed => {
            auto(terms, share, [&by_words, &near, &by_vector])
        }
    };
    // Candidates that the strategy ignores are appended.
    let mut has = vec![false; candidates.len()];
    for (chunk, _) in &order {
        has[*chunk] = true;
    }
    for chunk in by_words.iter().chain(&by_vector) {
        if !std::mem::replace(&mut has[*chunk], true) {
            order.push((*chunk, 0.0));
        }
    }

    let ranks_of =
        |ranked: &[usize]| -> HashMap<usize, usize> { ranked.iter().copied().zip(1..).collect() };
    let (by_words, near, by_vector) = (ranks_of(&by_words), ranks_of(&near), ranks_of(&by_vector));
    let signal = |ranks: &HashMap<_, _>, chunk, score: Option<f64>| {
        Some(Signal { rank: *ranks.get(&chunk)?, score: score? })
    };
    let full = |(chunk, score)| RankedChunk {
        chunk,
        score,
        lexical: signal(&by_words, chunk, lexical[chunk]),
        proximity: proximity[chunk]
            .and_then(|proximity| Some((signal(&near, chunk, Some(proximity.score))?, proximity))),
        vector: signal(&by_vector, chunk, candidates[chunk].similarity),
        match_kind: terms.best_match(&candidates[chunk].words),
    };
    (strategy, order.into_iter().map(full).collect())
}

/// Fuses the available rankings. `share` is the best chunk's share of the words. With a single ranking, the
/// strategy is that of the ranking.
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
    // A single word has no proximity.
    let nearness = if terms.words() > 1 { PROXIMITY } else { 0.0 };
    let trust = 1.0 - DOUBT * (1.0 - share);
    let legs = [(by_words, trust), (near, nearness * trust), (by_vector, 1.0)]
        .map(|(ranked, weight)| RankedList { ids: ranked.to_vec(), weight });
    let fused = fuse(&legs, K);
    (strategy, fused.into_iter().map(|fused| (fused.chunk, fused.score)).collect())
}

/// Returns a ranking with scores.
fn scored(ranked: &[usize], score: impl Fn(usize) -> Option<f64>) -> Vec<(usize, f64)> {
    ranked.iter().map(|chunk| (*chunk, score(*chunk).unwrap_or_default())).collect()
}

/// Returns the lexical score of each candidate with any words.
fn lexical(terms: &QueryTerms, candidates: &[FragmentCandidate]) -> Vec<Option<f64>> {
    let words: Vec<_> = candidates.iter().map(|candidate| &candidate.words).collect();
    let scores = score_candidates(&words, &terms.lexemes, &terms.idf, Bm25::LINES);
    let has = |candidate: &Candidate| !candidate.occurrences.is_empty();
    scores
        .into_iter()
        .zip(words)
        .map(|(score, candidate)| has(candidate).then_some(score))
        .collect()
}

/// Returns the indexes of candidates with a value, best first; ties are broken by ordinal.
fn ranked<W: PartialOrd>(
    candidates: &[FragmentCandidate],
    score: impl Fn(usize) -> Option<W>,
) -> Vec<usize> {
    let mut ranked: Vec<_> =
        (0..candidates.len()).filter_map(|index| Some((index, score(index)?))).collect();
    ranked.sort_by(|(first, a), (second, b)| {
        let by_score = b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal);
        by_score.then_with(|| candidates[*first].ordinal.cmp(&candidates[*second].ordinal))
    });
    ranked.into_iter().map(|(index, _)| index).collect()
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
        lexemes.add("alpha", vec!["alpha".to_owned()], vec![]);
        lexemes.add("beta", vec!["beta".to_owned()], vec![]);
        let idf = Idf::new(10.0, &[3.0, 3.0]);
        let variant =
            |lexeme: &str, kind| TermVariant { origin: 0, lexeme: lexeme.to_owned(), kind };
        let variants =
            vec![variant("alphabet", MatchKind::Prefix), variant("alhpa", MatchKind::Fuzzy(0.8))];
        let terms = QueryTerms::new(lexemes, idf, variants);
        let candidates: Vec<_> = chunks
            .iter()
            .zip(0..)
            .map(|((lexemes, similarity), ordinal)| {
                let occurrence = |(index, lexeme): (usize, &usize)| Occurrence {
                    lexeme: *lexeme,
                    field: Field::Content,
                    position: 10 * index as u16 + 1,
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
        let (strategy, ranked) = rank_chunks(strategy, &terms, &candidates);
        (strategy, ranked.into_iter().map(|ranked| ranked.chunk).collect())
    }

    #[test]
    fn exact_matches_precede_prefixes_and_these_precede_similar_words() {
        let chunks: [(&[usize], _); 3] =
            [(&[3, 3, 3, 3], None), (&[2, 2, 2, 2], None), (&[0], None)];
        assert_eq!(
            order(FragmentStrategy::Adaptive, &chunks),
            (FragmentStrategy::Adaptive, vec![2, 1, 0])
        );
    }

    #[test]
    fn auto_fuses_all_available_signals() {
        let chunks: [(&[usize], _); 3] =
            [(&[0], Some(0.1)), (&[0, 1], Some(0.5)), (&[], Some(0.6))];
        assert_eq!(order(FragmentStrategy::Auto, &chunks), (FragmentStrategy::Auto, vec![1, 0, 2]));
        assert_eq!(order(FragmentStrategy::Semantic, &chunks).1, [2, 1, 0]);
        assert_eq!(order(FragmentStrategy::Proximity, &chunks).1, [1, 0, 2]);
    }

    #[test]
    fn with_a_single_signal_auto_becomes_its_strategy() {
        assert_eq!(
            order(FragmentStrategy::Auto, &[(&[], Some(0.5))]).0,
            FragmentStrategy::Semantic
        );
        assert_eq!(
            order(FragmentStrategy::Auto, &[(&[0], None)]),
            (FragmentStrategy::Auto, vec![0])
        );
    }

    #[test]
    fn every_candidate_with_a_signal_is_ranked() {
        let chunks: [(&[usize], _); 3] = [(&[], Some(0.1)), (&[0], None), (&[3], None)];
        for strategy in [
            FragmentStrategy::Auto,
            FragmentStrategy::Adaptive,
            FragmentStrategy::Proximity,
            FragmentStrategy::Semantic,
        ] {
            let (_, mut ranked) = order(strategy, &chunks);
            ranked.sort_unstable();
            assert_eq!(ranked, [0, 1, 2], "{}", strategy.name());
        }
    }

    #[test]
    fn without_an_embedding_semantic_ranks_whole_sections() {
        // Sections are one chunk each here, so the better chunk is the better section.
        let chunks: [(&[usize], _); 2] = [(&[0], None), (&[0, 1], None)];
        assert_eq!(
            order(FragmentStrategy::Semantic, &chunks),
            (FragmentStrategy::Semantic, vec![1, 0])
        );
    }
}
