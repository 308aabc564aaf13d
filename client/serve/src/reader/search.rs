//! Searches, which a model may order again.

use super::Reader;
use crate::error::Error;
use crate::facts::{Facts, SEARCH};
use crate::reranking::RerankPlan;
use passage_embed::rerank;
use passage_store::{CallResult, Notice};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The result of a search.
pub(crate) struct Searched {
    pub(crate) result: CallResult,
    /// Whether a model has ordered the hits.
    pub(crate) is_reranked: bool,
}

impl Reader {
    /// Searches with the arguments of `passage.search`, and lets the reranker order the hits, if the server has one.
    /// `rerank` is the wish of the caller. If reranking fails, the result has the order of the search and a notice.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] if the caller asks for reranking and that is impossible, and the errors of
    /// [`call`](Self::call).
    pub(crate) async fn search(
        &self,
        arguments: &Map<String, Value>,
        rerank: Option<bool>,
    ) -> Result<Searched, Error> {
        let plan = match (&self.reranking, rerank) {
            (_, Some(false)) | (None, None) => None,
            (Some(reranking), wish) => {
                let plan = reranking.plan(arguments);
                if plan.is_none() && wish == Some(true) {
                    return Err(Error::invalid(
                        "\"rerank\" needs a query, because a rerank model reads words",
                        "Give \"query\", or leave \"rerank\" out.",
                    ));
                }
                plan
            }
            (None, Some(true)) => {
                return Err(Error::invalid(
                    "this server has no reranker",
                    "Leave \"rerank\" out, or start the server with --rerank-model, --rerank-url or --rerank-provider.",
                ));
            }
        };
        let Some(plan) = plan else { return self.in_its_order(arguments, None).await };
        match self.limited(self.reranked(&plan, arguments)).await? {
            Ok(Some(result)) => Ok(Searched { result, is_reranked: true }),
            // Without hits, the search itself says why.
            Ok(None) => self.in_its_order(arguments, None).await,
            Err(notice) => self.in_its_order(arguments, Some(notice)).await,
        }
    }

    /// Searches without a reranker.
    async fn in_its_order(
        &self,
        arguments: &Map<String, Value>,
        notice: Option<Notice>,
    ) -> Result<Searched, Error> {
        let mut result = self.call(SEARCH, arguments).await?;
        result.notices.extend(notice);
        Ok(Searched { result, is_reranked: false })
    }

    /// Returns the passages in the order of the reranker; `None` without hits, and a notice if the reranker fails. No
    /// connection waits for it.
    async fn reranked(
        &self,
        plan: &RerankPlan<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<Result<Option<CallResult>, Notice>, Error> {
        let candidates = |facts: Arc<Facts>| async move {
            let embedding = self.embedding(&facts, facts.overloads(SEARCH), arguments).await?;
            let embedding = embedding.as_deref();
            let (count, context) = (plan.candidates, plan.context);
            let read = self.read(|lease| {
                let facts = &facts;
                async move {
                    let found = lease.rerank_candidates(arguments, embedding, count, context).await;
                    let found = facts.confirm(&lease, found).await;
                    lease.finish(found)
                }
            });
            Ok(read.await?.map(|found| (found, facts)))
        };
        let (mut found, facts) = self.with_facts(candidates).await?;
        if found.is_empty() {
            return Ok(Ok(None));
        }
        let notices = std::mem::take(&mut found.notices);
        let hits = match plan.order(found).await {
            Ok(hits) => hits,
            Err(error) => return Ok(Err(self.reranking_failure(&error))),
        };
        let (facts, hits) = (&facts, &hits);
        let passages = self.read(|lease| async move {
            let passages = lease.reranked_passages(arguments, hits).await;
            let passages = facts.confirm(&lease, passages).await;
            lease.finish(passages)
        });
        // If a reindex has replaced the store since, the chunks of the candidates no longer exist.
        let Some(mut result) = passages.await? else { return Ok(Ok(None)) };
        result.notices.splice(0..0, notices);
        result.notices.extend(facts.search_notice());
        Ok(Ok(Some(result)))
    }

    /// Returns the notice of a search without its reranker for callers, and reports the cause. They do not learn the host
    /// of a service; the operator does.
    fn reranking_failure(&self, error: &rerank::Error) -> Notice {
        self.connections.report(&format!("reranking failed: {error}: {}", error.remedy()));
        let cause = match error {
            rerank::Error::TimedOut(_) => error.to_string(),
            _ => "the server prints the cause".into(),
        };
        Notice {
            message: format!(
                "passages are in the order of the search, because reranking failed: {cause}"
            ),
            hint: None,
        }
    }
}
