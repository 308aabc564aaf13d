//! Semantic scores of candidates, from their own similarity and that of their sections.
//!
//! Its twin in SQL is `sql/edition/fragments/rank.sql`.

use super::ranking::FragmentCandidate;
use super::terms::QueryTerms;
use crate::search::bm25::{Bm25, Candidate, Occurrence, score_candidates};
use std::collections::HashMap;

/// The share of the section's best similarity in a chunk's score.
const SECTION: f64 = 0.2;

/// Returns the score of each candidate: its similarity, combined with the best of its section. Without
/// embeddings the score is that of the section's words, then that of the chunk's words.
pub fn semantic(
    terms: &QueryTerms,
    candidates: &[FragmentCandidate],
    lexical: &[Option<f64>],
) -> Vec<Option<(f64, f64)>> {
    let mut sections: HashMap<_, Vec<usize>> = HashMap::new();
    for (index, chunk) in candidates.iter().enumerate() {
        // A chunk without a section forms its own section.
        let section = chunk.section.map_or((u128::MAX, index as i64), |section| section);
        sections.entry(section).or_default().push(index);
    }
    let mut scores = vec![None; candidates.len()];
    if candidates.iter().any(|candidate| candidate.similarity.is_some()) {
        for chunks in sections.values() {
            let similarities = chunks.iter().filter_map(|chunk| candidates[*chunk].similarity);
            let best = similarities.fold(f64::NEG_INFINITY, f64::max);
            for chunk in chunks {
                let own = candidates[*chunk].similarity;
                scores[*chunk] = own.map(|own| ((1.0 - SECTION) * own + SECTION * best, 0.0));
            }
        }
    } else {
        let mut sections: Vec<_> = sections.into_values().collect();
        sections.sort();
        let together: Vec<_> = sections.iter().map(|chunks| together(candidates, chunks)).collect();
        let section_scores = score_candidates(&together, &terms.lexemes, &terms.idf, Bm25::LINES);
        for (chunks, score) in sections.iter().zip(section_scores) {
            for chunk in chunks {
                scores[*chunk] = lexical[*chunk].map(|own| (score, own));
            }
        }
    }
    scores
}

/// Merges the chunks of a section into one candidate.
fn together(candidates: &[FragmentCandidate], chunks: &[usize]) -> Candidate {
    let mut whole = Candidate::default();
    for words in chunks.iter().map(|chunk| &candidates[*chunk].words) {
        let before = u16::try_from(whole.length).unwrap_or(u16::MAX);
        whole.occurrences.extend(words.occurrences.iter().map(|occurrence| Occurrence {
            position: occurrence.position.saturating_add(before),
            ..*occurrence
        }));
        whole.length += words.length;
    }
    whole.occurrences.sort_by_key(|occurrence| (occurrence.lexeme, occurrence.position));
    whole
}
