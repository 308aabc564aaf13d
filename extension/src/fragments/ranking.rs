//! The ranking of the chunks that lines are selected for.

use crate::store::SourceChunks;
use passage_core::fragments::{
    FragmentHit, FragmentStrategy, RankedChunk, TextRun, add_neighbor_scores,
};
use std::collections::HashMap;

/// A chunk that lines are selected for.
pub struct BestChunk<'a> {
    /// Its index among the chunks that were read.
    pub index: usize,
    /// Its score. The strategy `auto` adds the scores of neighbors.
    pub score: f64,
    /// Its signals, if the search found it; a neighbor has none.
    pub ranked: Option<&'a RankedChunk>,
}

/// Ranks the chunks that were read, best first, at most `limit`.
pub fn best_chunks<'a>(
    ranked: &'a [RankedChunk],
    ids: &[uuid::Uuid],
    read: &SourceChunks,
    strategy: FragmentStrategy,
    limit: usize,
) -> Vec<BestChunk<'a>> {
    let signals: HashMap<_, _> = ranked.iter().map(|ranked| (ids[ranked.chunk], ranked)).collect();
    let signals: Vec<_> = read.ids.iter().map(|id| signals.get(id).copied()).collect();
    let scores: Vec<_> = signals.iter().map(|ranked| ranked.map(|ranked| ranked.score)).collect();
    // Fused scores decrease with the rank. The scores of a single signal may be close to each other.
    let order = if strategy == FragmentStrategy::Auto {
        add_neighbor_scores(&read.list, &scores)
    } else {
        // The scores alone do not determine the order of the ranking.
        let indexes: HashMap<_, _> = read.ids.iter().zip(0..).collect();
        let ranked =
            ranked.iter().filter_map(|chunk| Some((*indexes.get(&ids[chunk.chunk])?, chunk.score)));
        ranked.collect()
    };
    let best = |(index, score)| BestChunk { index, score, ranked: signals[index] };
    order.into_iter().take(limit).map(best).collect()
}

/// Returns the position of each chunk in the text runs.
pub fn positions(read: &SourceChunks, text_runs: &[TextRun]) -> HashMap<uuid::Uuid, FragmentHit> {
    let mut positions = HashMap::new();
    for (text_run, text) in text_runs.iter().enumerate() {
        for (index, bytes) in &text.chunks {
            positions.insert(read.ids[*index], FragmentHit { text_run, bytes: bytes.clone() });
        }
    }
    positions
}
