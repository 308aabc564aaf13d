//! Search with a reranker: the chunks to score, and the passages of those that the caller has ordered.

use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::{given, number};
use super::call::Call;
use super::search::{HIT_COLUMNS, Search, chunks_of_hits};
use super::search_results::{Hit, SearchResults};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

/// The passages of a search without a limit, as in `passage.search`.
const DEFAULT_PASSAGES: u32 = 10;

/// A chunk that a search found, for a reranker.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RerankCandidate {
    /// The chunk.
    #[serde(flatten)]
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
        &self,
        search: &Search,
        count: u32,
    ) -> Result<Vec<RerankCandidate>, Error> {
        let functions = self.signatures("search_hits").await?;
        let arguments = search.hit_arguments(Some(count));
        let columns = format!(
            "{HIT_COLUMNS}, concat_ws(E'\\n', nullif(to_jsonb(chunk) ->> 'preamble', ''), search_hits.content) AS text"
        );
        let call = Call {
            columns: &columns,
            joins: &chunks_of_hits(&self.schema),
            ..Call::new(&functions, &arguments, search.embedding.as_deref())
        };
        Ok(call.rows(&self.client, &self.name).await?.parse()?)
    }

    /// Returns the passages around hits that the caller has ordered, best first. The search decides their
    /// number, context, size and order.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Database`] if the strategy is unknown.
    pub async fn reassemble(&self, search: &Search, hits: &[Hit]) -> Result<SearchResults, Error> {
        let (ids, scores): (Vec<Uuid>, Vec<f64>) =
            hits.iter().map(|hit| (hit.chunk_id, hit.score)).unzip();
        let limit = search.limit.unwrap_or(DEFAULT_PASSAGES);
        let hits_to_choose =
            json!({ "chunk_ids": ids, "scores": scores, "max_passages": number(Some(limit)) });
        let arguments = given([hits_to_choose, search.context()]);
        let result = self.call_named("reassemble", &arguments, None).await?;
        Ok(SearchResults {
            hits: search.hits.then(|| hits.iter().take(limit as usize).cloned().collect()),
            passages: result.parse()?,
            notices: result.notices,
        })
    }
}
