//! Searching a store: by words, by an embedding, or by both with fused rankings.

use crate::arguments::FusionArguments;
use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, RankedChunks, Store};
use passage_core::search::{FusedHit, RankedList, ScoredList, SearchMode, fuse, fuse_scores};
use passage_core::strategy::{check_limit, check_range};
use std::collections::HashMap;
use uuid::Uuid;

/// The arguments of a search.
#[derive(Clone)]
pub struct SearchRequest {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    /// By default the search uses whichever of query and embedding is given.
    pub mode: Option<String>,
    /// The most chunks of each ranking. By default three times the number of requested results, and at
    /// least 30.
    pub candidates: Option<i32>,
    pub filters: Filters,
    pub fusion: FusionArguments,
}

/// A chunk that the search found.
#[derive(Clone, Copy, Debug)]
pub struct SearchHit {
    pub chunk: Uuid,
    /// The fused score of two rankings, else the score of the only one.
    pub score: f64,
    /// The rank, from 1, and the score of the vector search.
    pub vector: Option<(i32, f64)>,
    /// The rank, from 1, and the score of the text search.
    pub text: Option<(i32, f64)>,
}

/// The least number of candidates by default.
const MIN_CANDIDATES: u32 = 30;

impl SearchRequest {
    /// Returns the most chunks of each ranking.
    ///
    /// # Errors
    ///
    /// Returns the error of core for a number out of range.
    pub fn limit(&self, requested: u32) -> Result<u32, Error> {
        match self.candidates {
            Some(candidates) => Ok(check_limit("candidates", candidates)?),
            None => Ok(requested.saturating_mul(3).max(MIN_CANDIDATES)),
        }
    }

    /// Finds chunks, best first. `requested` is the number of results that the caller will return.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments, or that the store does not support the mode. Without a
    /// mode, a store without lexemes or without embeddings is searched by the other.
    pub fn search(
        self,
        store: &Store,
        connection: &Connection,
        requested: u32,
    ) -> Result<Vec<SearchHit>, Error> {
        let candidates = self.limit(requested)?;
        let (weights, rrf_k) = self.fusion.parse()?;
        if let Some(min_similarity) = self.filters.min_similarity {
            check_range("min_similarity", min_similarity, -1.0, 1.0)?;
            if self.embedding.is_none() {
                return Err(missing("\"min_similarity\"", "an embedding"));
            }
        }
        let mode = self.mode.as_deref().map(SearchMode::from_name).transpose()?;
        for (is_needed, is_given, what) in [
            (mode != Some(SearchMode::Text), self.embedding.is_some(), "an embedding"),
            (mode != Some(SearchMode::Vector), self.query.is_some(), "a query"),
        ] {
            if let (Some(mode), true, false) = (mode, is_needed, is_given) {
                return Err(missing(&format!("mode \"{}\"", mode.name()), what));
            }
        }
        let embedding = self
            .embedding
            .filter(|_| mode != Some(SearchMode::Text) || self.filters.min_similarity.is_some());
        let embedding = embedding.map(|of| store.query_embedding(connection, of)).transpose()?;
        let limit = candidates as usize;
        let by_vector = match &embedding {
            Some(embedding) if mode != Some(SearchMode::Text) => {
                Some(store.vector_search(connection, embedding, &self.filters, limit))
            }
            _ => None,
        };
        let by_text = match &self.query {
            Some(query)
                if mode != Some(SearchMode::Vector)
                    && (mode.is_some() || by_vector.is_none() || store.has_lexemes()) =>
            {
                let embedding = embedding.as_ref();
                Some(store.text_search(connection, query, &self.filters, embedding, limit)?)
            }
            _ => None,
        };
        let is_fused = by_vector.is_some() && by_text.is_some();
        let fusion = is_fused.then_some(Fusion { weights, rrf_k });
        Ok(merge([by_vector, by_text], fusion, limit))
    }
}

fn missing(subject: &str, missing: &'static str) -> Error {
    Error::MissingArgument { subject: subject.to_owned(), missing }
}

/// How both rankings are fused.
struct Fusion {
    weights: [f64; 2],
    /// The constant of reciprocal rank fusion; without it the scores are fused.
    rrf_k: Option<u32>,
}

/// The weight of the words relative to the embedding if their scores are fused. Measured:
/// `docs/benchmarks.md`.
const WORDS: f64 = 1.1;

/// Merges the rankings of the vector search and the text search, each with at most `limit` chunks.
fn merge(
    rankings: [Option<RankedChunks>; 2],
    fusion: Option<Fusion>,
    limit: usize,
) -> Vec<SearchHit> {
    let rankings = rankings.map(Option::unwrap_or_default);
    let scores: [HashMap<Uuid, f64>; 2] =
        [0, 1].map(|which: usize| rankings[which].iter().copied().collect());
    let is_fused = fusion.is_some();
    let fused = fuse_rankings(rankings, fusion, limit);
    let hit = |fused: FusedHit<Uuid>| {
        let rank_and_score = |which: usize| {
            fused.ranks[which].map(|rank| (rank as i32, scores[which][&fused.chunk]))
        };
        let (vector, text) = (rank_and_score(0), rank_and_score(1));
        let single = vector.or(text).map_or(0.0, |(_, score)| score);
        let score = if is_fused { fused.score } else { single };
        SearchHit { chunk: fused.chunk, score, vector, text }
    };
    fused.into_iter().map(hit).collect()
}

fn fuse_rankings(
    rankings: [RankedChunks; 2],
    fusion: Option<Fusion>,
    limit: usize,
) -> Vec<FusedHit<Uuid>> {
    let Fusion { weights, rrf_k } = fusion.unwrap_or(Fusion { weights: [1.0; 2], rrf_k: Some(0) });
    let [vector, text] = rankings;
    if let Some(rrf_k) = rrf_k {
        let list = |hits: RankedChunks, weight| RankedList {
            ids: hits.into_iter().map(|(chunk, _)| chunk).collect(),
            weight,
        };
        return fuse(&[list(vector, weights[0]), list(text, weights[1])], f64::from(rrf_k));
    }
    // Without the limit, the chunks that are not found have none of the words, so their score is 0.
    let text_floor = (text.len() < limit).then_some(0.0);
    let list = |hits, floor, weight| ScoredList { hits, floor, weight };
    let words = list(text, text_floor, WORDS * weights[1]);
    fuse_scores(&[list(vector, None, weights[0]), words])
}
