/*!
The rankings of both legs of a search, their fusion, and the order of the fused hits. Ratings may change this order.

The rankings are kept, because a caller that needs more hits reads on: the text leg has ranked all its candidates
already, and only the vector leg is read again.

Its twin in SQL is `sql/edition/legs.sql`.
*/

use crate::corrections::corrected_query;
use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::store::{Filters, ParsedQuery, QueryEmbedding, RankedChunks, Store, TextRanking};
use passage_core::arguments::Ranking;
use passage_core::search::{
    ALL_WORDS, FusedHit, HitEvidence, NamedPlace, OrderWeights, QueryName, RankedList, RatedHit,
    ScoredList, SearchQuery, fuse, fuse_scores, order_by_votes, reorder,
};
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

/// The places of hits.
type Places = HashMap<Uuid, NamedPlace<Uuid>>;

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

/// The maximum number of chunks that ratings add to those that the legs found.
const MAX_ADDED: usize = 10;

/// The opinions of users on chunks for similar questions.
struct Feedback {
    weight: f64,
    /// The sum of the votes of each chunk, -1 to 1.
    votes: HashMap<Uuid, f64>,
    /// The chunks with the best votes that the caller may see and that pass the filters.
    preferred: Vec<Uuid>,
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
    /// The ratings, if there are some that count.
    feedback: Option<Feedback>,
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
        let embedding = source.embedding.as_ref().filter(|_| by_vector);
        let vector = embedding.map(|embedding| {
            source.store.vector_search(source.connection, embedding, &source.filters, limit)
        });
        let text = source.words.map(|words| source.corrected(words, [limit, max])).transpose()?;
        let Ranking { weights, rrf_k, feedback, .. } = *ranking;
        let feedback = (feedback > 0.0 && limit > 0).then(|| {
            // A chunk is added without a look at its words, so not to a query that requires or excludes some.
            let may_add = text.as_ref().is_none_or(|(words, _)| words.required.is_empty());
            source.feedback(feedback, embedding, may_add)
        });
        let feedback = feedback.filter(|feedback| !feedback.votes.is_empty());
        Ok(Self { source, weights, rrf_k, vector, text, feedback, limit })
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

    /// Returns whether no leg found a chunk, and ratings add none.
    pub fn is_empty(&self) -> bool {
        let text = self.text.as_ref().map(|(_, text)| &text.hits);
        self.vector.iter().chain(text).all(Vec::is_empty) && self.preferred().is_empty()
    }

    /// Returns the chunks that ratings may add.
    fn preferred(&self) -> &[Uuid] {
        self.feedback.as_ref().map_or(&[], |feedback| &feedback.preferred)
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
        let name = self.source.words.and_then(QueryName::parse);
        let places = self.places(&rankings, is_fused, name.is_some());
        let fused = if is_fused { self.fuse(rankings, limit, &places) } else { unfused(rankings) };
        let hit = |fused: FusedHit<Uuid>| {
            let rank_and_score = |which: usize| {
                fused.ranks[which].map(|rank| (rank as i32, scores[which][&fused.chunk]))
            };
            let (vector, text) = (rank_and_score(0), rank_and_score(1));
            let single = vector.or(text).map_or(0.0, |(_, score)| score);
            let score = if is_fused { fused.score } else { single };
            SearchHit { chunk: fused.chunk, score, vector, text }
        };
        let hits = self.order_by_feedback(fused.into_iter().map(hit).collect());
        let hits = match name {
            Some(name) => name_in_front(&name, hits, &places),
            None => hits,
        };
        hits.into_iter().filter(|hit| !self.source.skip.contains(&hit.chunk)).collect()
    }

    /// Reads the places of hits, if their order depends on them.
    fn places(&self, rankings: &[RankedChunks; 2], is_fused: bool, has_names: bool) -> Places {
        let by_scores = is_fused && self.rrf_k.is_none();
        if !by_scores && !has_names {
            return Places::new();
        }
        let found = rankings.iter().flatten().map(|(chunk, _)| *chunk);
        let ids: HashSet<_> = found.chain(self.preferred().iter().copied()).collect();
        let ids: Vec<_> = ids.into_iter().collect();
        self.source.store.hit_places(self.source.connection, &ids, has_names)
    }

