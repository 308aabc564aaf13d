//! The worth of chunks by their meaning, and by that of the sections they stand in.

use super::ranking::FragmentCandidate;
use super::terms::QueryTerms;
use crate::search::bm25::{Candidate, Occurrence, score_candidates};
use std::collections::HashMap;

/// How much of a chunk's similarity is that of the best chunk in its section.
const SECTION: f64 = 0.2;

/// Ranks by meaning: the similarity of a chunk with some of that of its section; without embeddings
/// the words of the section, and within it those of the chunk.
pub fn semantic(
    terms: &QueryTerms,
    found: &[FragmentCandidate],
    lexical: &[Option<f64>],
) -> Vec<Option<(f64, f64)>> {
    let mut sections: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, chunk) in found.iter().enumerate() {
        // A chunk without a section is one by itself.
        let section = chunk.section.map_or((u128::MAX, place as i64), |section| section);
        sections.entry(section).or_default().push(place);
    }
    let mut worth = vec![None; found.len()];
    if found.iter().any(|found| found.similarity.is_some()) {
        for chunks in sections.values() {
            let similarities = chunks.iter().filter_map(|chunk| found[*chunk].similarity);
            let best = similarities.fold(f64::NEG_INFINITY, f64::max);
            for chunk in chunks {
                let own = found[*chunk].similarity;
                worth[*chunk] = own.map(|own| ((1.0 - SECTION) * own + SECTION * best, 0.0));
            }
        }
    } else {
        let mut sections: Vec<_> = sections.into_values().collect();
        sections.sort();
        let together: Vec<_> = sections.iter().map(|chunks| together(found, chunks)).collect();
        let scores = score_candidates(&together, &terms.lexemes, &terms.idf);
        for (chunks, score) in sections.iter().zip(scores) {
            for chunk in chunks {
                worth[*chunk] = lexical[*chunk].map(|own| (score, own));
            }
        }
    }
    worth
}

/// The chunks of a section as one.
fn together(found: &[FragmentCandidate], chunks: &[usize]) -> Candidate {
    let mut whole = Candidate::default();
    for words in chunks.iter().map(|chunk| &found[*chunk].words) {
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
