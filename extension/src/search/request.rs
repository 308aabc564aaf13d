//! The arguments of a search, and which legs they need: words, an embedding, or both.

use super::legs::{LegSource, SearchHit, SearchLegs};
use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::store::{Filters, Store};
use passage_core::search::SearchMode;
use passage_core::strategy::{check_limit, check_range};

/// The arguments of a search.
#[derive(Clone)]
pub struct SearchRequest {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    /// By default the search uses whichever of query and embedding is given.
    pub mode: Option<String>,
    /// The maximum number of chunks of each ranking. By default three times the number of requested results, and at
    /// least 30.
    pub candidates: Option<i32>,
    pub filters: Filters,
    pub fusion: FusionArguments,
}

/// How two rankings are fused.
#[derive(Clone)]
pub struct FusionArguments {
    pub vector_weight: Option<f64>,
    pub text_weight: Option<f64>,
    pub rrf_k: Option<i32>,
}

/// The largest weight.
const MAX_WEIGHT: f64 = 1_000_000.0;

impl FusionArguments {
    /// Returns the weights of the vector search and the text search, and the constant of reciprocal rank
    /// fusion. Without the constant the scores are fused.
    ///
    /// # Errors
    ///
    /// Returns the error of core for a number out of range.
    pub fn parse(&self) -> Result<([f64; 2], Option<u32>), Error> {
        let weight = |argument, weight: Option<f64>| {
            check_range(argument, weight.unwrap_or(1.0), 0.0, MAX_WEIGHT)
        };
        let weights = [
            weight("vector_weight", self.vector_weight)?,
            weight("text_weight", self.text_weight)?,
        ];
        let rrf_k = self.rrf_k.map(|k| check_limit("rrf_k", k)).transpose()?;
        Ok((weights, rrf_k))
    }
}

/// The arguments that a mode may need, and how to pass them.
const EMBEDDING: (&str, &str) =
    ("the argument \"embedding\"", "embedding => ..., the vector of the query");
const QUERY: (&str, &str) = ("the argument \"query\"", "query => ..., the words of the query");

/// The least number of candidates by default.
const MIN_CANDIDATES: u32 = 30;

impl SearchRequest {
    /// Returns the maximum number of chunks of each ranking.
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
    /// Returns what is wrong with the arguments or the store, see [`Self::legs`].
    pub fn search(
        self,
        store: &Store,
        connection: &Connection,
        requested: u32,
    ) -> Result<Vec<SearchHit>, Error> {
        let limit = self.limit(requested)?;
        Ok(self.legs(store, connection, limit, limit)?.hits(limit))
    }

    /// Reads the rankings of both legs, each with `limit` chunks. The caller may need up to `most`.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the arguments, or that the store does not support the mode. Without a
    /// mode, a store without lexemes or without embeddings is searched by the other.
    pub fn legs<'c>(
        &'c self,
        store: &'c Store,
        connection: &'c Connection,
        limit: u32,
        max: u32,
    ) -> Result<SearchLegs<'c>, Error> {
        let fusion = self.fusion.parse()?;
        if let Some(min_similarity) = self.filters.min_similarity {
            check_range("min_similarity", min_similarity, -1.0, 1.0)?;
            if self.embedding.is_none() {
                return Err(missing("\"min_similarity\"", EMBEDDING));
            }
        }
        let mode = self.mode.as_deref().map(SearchMode::from_name).transpose()?;
        for (is_needed, is_given, argument) in [
            (mode != Some(SearchMode::Text), self.embedding.is_some(), EMBEDDING),
            (mode != Some(SearchMode::Vector), self.query.is_some(), QUERY),
        ] {
            if let (Some(mode), true, false) = (mode, is_needed, is_given) {
                return Err(missing(&format!("mode \"{}\"", mode.name()), argument));
            }
        }
        let embedding = self
            .embedding
            .as_ref()
            .filter(|_| mode != Some(SearchMode::Text) || self.filters.min_similarity.is_some());
        let embedding =
            embedding.map(|embedding| store.query_embedding(connection, embedding.clone()));
        let embedding = embedding.transpose()?;
        let by_vector = embedding.is_some() && mode != Some(SearchMode::Text);
        let words = self.query.as_deref().filter(|_| {
            mode != Some(SearchMode::Vector)
                && (mode.is_some() || !by_vector || store.has_lexemes())
        });
        let mut filters = self.filters.clone();
        filters.find_latest(store, connection);
        let is_asked = by_vector || words.is_some();
        let source = LegSource { store, connection, filters, embedding, words };
        let limits = [limit, max].map(|count| count as usize);
        let legs = SearchLegs::read(source, by_vector, fusion, limits)?;
        if is_asked && limit > 0 && legs.is_empty() {
            legs.explain_nothing();
        }
        Ok(legs)
    }
}

fn missing(subject: &str, (missing, remedy): (&'static str, &'static str)) -> Error {
    Error::MissingArgument { subject: subject.to_owned(), missing, remedy }
}
