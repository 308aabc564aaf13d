//! The rerank service, and searches whose hits it orders.

use super::embedder::environment_key;
use super::service::{OptionText, Service, ServiceNames};
use crate::Error;
use crate::embed::ApiKey;
use crate::rerank::{self, RerankConfig};
use crate::store::{Hit, Notice, Search, SearchResults, Store};
use clap::Args;
use std::time::{Duration, Instant};

/// The names of the options.
#[derive(Clone)]
pub struct RerankNames;

impl ServiceNames for RerankNames {
    const HEADING: &'static str = "Rerank service";
    const URL: OptionText = OptionText {
        id: "rerank_url",
        long: "rerank-url",
        variable: "PASSAGE_RERANK_URL",
        help: "Address of a rerank service, such as https://api.cohere.com/v2, that orders the chunks \
               found by the search. The API key is read from the variable PASSAGE_RERANK_KEY. If the \
               service fails, the order of the search stays",
    };
    const MODEL: OptionText = OptionText {
        id: "rerank_model",
        long: "rerank-model",
        variable: "PASSAGE_RERANK_MODEL",
        help: "Name of the service's model, if it has several",
    };
    const TIMEOUT: OptionText = OptionText {
        id: "rerank_timeout",
        long: "rerank-timeout",
        variable: "",
        help: "Timeout of a request in seconds, at least 1 [default: 10]",
    };
    const RETRIES: OptionText = OptionText {
        id: "rerank_retries",
        long: "rerank-retries",
        variable: "",
        help: "Number of retries after a temporary error, at least 0 [default: 2]",
    };
}

/// The rerank service.
#[derive(Args, Clone)]
pub struct Reranker {
    #[command(flatten)]
    service: Service<RerankNames>,
    /// Number of chunks that the service orders, 1 to 1000 [default: five times the limit, at least
    /// 50]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = RerankNames::HEADING, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rerank_candidates: Option<u32>,
}

impl Reranker {
    /// Returns the service of the options, without its key.
    pub fn service(&self) -> Option<RerankConfig> {
        let mut config = RerankConfig::new(self.service.url()?);
        config.model = self.service.model().map(str::to_owned);
        self.service.limit(&mut config.timeout, &mut config.retries);
        Some(config)
    }

    /// Returns the number of chunks to order for a number of passages.
    pub fn candidates(&self, limit: u32) -> u32 {
        self.rerank_candidates.unwrap_or((5 * limit).clamp(50, 1_000))
    }
}

/// The results of a search, and the time that the service took.
pub struct Reranked {
    pub results: SearchResults,
    pub took: Duration,
}

/// Searches, and lets the service order the hits. Returns a note if the service fails; the caller then
/// searches without it.
pub async fn rerank(
    args: &Reranker,
    store: &mut Store,
    search: &Search,
    limit: u32,
) -> Result<Option<Result<Reranked, Notice>>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    service.key = environment_key("PASSAGE_RERANK_KEY").map(ApiKey::new);
    // A mistake in the options is an error, also if the service is down.
    let reranker = rerank::Reranker::new(service)?;
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
