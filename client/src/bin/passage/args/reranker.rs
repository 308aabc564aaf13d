//! Options for the rerank service.

use clap::Args;
use passage::rerank::RerankConfig;
use std::num::NonZero;
use std::time::Duration;

/// The heading of the options.
const SERVICE: &str = "Rerank service";

/// The rerank service.
#[derive(Args, Clone)]
#[expect(clippy::struct_field_names, reason = "the names of the options come from the fields")]
pub struct Reranker {
    #[arg(
        help = "Address of a rerank service, such as https://api.cohere.com/v2, that orders the chunks \
        found by the search. The API key is read from the variable PASSAGE_RERANK_KEY. If the service \
        fails, the order of the search stays"
    )]
    #[arg(
        long,
        env = "PASSAGE_RERANK_URL",
        hide_env_values = true,
        value_name = "URL",
        help_heading = SERVICE
    )]
    pub rerank_url: Option<String>,
    /// Name of the service's model, if it has several
    #[arg(
        long,
        env = "PASSAGE_RERANK_MODEL",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = SERVICE
    )]
    pub rerank_model: Option<String>,
    /// Number of chunks that the service orders, 1 to 1000 [default: five times the limit, at least
    /// 50]
    #[arg(long, value_name = "N", help_heading = SERVICE, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rerank_candidates: Option<u32>,
    /// Timeout of a request in seconds, at least 1 [default: 10]
    #[arg(long, value_name = "SECONDS", help_heading = SERVICE)]
    pub rerank_timeout: Option<NonZero<u32>>,
    /// Number of retries after a temporary error, at least 0 [default: 2]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub rerank_retries: Option<u32>,
}

impl Reranker {
    /// Returns the service of the options, without its key. An empty address counts as none.
    pub fn service(&self) -> Option<RerankConfig> {
        let url = self.rerank_url.as_ref().filter(|url| !url.is_empty())?;
        let mut service = RerankConfig::new(url);
        service.model = self.rerank_model.clone().filter(|model| !model.is_empty());
        service.retries = self.rerank_retries.unwrap_or(service.retries);
        if let Some(seconds) = self.rerank_timeout {
            service.timeout = Duration::from_secs(seconds.get().into());
        }
        Some(service)
    }

    /// Returns the number of chunks to order for a number of passages.
    pub fn candidates(&self, limit: u32) -> u32 {
        self.rerank_candidates.unwrap_or((5 * limit).clamp(50, 1_000))
    }
}
