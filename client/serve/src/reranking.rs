/*!
Reranking: whether a search is reranked, how many hits a model scores, and what it reads of each.

Every door decides here: the command `search`, MCP, HTTP and the page. A door only executes the statements: it reads the
candidates, lets the [`RerankPlan`] order them, and reads their passages. If reranking fails, it searches without.
*/

use passage_embed::rerank::{Error, Reranker};
use passage_store::{DEFAULT_PASSAGES, Hit, RerankCandidates, RerankContext};
use serde_json::{Map, Value};

/// The default number of candidates for each requested passage, because hits near each other share a passage.
const CANDIDATES_PER_PASSAGE: u64 = 5;
/// The bounds of the default number of candidates.
const CANDIDATES: (u64, u64) = (50, 1_000);

/// How searches are reranked.
pub struct Reranking {
    reranker: Reranker,
    candidates: Option<u32>,
    context: RerankContext,
}

/// The reranking of one search.
pub struct RerankPlan<'a> {
    reranker: &'a Reranker,
    question: String,
    /// The number of hits to score.
    pub candidates: u32,
    /// The text that the model reads for a hit.
    pub context: RerankContext,
}

impl Reranking {
    /// Combines a reranker with the number of hits that it scores, by default five for each passage and 50 to 1,000, and
    /// with what it reads of each.
    pub fn new(reranker: Reranker, candidates: Option<u32>, context: RerankContext) -> Self {
        Self { reranker, candidates, context }
    }

    /// Returns how a search is reranked; `None` if it has no question in words, as a model reads words.
    ///
    /// `arguments` are those of `passage.search`.
    pub fn plan(&self, arguments: &Map<String, Value>) -> Option<RerankPlan<'_>> {
        let question = arguments.get("query").and_then(Value::as_str)?;
        if question.trim().is_empty() {
            return None;
        }
        let passages = arguments.get("max_passages").and_then(Value::as_u64);
        let default = || {
            let passages = passages.unwrap_or(DEFAULT_PASSAGES.into());
            let count = passages.saturating_mul(CANDIDATES_PER_PASSAGE);
            count.clamp(CANDIDATES.0, CANDIDATES.1) as u32
        };
        Some(RerankPlan {
            reranker: &self.reranker,
            question: question.to_owned(),
            candidates: self.candidates.unwrap_or_else(default),
            context: self.context,
        })
    }
}

impl RerankPlan<'_> {
    /// Returns the hits in the order of the model's scores.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Reranker::scores`].
    pub async fn order(&self, candidates: RerankCandidates) -> Result<Vec<Hit>, Error> {
        let scores = self.reranker.scores(&self.question, candidates.texts()).await?;
        Ok(candidates.ranked(&scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use passage_embed::rerank::RerankConfig;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn the_number_of_candidates_follows_the_number_of_passages() {
        let candidates = |given: Option<u32>, arguments: Value| {
            let service = RerankConfig::new("http://localhost");
            let reranker = Reranker::service(service, Duration::from_secs(1)).unwrap();
            let reranking = Reranking::new(reranker, given, RerankContext::default());
            reranking.plan(arguments.as_object().unwrap()).map(|plan| plan.candidates)
        };
        assert_eq!(candidates(None, json!({"query": "a"})), Some(50));
        assert_eq!(candidates(None, json!({"query": "a", "max_passages": 30})), Some(150));
        assert_eq!(candidates(None, json!({"query": "a", "max_passages": 1_000_000})), Some(1_000));
        assert_eq!(candidates(Some(7), json!({"query": "a", "max_passages": 30})), Some(7));
        for unanswered in
            [json!({}), json!({"query": " "}), json!({"query": null, "embedding": [1]})]
        {
            assert_eq!(candidates(None, unanswered), None);
        }
    }
}