    /// Orders hits by the ratings too, and adds chunks that no leg found.
    fn order_by_feedback(&self, mut hits: Vec<SearchHit>) -> Vec<SearchHit> {
        let Some(Feedback { weight, votes, preferred }) = &self.feedback else { return hits };
        let found: HashSet<_> = hits.iter().map(|hit| hit.chunk).collect();
        let score = hits.last().map_or(0.0, |hit| hit.score);
        let added = preferred.iter().filter(|chunk| !found.contains(chunk));
        hits.extend(added.map(|&chunk| SearchHit { chunk, score, vector: None, text: None }));
        let chunks = hits.iter().map(|hit| hit.chunk).collect();
        let coverages =
            self.text.as_ref().map(|(_, text)| text.coverages(&chunks)).unwrap_or_default();
        let rated = hits.iter().map(|hit| RatedHit {
            score: hit.score,
            vote: votes.get(&hit.chunk).copied().unwrap_or_default(),
            has_all_words: coverages.get(&hit.chunk).is_some_and(|share| *share >= ALL_WORDS),
        });
        let rated: Vec<_> = rated.collect();
        let order = order_by_votes(&rated, *weight);
        let placed = order.into_iter().zip(&rated);
        placed.map(|(index, place)| SearchHit { score: place.score, ..hits[index] }).collect()
    }

    fn fuse(
        &self,
        [vector, text]: [RankedChunks; 2],
        limit: usize,
        places: &Places,
    ) -> Vec<FusedHit<Uuid>> {
        let [vector_weight, text_weight] = self.weights;
        if let Some(rrf_k) = self.rrf_k {
            let list = |hits: RankedChunks, weight| RankedList { ids: ids(hits), weight };
            return fuse(&[list(vector, vector_weight), list(text, text_weight)], f64::from(rrf_k));
        }
        let weights = OrderWeights::MEASURED;
        let chunks = vector.iter().chain(&text).map(|(chunk, _)| *chunk).collect();
        let coverages =
            self.text.as_ref().map(|(_, text)| text.coverages(&chunks)).unwrap_or_default();
        let best_coverage = coverages.values().copied().fold(0.0, f64::max);
        // Below the limit, the chunks that are not found have none of the words, so their score is 0.
        let text_floor = (text.len() < limit).then_some(0.0);
        let list = |hits, floor, weight| ScoredList { hits, floor, weight };
        let words = list(text, text_floor, weights.words * best_coverage * text_weight);
        let fused = fuse_scores(&[list(vector, None, vector_weight), words]);
        // Without one of the legs, the order of the other one is what the caller asks for.
        if self.weights.iter().any(|weight| *weight <= 0.0) {
            return fused;
        }
        // A caller for whom words count less means all that they say.
        let text_share = (text_weight / vector_weight).min(1.0);
        let evidence = fused.iter().map(|hit| HitEvidence {
            place: places.get(&hit.chunk).map(|place| (place.document, place.ordinal)),
            coverage: text_share * coverages.get(&hit.chunk).copied().unwrap_or_default(),
        });
        let evidence: Vec<_> = evidence.collect();
        reorder(fused, &evidence, weights)
    }
}

impl LegSource<'_> {
    /// Reads the ratings for questions that are similar to the query, and finds chunks to add if `may_add`.
    fn feedback(&self, weight: f64, embedding: Option<&QueryEmbedding>, may_add: bool) -> Feedback {
        let Self { store, connection, filters, .. } = self;
        let votes = store.votes(connection, self.words, embedding);
        let mut preferred: Vec<_> = votes
            .iter()
            .filter(|(_, vote)| may_add && **vote > 0.0)
            .map(|(chunk, vote)| (*chunk, *vote))
            .collect();
        preferred.sort_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
        preferred.truncate(MAX_ADDED);
        let mut preferred: Vec<_> = preferred.into_iter().map(|(chunk, _)| chunk).collect();
        if !preferred.is_empty() {
            let compared = self.embedding.as_ref();
            let admitted = store.admitted(connection, &preferred, filters, compared);
            preferred.retain(|chunk| admitted.contains(chunk));
        }
        Feedback { weight, votes, preferred }
    }

    /// Ranks chunks by words. Words that no chunk has are corrected and searched again.
    fn corrected(
        &self,
        words: &str,
        limits: [usize; 2],
    ) -> Result<(ParsedQuery, TextRanking), Error> {
        let Self { store, connection, filters, .. } = self;
        let words = store.parse_query(connection, &SearchQuery::parse(words));
        let ranked = self.text(words.clone(), limits)?;
        if ranked.unmatched().is_empty() {
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

/// Puts the hits of the unit with a name in front. They get scores above the best one, because scores order hits.
fn name_in_front(name: &QueryName, hits: Vec<SearchHit>, places: &Places) -> Vec<SearchHit> {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let hit_places: Vec<_> = hits.iter().map(|hit| places.get(&hit.chunk)).collect();
    let (mut hits, count) = name.in_front(hits, &hit_places);
    for (index, hit) in hits[..count].iter_mut().enumerate() {
        hit.score = best * (2.0 - index as f64 / count as f64);
    }
    hits
}
