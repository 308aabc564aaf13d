//! Search with a reranker: the chunks to score, and the passages of those that the caller has ordered.

use super::super::connection::Store;
use super::super::error::{Error, Operation};
use super::arguments::Arguments;
use super::search::{Search, context_arguments, hit_arguments, hits_statement, rows};
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
        let (ids, scores): (Vec<Uuid>, Vec<f64>) =
            hits.iter().map(|hit| (hit.chunk_id, hit.score)).unzip();
        let mut arguments = Arguments::default();
        arguments.add("chunk_ids", Some(ids));
        arguments.add("scores", Some(scores));
        arguments.number("max_passages", Some(search.limit.unwrap_or(DEFAULT_PASSAGES)));
        context_arguments(search, &mut arguments)?;
        arguments.text("store", Some(&self.name))?;
        let sql = format!("SELECT * FROM {}", arguments.call("reassemble"));
        let rows = rows(&self.client, &sql, &arguments)
            .await
            .map_err(|error| self.error_during(Operation::Search, &error))?;
        let limit = search.limit.unwrap_or(DEFAULT_PASSAGES) as usize;
        Ok(SearchResults {
            hits: search.hits.then(|| hits.iter().take(limit).cloned().collect()),
            passages: rows.iter().map(Passage::from_row).collect(),
            notices: self.notices.take(),
        })
    }
}
