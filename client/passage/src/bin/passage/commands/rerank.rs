//! Reranking the hits of a search by a service.

use super::embedder::environment_key;
use crate::args;
use passage::Error;
use passage::embed::ApiKey;
use passage::rerank::{self, Reranker};
use passage::store::{Hit, Notice, Search, SearchResults, Store};
use std::time::{Duration, Instant};

/// The results of a search, and the time that the service took.
pub struct Reranked {
    pub results: SearchResults,
    pub took: Duration,
}

/// Searches, and lets the service order the hits. Returns a note if the service fails; the caller then
/// searches without it.
pub async fn rerank(
    args: &args::Reranker,
    store: &mut Store,
    search: &Search,
    limit: u32,
) -> Result<Option<Result<Reranked, Notice>>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    service.key = environment_key("PASSAGE_RERANK_KEY").map(ApiKey::new);
    // A mistake in the options is an error, also if the service is down.
    let reranker = Reranker::new(service)?;
    let candidates = store.rerank_candidates(search, args.candidates(limit)).await?;
    let (hits, texts): (Vec<_>, Vec<_>) =
        candidates.into_iter().map(|candidate| (candidate.hit, candidate.text)).unzip();
    let started = Instant::now();
    let scores = match reranker.scores(&search.question, texts).await {
        Ok(scores) => scores,
        Err(error) => return Ok(Some(Err(without(&error)))),
    };
    let took = started.elapsed();
    let results = store.reassemble(search, &ordered(hits, &scores)).await?;
    Ok(Some(Ok(Reranked { results, took })))
}

/// Returns the hits with a score, best first.
fn ordered(hits: Vec<Hit>, scores: &[Option<f64>]) -> Vec<Hit> {
    let with_score = |(hit, score): (Hit, &Option<f64>)| Some(Hit { score: (*score)?, ..hit });
    let mut hits: Vec<Hit> = hits.into_iter().zip(scores).filter_map(with_score).collect();
    // A stable sort: equal scores stay in the order of the search.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    for (rank, hit) in (1..).zip(&mut hits) {
        hit.rank = rank;
    }
    hits
}

fn without(error: &rerank::Error) -> Notice {
    Notice {
        message: format!(
            "passages are in the order of the search, because reranking failed: {error}"
        ),
        hint: Some(error.remedy().into()),
    }
}
