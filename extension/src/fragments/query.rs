//! The query of a call, and the steps that answer it.
//!
//! Its twin in SQL is `sql/edition/functions/fragments.sql`.

use super::candidates::{CandidateQuery, Candidates};
use super::ranking::{best_chunks, positions};
use super::rows::{FragmentRow, RowBuilder};
use super::whole_document::{beginning, document_within, whole_document};
use crate::server::error::Error;
use crate::server::notices;
use crate::server::spi::Connection;
use crate::server::types::{Json, from_sql};
use crate::store::{DocumentInfo, FilterArguments, Filters, NamedDocument, Store};
use passage_core::fragments::{
    FragmentLimits, FragmentStrategy, rank_chunks, select_fragments, text_runs, uri_words,
};
use passage_core::search::SearchQuery;
use passage_core::strategy::{check_limit, check_range};
use pgrx::datum::Uuid;
use std::collections::HashMap;

/// The arguments of a call.
pub struct FragmentArguments {
    pub query: Option<String>,
    pub embedding: Option<Vec<Option<f32>>>,
    pub uri: Option<String>,
    pub document_id: Option<Uuid>,
    pub strategy: Option<String>,
    pub collection: Option<String>,
    pub max_fragments: Option<i32>,
    pub max_tokens: Option<i32>,
    pub fuzzy_threshold: Option<f64>,
    /// By default a document is returned in full if it fits into `max_tokens`.
    pub return_full: Option<bool>,
    pub filter: Option<Json>,
}

/// The checked arguments of a call.
pub struct FragmentQuery {
    query: Option<String>,
    embedding: Option<Vec<Option<f32>>>,
    document_id: Option<uuid::Uuid>,
    /// Whether the call names a document.
    is_named: bool,
    filters: Filters,
    strategy: FragmentStrategy,
    limits: FragmentLimits,
    fuzzy_threshold: f64,
    return_full: Option<bool>,
}

/// The default limits: fragments, and tokens of fragments and of a whole document.
const DEFAULT_FRAGMENTS: i32 = 5;
const DEFAULT_TOKENS: i32 = 700;
const DEFAULT_FULL_TOKENS: i32 = 100_000;

/// The maximum number of chunks that are read for fragments.
const MAX_CHUNKS: usize = 200;

impl FragmentArguments {
    /// Checks the arguments.
    ///
    /// # Errors
    ///
    /// Returns the error of core for an argument out of range or an invalid filter,
    /// [`Error::MissingArgument`] for `return_full` without a document, and [`Error::ChunkFilter`] for a filter
    /// of chunks with a document.
    pub fn parse(self) -> Result<FragmentQuery, Error> {
        let strategy = self
            .strategy
            .as_deref()
            .map_or(Ok(FragmentStrategy::Auto), FragmentStrategy::from_name)?;
        let Self { collection, uri, filter, .. } = self;
        // Fragments are not compared with the embedding.
        let filters = FilterArguments { collection, uri, filter }.parse(&["min_similarity"])?;
        // Of several uris, the documents are searched.
        let has_uri = filters.uri.as_ref().is_some_and(|uris| uris.len() == 1);
        let is_named = has_uri || self.document_id.is_some();
        if is_named && filters.shape().needs_chunk() {
            return Err(Error::ChunkFilter);
        }
        let is_full = self.return_full == Some(true);
        if is_full && !is_named {
            return Err(Error::MissingArgument {
                subject: "\"return_full\"".to_owned(),
                missing: "a uri or a document_id",
                remedy: "uri => ... or document_id => ...",
            });
        }
        let tokens = if is_full { DEFAULT_FULL_TOKENS } else { DEFAULT_TOKENS };
        let max_fragments =
            check_limit("max_fragments", self.max_fragments.unwrap_or(DEFAULT_FRAGMENTS))?;
        Ok(FragmentQuery {
            query: self.query,
            embedding: self.embedding,
            document_id: self.document_id.map(from_sql),
            is_named,
            filters,
            strategy,
            limits: FragmentLimits {
                max_fragments: max_fragments as usize,
                max_tokens: check_limit("max_tokens", self.max_tokens.unwrap_or(tokens))?,
            },
            fuzzy_threshold: check_range(
                "fuzzy_threshold",
                self.fuzzy_threshold.unwrap_or(0.8),
                0.0,
                1.0,
            )?,
            return_full: self.return_full,
        })
    }
}

