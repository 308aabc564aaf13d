//! A search whose hits a reranker orders.

use crate::Error;
use crate::rerank;
use crate::serve::Reranking;
use crate::store::{Notice, Search, SearchResults, Store};
use std::time::{Duration, Instant};

/// The results of a search, and the time that the model took.
pub struct Reranked {
    pub results: SearchResults,
    pub took: Duration,
}

/// Searches, and lets the reranker order the hits. Returns `None` without hits, and a note if the reranker fails; the caller
/// then searches without it.
pub async fn reranked(
    reranking: &Reranking,
    store: &Store,
    search: &Search,
) -> Result<Option<Result<Reranked, Notice>>, Error> {
    let (arguments, embedding) = (search.arguments(), search.embedding.as_deref());
    let Some(plan) = reranking.plan(&arguments) else { return Ok(None) };
    let (count, context) = (plan.candidates, plan.context);
    let mut candidates = store.rerank_candidates(&arguments, embedding, count, context).await?;
    if candidates.is_empty() {
        return Ok(None);
    }
    let mut notices = std::mem::take(&mut candidates.notices);
    let started = Instant::now();
    let mut hits = match plan.order(candidates).await {
        Ok(hits) => hits,
        Err(error) => return Ok(Some(Err(without(&error)))),
    };
    let took = started.elapsed();
    let passages = store.reranked_passages(&arguments, &hits).await?;
    hits.truncate(search.limit.map_or(usize::MAX, |limit| limit as usize));
    notices.extend(passages.notices.iter().cloned());
    let results = SearchResults {
        hits: search.hits.then_some(hits),
        passages: passages.parse().map_err(crate::store::Error::from)?,
        notices,
    };
    Ok(Some(Ok(Reranked { results, took })))
}

fn without(error: &rerank::Error) -> Notice {
    Notice {
        message: format!(
            "passages are in the order of the search, because reranking failed: {error}"
        ),
        hint: Some(error.remedy().into()),
    }
}
