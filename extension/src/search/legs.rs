/*!
The rankings of both legs of a search, and their fusion.

The rankings are kept, because a caller that needs more hits reads on: the text leg has ranked all its candidates
already, and only the vector leg is read again.
*/

use crate::corrections::corrected_query;
use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::store::{Filters, ParsedQuery, QueryEmbedding, RankedChunks, Store, TextRanking};
use passage_core::arguments::Ranking;
use passage_core::search::{FusedHit, RankedList, ScoredList, SearchQuery, fuse, fuse_scores};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

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

/// The weight of the words relative to the embedding if their scores are fused, for a coverage of 1. Measured:
/// `docs/benchmarks.md`.
const WORDS: f64 = 2.0;

/// The source of both legs.
pub struct LegSource<'c> {
    pub store: &'c Store,
    pub connection: &'c Connection,
    pub filters: Filters,
    pub embedding: Option<QueryEmbedding>,
    /// The query, if the text leg is needed.
    pub words: Option<&'c str>,
    /// The chunks that never are hits.
    pub skip: &'c HashSet<Uuid>,
}

/// The rankings of a search.
pub struct SearchLegs<'c> {
    source: LegSource<'c>,
    weights: [f64; 2],
    /// The constant of reciprocal rank fusion; without it the scores are fused.
    rrf_k: Option<u32>,
    vector: Option<RankedChunks>,
    /// The words, with those corrected that no chunk has, and their ranking.
    text: Option<(ParsedQuery, TextRanking)>,
    /// The number of chunks that each leg was read for. A shorter ranking is complete.
    limit: usize,
}

impl<'c> SearchLegs<'c> {
    /// Reads the rankings, each for `limit` chunks. Of the words up to `most` are kept.
    ///
    /// # Errors
    ///
    /// Returns that the store does not support full-text search.
    pub fn read(
        source: LegSource<'c>,
        by_vector: bool,
        ranking: &Ranking,
        [limit, max]: [usize; 2],
    ) -> Result<Self, Error> {
        let vector = source.embedding.as_ref().filter(|_| by_vector);
        let vector = vector.map(|embedding| {
            source.store.vector_search(source.connection, embedding, &source.filters, limit)
        });
        let text = source.words.map(|words| source.corrected(words, [limit, max])).transpose()?;
        let Ranking { weights, rrf_k, .. } = *ranking;
        Ok(Self { source, weights, rrf_k, vector, text, limit })
    }

    /// Reads the legs for `limit` chunks, if they may have so many.
    ///
    /// # Errors
    ///
    /// Returns that the store does not support full-text search.
    pub fn read_on(&mut self, limit: usize) -> Result<(), Error> {
        let Self { source, vector, text, limit: read, .. } = self;
        let may_have_more = |hits: &RankedChunks| (*read..limit).contains(&hits.len());
        let LegSource { store, connection, filters, embedding, .. } = source;
        if let (Some(embedding), Some(ranked)) = (embedding, vector.as_mut())
            && may_have_more(ranked)
        {
            *ranked = store.vector_search(connection, embedding, filters, limit);
        }
        if let Some((words, ranked)) = text.as_mut()
            && may_have_more(&ranked.hits)
        {
            *ranked = source.text(words.clone(), [limit; 2])?;
        }
        *read = limit;
        Ok(())
    }

    /// Returns whether no leg found a chunk.
    pub fn is_empty(&self) -> bool {
        let text = self.text.as_ref().map(|(_, text)| &text.hits);
        self.vector.iter().chain(text).all(Vec::is_empty)
    }

    /// Reports to the caller why nothing may have been found.
    pub fn explain_nothing(&self) {
        let LegSource { store, connection, filters, words, .. } = &self.source;
        store.explain_nothing(connection, filters, *words, self.vector.is_some());
    }

    /// Returns the fused hits of the first `limit` chunks of each leg, at most so many as were read, without those that
    /// the call skips.
    pub fn hits(&self, limit: u32) -> Vec<SearchHit> {
        let limit = self.limit.min(limit as usize);
        let text = self.text.as_ref().map(|(_, text)| &text.hits);
        let first = |hits: Option<&RankedChunks>| {
            hits.into_iter().flatten().take(limit).copied().collect::<RankedChunks>()
        };
        let rankings = [first(self.vector.as_ref()), first(text)];
        let scores: [HashMap<Uuid, f64>; 2] =
            [0, 1].map(|which: usize| rankings[which].iter().copied().collect());
        let is_fused = self.vector.is_some() && self.text.is_some();
        let fused = if is_fused { self.fuse(rankings, limit) } else { unfused(rankings) };
        let hit = |fused: FusedHit<Uuid>| {
            let rank_and_score = |which: usize| {
                fused.ranks[which].map(|rank| (rank as i32, scores[which][&fused.chunk]))
            };
            let (vector, text) = (rank_and_score(0), rank_and_score(1));
            let single = vector.or(text).map_or(0.0, |(_, score)| score);
            let score = if is_fused { fused.score } else { single };
            SearchHit { chunk: fused.chunk, score, vector, text }
        };
        let is_new = |fused: &FusedHit<Uuid>| !self.source.skip.contains(&fused.chunk);
        fused.into_iter().filter(is_new).map(hit).collect()
    }

    fn fuse(&self, [vector, text]: [RankedChunks; 2], limit: usize) -> Vec<FusedHit<Uuid>> {
        if let Some(rrf_k) = self.rrf_k {
            let list = |hits: RankedChunks, weight| RankedList { ids: ids(hits), weight };
            let lists = [list(vector, self.weights[0]), list(text, self.weights[1])];
            return fuse(&lists, f64::from(rrf_k));
        }
        // Below the limit, the chunks that are not found have none of the words, so their score is 0.
        let text_floor = (text.len() < limit).then_some(0.0);
        let list = |hits, floor, weight| ScoredList { hits, floor, weight };
        let coverage = self.text.as_ref().map_or(0.0, |(_, text)| text.coverage);
        let words = list(text, text_floor, WORDS * coverage * self.weights[1]);
        fuse_scores(&[list(vector, None, self.weights[0]), words])
    }
}

impl LegSource<'_> {
    /// Ranks chunks by words. Words that no chunk has are corrected and searched again.
    fn corrected(
        &self,
        words: &str,
        limits: [usize; 2],
    ) -> Result<(ParsedQuery, TextRanking), Error> {
        let Self { store, connection, filters, .. } = self;
        let words = store.parse_query(connection, &SearchQuery::parse(words));
        let ranked = self.text(words.clone(), limits)?;
        if ranked.unmatched.is_empty() {
            return Ok((words, ranked));
        }
        match corrected_query(store, connection, filters, &words, &ranked) {
            Some(corrected) => Ok((corrected.clone(), self.text(corrected, limits)?)),
            None => Ok((words, ranked)),
        }
    }

    fn text(&self, words: ParsedQuery, limits: [usize; 2]) -> Result<TextRanking, Error> {
        let embedding = self.embedding.as_ref();
        self.store.text_search(self.connection, words, &self.filters, embedding, limits)
    }
}

/// Returns the order of the only ranking.
fn unfused(rankings: [RankedChunks; 2]) -> Vec<FusedHit<Uuid>> {
    fuse(&rankings.map(|hits| RankedList { ids: ids(hits), weight: 1.0 }), 0.0)
}

fn ids(hits: RankedChunks) -> Vec<Uuid> {
    hits.into_iter().map(|(chunk, _)| chunk).collect()
}