impl FragmentQuery {
    /// Answers the call.
    ///
    /// # Errors
    ///
    /// Returns that the store does not support the search, and [`Error::AmbiguousUri`].
    pub fn answer(
        mut self,
        store: &Store,
        connection: &Connection,
    ) -> Result<Vec<FragmentRow>, Error> {
        self.filters.find_latest(store, connection);
        let named = if self.is_named {
            let Some(named) = store.named_document(connection, self.document_id, &self.filters)?
            else {
                if !store.report_missing_names(connection, &self.filters) {
                    notices::report_no_document();
                }
                return Ok(Vec::new());
            };
            Some(named)
        } else {
            None
        };
        if let Some(named) = named.as_ref().filter(|_| self.return_full == Some(true)) {
            return Ok(whole_document(store, connection, named, self.limits));
        }
        let query = self.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
        let of_uri = named.as_ref().and_then(|named| named.info.uri.as_deref()).map(uri_words);
        let text = query.or(of_uri.as_deref()).unwrap_or_default();
        let words = SearchQuery::parse(text);
        let strategy = self.strategy.resolve(text.split_whitespace().count());
        let embedding = self
            .embedding
            .map(|embedding| store.query_embedding(connection, embedding))
            .transpose()?;
        let candidate_query = CandidateQuery {
            named: named.as_ref(),
            filters: &self.filters,
            words: &words,
            embedding: embedding.as_ref(),
            strategy,
            fuzzy_threshold: self.fuzzy_threshold,
        };
        let candidates = Candidates::find(store, connection, &candidate_query)?;
        let resolved = strategy;
        let (strategy, ranked) = rank_chunks(resolved, &candidates.terms, &candidates.list);
        if ranked.is_empty() {
            let is_empty = query.is_none() && embedding.is_none();
            return Ok(match named {
                Some(named) if is_empty => beginning(store, connection, &named, self.limits),
                Some(_) => {
                    notices::report_no_match(embedding.is_some());
                    Vec::new()
                }
                None => {
                    store.explain_nothing(connection, &self.filters, query, embedding.is_some());
                    Vec::new()
                }
            });
        }
        // A caller that names a strategy expects lines that it ranked.
        let may_be_whole = self.return_full.is_none() && self.strategy == FragmentStrategy::Auto;
        if let Some(named) = named.as_ref().filter(|_| may_be_whole) {
            let hint = candidates.hint(strategy, ranked.first(), embedding.is_some());
            let rows = document_within(store, connection, named, self.limits, hint);
            if !rows.is_empty() {
                return Ok(rows);
            }
        }
        let limit = (3 * self.limits.max_fragments).clamp(1, MAX_CHUNKS);
        let ids: Vec<_> =
            ranked.iter().take(limit).map(|ranked| candidates.ids[ranked.chunk]).collect();
        let read = store.source_chunks(connection, &ids);
        let documents = match named {
            Some(NamedDocument { id, info }) => HashMap::from([(id, info)]),
            None => store.document_info(connection, &read.documents),
        };
        let text_runs = text_runs(&read.list, |document| {
            documents.get(&read.documents[document]).is_some_and(DocumentInfo::is_markdown)
        });
        let best = best_chunks(&ranked, &candidates.ids, &read, resolved, limit);
        let positions = positions(&read, &text_runs);
        let hits: Vec<_> =
            best.iter().map(|best| positions[&read.ids[best.index]].clone()).collect();
        let fragments = select_fragments(&text_runs, &hits, self.limits, &|lines| {
            let text = |(text_run, line): &(usize, usize)| text_runs[*text_run].line(*line);
            candidates.line_weights(store, connection, lines.iter().map(text))
        });
        let hint = candidates.hint(strategy, ranked.first(), embedding.is_some());
        let builder = RowBuilder {
            read: &read,
            text_runs: &text_runs,
            documents: &documents,
            strategy: strategy.name(),
            hint,
        };
        Ok(builder.rows(&fragments, &best))
    }
}
