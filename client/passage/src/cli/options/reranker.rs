//! The reranker: a local model or a service, and what it reads.

use super::service::{OptionText, Service, ServiceNames, api_key};
use crate::Error;
use crate::rerank::{self, CrossEncoder, RerankConfig, RerankProvider};
use crate::serve::Reranking;
use crate::store::RerankContext;
use clap::{Args, ValueEnum};
use std::path::Path;
use std::time::Duration;

/// The time limit of reranking by default. A person waits for it.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The names of the options.
#[derive(Clone)]
pub struct RerankNames;

impl ServiceNames for RerankNames {
    const HEADING: &'static str = "Reranking";
    const URL: OptionText = OptionText {
        id: "rerank_url",
        long: "rerank-url",
        variable: "PASSAGE_RERANK_URL",
        help: "Address of a rerank service, such as http://localhost:8080/v1, that orders the chunks \
               found by the search. The API key is read from the variable PASSAGE_RERANK_KEY. If the \
               service fails, the order of the search stays",
    };
    const MODEL: OptionText = OptionText {
        id: "rerank_model",
        long: "rerank-model",
        variable: "PASSAGE_RERANK_MODEL",
        help: "Folder of a local rerank model that orders the chunks found by the search, with \
               model.safetensors, tokenizer.json and config.json. With --rerank-url or \
               --rerank-provider, the name of the service's model",
    };
    const MODEL_VALUE: &'static str = "DIR|NAME";
    const TIMEOUT: OptionText = OptionText {
        id: "rerank_timeout",
        long: "rerank-timeout",
        variable: "",
        help: "Time limit of reranking in seconds, at least 1, after which the order of the search stays \
               [default: 10]",
    };
    const RETRIES: OptionText = OptionText {
        id: "rerank_retries",
        long: "rerank-retries",
        variable: "",
        help: "Number of retries after a temporary error, at least 0 [default: 2]",
    };
}

/// The text that the model reads for a chunk.
#[derive(Clone, Copy, ValueEnum)]
enum Context {
    /// The chunk alone
    Hit,
    /// The chunk below its titles
    Section,
    /// The passage of the chunk, with the context that the strategy adds
    Passage,
}

impl From<Context> for RerankContext {
    fn from(context: Context) -> Self {
        match context {
            Context::Hit => Self::Hit,
            Context::Section => Self::Section,
            Context::Passage => Self::Passage,
        }
    }
}

/// The reranker.
#[derive(Args, Clone)]
pub struct Reranker {
    #[command(flatten)]
    service: Service<RerankNames>,
    /// Provider of the rerank service, which decides its address and the form of requests
    #[arg(long, env = "PASSAGE_RERANK_PROVIDER", hide_env_values = true, hide_short_help = true, value_name = "NAME", help_heading = RerankNames::HEADING, value_parser = RerankProvider::NAMED.map(RerankProvider::name))]
    rerank_provider: Option<String>,
    /// Text that the model reads for a chunk [default: section]
    #[arg(long, hide_short_help = true, value_name = "CONTEXT", help_heading = RerankNames::HEADING)]
    rerank_context: Option<Context>,
    /// Number of chunks that the model orders, 1 to 1000 [default: five times the limit, at least
    /// 50]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = RerankNames::HEADING, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rerank_candidates: Option<u32>,
    /// Leave the order of the search, also if the environment names a model or a service
    #[arg(long, hide_short_help = true, help_heading = RerankNames::HEADING)]
    no_rerank: bool,
}

impl Reranker {
    /// Makes the reranker of the options, with a local model in memory; `None` if they name none.
    ///
    /// # Errors
    ///
    /// Returns an error for a mistake in the options, also if the service is down.
    pub fn load(&self) -> Result<Option<Reranking>, Error> {
        if self.no_rerank {
            return Ok(None);
        }
        let (mut timeout, mut retries) =
            (TIMEOUT, RerankConfig::of(RerankProvider::Generic).retries);
        self.service.limit(&mut timeout, &mut retries);
        let reranker = match (self.config()?, self.service.model()) {
            (Some(config), _) => {
                rerank::Reranker::service(RerankConfig { retries, ..config }, timeout)?
            }
            (None, Some(folder)) => {
                rerank::Reranker::local(&CrossEncoder::load(Path::new(folder))?, timeout)?
            }
            (None, None) => return Ok(None),
        };
        let context = self.rerank_context.map(RerankContext::from).unwrap_or_default();
        Ok(Some(Reranking::new(reranker, self.rerank_candidates, context)))
    }

    /// Returns whether the model is in this process.
    pub fn is_local(&self) -> bool {
        self.service.url().is_none()
            && self.rerank_provider.is_none()
            && self.service.model().is_some()
    }

    /// Returns the service of the options, with its key; `None` if they name none.
    fn config(&self) -> Result<Option<RerankConfig>, Error> {
        let url = self.service.url();
        let provider = match (self.rerank_provider.as_deref().and_then(RerankProvider::named), url)
        {
            (Some(provider), _) => provider,
            (None, Some(_)) => RerankProvider::Generic,
            (None, None) => return Ok(None),
        };
        let name = provider.name();
        if url.is_none() && provider.url().is_none() {
            return Err(Error::usage(
                &format!("--rerank-provider {name} requires --rerank-url"),
                "Name the address of the server with --rerank-url or PASSAGE_RERANK_URL, such as http://localhost:8080.",
            ));
        }
        let model = self.service.model();
        if let (None, Some(example)) = (model, provider.example_model()) {
            return Err(Error::usage(
                &format!("--rerank-provider {name} requires --rerank-model"),
                &format!(
                    "Name the service's model with --rerank-model or PASSAGE_RERANK_MODEL, such as {example}."
                ),
            ));
        }
        let address = url.or(provider.url()).unwrap_or_default();
        Ok(Some(RerankConfig {
            url: url.map(str::to_owned),
            model: model.map(str::to_owned),
            key: api_key("PASSAGE_RERANK_KEY", provider.key_variables(address)),
            ..RerankConfig::of(provider)
        }))
    }
}
