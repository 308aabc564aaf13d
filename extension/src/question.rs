//! What a search asks, and the chunks that answer it: one or two legs, fused.

use crate::error::Error;
use crate::spi::Connection;
use crate::store::{Filters, Ranked, Store};
use passage_core::search::{RankedList, SearchMode, fuse};
use passage_core::strategy::{check_limit, check_range};
use std::collections::HashMap;
use uuid::Uuid;

/// What a search asks.
pub struct Question {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    /// The legs; by default one for each of what is given.
    pub mode: Option<String>,
    /// The most chunks of each leg; by default three times what comes back, and at least 30.
    pub candidates: Option<i32>,
    pub filters: Filters,
    pub vector_weight: Option<f64>,
    pub text_weight: Option<f64>,
    pub rrf_k: Option<i32>,
}

/// A chunk that answers.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub chunk: Uuid,
    /// Of two legs the fused score, else that of the leg.
    pub score: f64,
    /// Its rank, from 1, and its score among the nearest.
    pub vector: Option<(i32, f64)>,
    /// Its rank and its score by words.
    pub text: Option<(i32, f64)>,
}

/// The least number of candidates by default.
const CANDIDATES: u32 = 30;

/// The most that a weight may be.
const WEIGHT: f64 = 1_000_000.0;

impl Question {
    /// Finds the chunks that answer, best first, where so many will come back.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments, or that the store cannot be searched in the mode
    /// that is asked for. Without a mode, a store without words or embeddings is searched by the
    /// other.
    pub fn answers(
        self,
        store: &Store,
        connection: &Connection,
        most: u32,
    ) -> Result<Vec<Answer>, Error> {
        let candidates = match self.candidates {
            Some(candidates) => check_limit("candidates", candidates)?,
            None => most.saturating_mul(3).max(CANDIDATES),
        };
        let weight = |argument, weight: Option<f64>| {
            check_range(argument, weight.unwrap_or(1.0), 0.0, WEIGHT)
        };
        let weights = [
            weight("vector_weight", self.vector_weight)?,
            weight("text_weight", self.text_weight)?,
        ];
        let rrf_k = check_limit("rrf_k", self.rrf_k.unwrap_or(60))?;
        if let Some(least) = self.filters.min_similarity {
            check_range("min_similarity", least, -1.0, 1.0)?;
            if self.embedding.is_none() {
                return Err(lacks("\"min_similarity\"", "an embedding"));
            }
        }
        let mode = self.mode.as_deref().map(SearchMode::from_name).transpose()?;
        for (needs, given, what) in [
            (mode != Some(SearchMode::Text), self.embedding.is_some(), "an embedding"),
            (mode != Some(SearchMode::Vector), self.query.is_some(), "a query"),
        ] {
            if let (Some(mode), true, false) = (mode, needs, given) {
                return Err(lacks(&format!("mode \"{}\"", mode.name()), what));
            }
        }
        let embedding = self
            .embedding
            .filter(|_| mode != Some(SearchMode::Text) || self.filters.min_similarity.is_some());
        let vectors = embedding.map(|of| store.vectors(connection, of)).transpose()?;
        let most = candidates as usize;
        let near = match &vectors {
            Some(vectors) if mode != Some(SearchMode::Text) => {
                Some(store.vector_leg(connection, vectors, &self.filters, most))
            }
            _ => None,
        };
        let text = match &self.query {
            Some(query)
                if mode != Some(SearchMode::Vector)
                    && (mode.is_some() || near.is_none() || store.has_words()) =>
            {
                let vectors = vectors.as_ref();
                Some(store.text_leg(connection, query, &self.filters, vectors, most)?)
            }
            _ => None,
        };
        let fused = near.is_some() && text.is_some();
        Ok(answers([near, text], fused.then_some((weights, rrf_k))))
    }
}

fn lacks(what: &str, lacks: &'static str) -> Error {
    Error::Lacks { what: what.to_owned(), lacks }
}

/// Makes one ranking of the legs.
fn answers(legs: [Option<Ranked>; 2], fusion: Option<([f64; 2], u32)>) -> Vec<Answer> {
    let legs = legs.map(Option::unwrap_or_default);
    let (weights, rrf_k) = fusion.unwrap_or(([1.0; 2], 0));
    let ranked = |leg: usize| RankedList {
        ids: legs[leg].iter().map(|(chunk, _)| *chunk).collect(),
        weight: weights[leg],
    };
    let scores: [HashMap<Uuid, f64>; 2] =
        [0, 1].map(|leg: usize| legs[leg].iter().copied().collect());
    let fused = fuse(&[ranked(0), ranked(1)], f64::from(rrf_k));
    let answer = |fused: passage_core::search::FusedHit<Uuid>| {
        let of = |leg: usize| fused.ranks[leg].map(|rank| (rank as i32, scores[leg][&fused.chunk]));
        let (vector, text) = (of(0), of(1));
        let single = vector.or(text).map_or(0.0, |(_, score)| score);
        let score = if fusion.is_some() { fused.score } else { single };
        Answer { chunk: fused.chunk, score, vector, text }
    };
    fused.into_iter().map(answer).collect()
}
