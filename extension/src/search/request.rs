//! The arguments of a search, and which legs they need: words, an embedding, or both.

use super::legs::{LegSource, SearchHit, SearchLegs};
use crate::server::error::Error;
use crate::server::spi::Connection;
use crate::store::{Filters, Store};
use passage_core::arguments::Ranking;
use passage_core::search::SearchMode;
use std::collections::HashSet;
use uuid::Uuid;

/// The arguments of a search.
#[derive(Clone)]
pub struct SearchRequest {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    pub filters: Filters,
    pub ranking: Ranking,
    /// The chunks that never are hits.
    pub skip: HashSet<Uuid>,
}

/// The arguments that a mode may need, and how to pass them.
const EMBEDDING: (&str, &str) =
    ("the argument \"embedding\"", "embedding => ..., the vector of the query");
const QUERY: (&str, &str) = ("the argument \"query\"", "query => ..., the words of the query");

/// The least number of candidates by default.
const MIN_CANDIDATES: u32 = 30;

impl SearchRequest {
    /// Returns the maximum number of chunks of each ranking, also for the chunks that the call skips.
    pub fn limit(&self, requested: u32) -> u32 {
        let default = || requested.saturating_mul(3).max(MIN_CANDIDATES);
        self.with_skipped(self.ranking.candidates.unwrap_or_else(default))
    }

    /// Returns a number of chunks together with those that the call skips.
    pub fn with_skipped(&self, count: u32) -> u32 {
        count.saturating_add(u32::try_from(self.skip.len()).unwrap_or(u32::MAX))
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
        let limit = self.limit(requested);
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
        if self.filters.min_similarity.is_some() && self.embedding.is_none() {
            return Err(missing("\"min_similarity\"", EMBEDDING));
        }
        let mode = self.ranking.mode;
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
        let skip = &self.skip;
        let source = LegSource { store, connection, filters, embedding, words, skip };
        let limits = [limit, max].map(|count| count as usize);
        let legs = SearchLegs::read(source, by_vector, &self.ranking, limits)?;
        if is_asked && limit > 0 && legs.is_empty() {
            legs.explain_nothing();
        }
        Ok(legs)
    }
}

fn missing(subject: &str, (missing, remedy): (&'static str, &'static str)) -> Error {
    Error::MissingArgument { subject: subject.to_owned(), missing, remedy }
}
