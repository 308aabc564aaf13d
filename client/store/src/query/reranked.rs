//! Search with a reranker: the chunks to score, and the passages of those that the caller has ordered.

use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::arguments::Arguments;
use super::search::{Search, hit_arguments, hits_statement, rows};
use super::search_results::{Hit, Passage, SearchResults};
use uuid::Uuid;

/// The passages of a search without a limit, as in `passage.search`.
const DEFAULT_PASSAGES: u32 = 10;

/// A chunk that a search found, for a reranker.
#[derive(Clone, Debug, PartialEq)]
pub struct RerankCandidate {
    /// The chunk.
    pub hit: Hit,
    /// The text of the chunk with its preamble, which names the title and the sections.
    pub text: String,
}

impl Store {
    /// Finds the best `count` chunks of a search, best first.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`search`](Self::search).
    pub async fn rerank_candidates(
        &mut self,
        search: &Search,
        count: u32,
    ) -> Result<Vec<RerankCandidate>, Error> {
        let Self { client, name, schema, notices, .. } = self;
        // Removes the notices of earlier statements.
        drop(notices.take());
        let arguments = hit_arguments(search, Some(count), name)?;
        let sql = hits_statement(schema, &arguments);
        let rows = rows(&*client, &sql, &arguments)
            .await
            .map_err(|error| Error::during(Operation::Search, name, &error))?;
        let candidate = |row: &tokio_postgres::Row| {
            let hit = Hit::from_row(row);
            let text = match row.get::<_, Option<&str>>("preamble") {
                None | Some("") => hit.content.clone(),
                Some(preamble) => format!("{preamble}\n{}", hit.content),
            };
            RerankCandidate { hit, text }
        };
        Ok(rows.iter().map(candidate).collect())
    }

    /// Returns the passages around hits that the caller has ordered, best first. The search decides their
    /// number, context, size and order.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the strategy is unknown.
    pub async fn reassemble(
        &mut self,
        search: &Search,
        hits: &[Hit],
    ) -> Result<SearchResults, Error> {
        let max_tokens = match search.max_tokens {
            Some(tokens) => Some(tokens),
            None => self.default_tokens().await?,
        };
        let limit = search.limit.unwrap_or(DEFAULT_PASSAGES) as usize;
        let fitting = fitting(hits, max_tokens.filter(|tokens| *tokens > 0));
        let mut count = limit.min(fitting);
        let passages = loop {
            let passages = self.passages(search, max_tokens, &hits[..count]).await?;
            // Hits that are near each other share a passage, and so there is room for more.
            if passages.len() >= limit || count >= fitting {
                break passages;
            }
            count = (count + limit - passages.len()).min(fitting);
        };
        let hits = search.hits.then(|| hits.iter().take(limit).cloned().collect());
        Ok(SearchResults { hits, passages, notices: self.notices.take() })
    }

    async fn passages(
        &self,
        search: &Search,
        max_tokens: Option<u32>,
        hits: &[Hit],
    ) -> Result<Vec<Passage>, Error> {
        let ids: Vec<Uuid> = hits.iter().map(|hit| hit.chunk_id).collect();
        let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
        let mut arguments = Arguments::default();
        arguments.add("chunk_ids", Some(ids));
        arguments.add("scores", Some(scores));
        arguments.text("strategy", search.strategy.as_deref())?;
        arguments.number("max_tokens", max_tokens);
        arguments.number("max_chunks", search.max_chunks);
        arguments.text("order_by", search.order_by.as_deref())?;
        arguments.text("store", Some(&self.name))?;
        let sql = format!("SELECT * FROM {}", arguments.call("reassemble"));
        let rows = rows(&self.client, &sql, &arguments)
            .await
            .map_err(|error| self.error_during(Operation::Search, &error))?;
        Ok(rows.iter().map(Passage::from_row).collect())
    }

    /// Returns the tokens of all passages that `passage.search` returns by default, if the server has such
    /// a setting.
    async fn default_tokens(&self) -> Result<Option<u32>, Error> {
        let sql = "SELECT pg_catalog.current_setting('passage.max_tokens', true)";
        let setting: Option<String> = self.query_one(sql, &[]).await?.get(0);
        Ok(setting.and_then(|tokens| tokens.parse().ok()))
    }
}

/// Returns how many of the hits, at least one, have together at most a number of tokens.
fn fitting(hits: &[Hit], max_tokens: Option<u32>) -> usize {
    let Some(max_tokens) = max_tokens else { return hits.len() };
    let mut sum = 0_usize;
    let is_within = |hit: &&Hit| {
        let estimate = || hit.content.chars().count().div_ceil(4);
        sum += hit.tokens.and_then(|tokens| usize::try_from(tokens).ok()).unwrap_or_else(estimate);
        sum <= max_tokens as usize
    };
    hits.iter().take_while(is_within).count().max(1).min(hits.len())
}
