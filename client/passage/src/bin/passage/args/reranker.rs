//! Options for the rerank service.

use super::service::{OptionText, Service, ServiceNames};
use clap::Args;
use passage::rerank::RerankConfig;

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
    #[arg(long, value_name = "N", help_heading = RerankNames::HEADING, value_parser = clap::value_parser!(u32).range(1..=1000))]
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
