//! Options for the embedder: a local model, or a service.

use super::service::{OptionText, Service, ServiceNames};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use passage::embed::{ServiceConfig, default_folder};
use std::num::NonZero;
use std::path::PathBuf;

/// The heading of the options for a service.
const SERVICE: &str = EmbedNames::HEADING;

/// The names of the options for a service.
#[derive(Clone)]
pub struct EmbedNames;

impl ServiceNames for EmbedNames {
    const HEADING: &'static str = "Embedding service";
    const URL: OptionText = OptionText {
        id: "embed_url",
        long: "embed-url",
        variable: "PASSAGE_EMBED_URL",
        help: "Address of an OpenAI-compatible embedding service, such as https://api.openai.com/v1, \
               to use instead of a local model. The API key is read from the variable PASSAGE_API_KEY",
    };
    const MODEL: OptionText = OptionText {
        id: "embed_model",
        long: "embed-model",
        variable: "PASSAGE_EMBED_MODEL",
        help: "Name of the service's model; required with --embed-url",
    };
    const TIMEOUT: OptionText = OptionText {
        id: "embed_timeout",
        long: "embed-timeout",
        variable: "",
        help: "Timeout of a request in seconds, at least 1 [default: 60]",
    };
    const RETRIES: OptionText = OptionText {
        id: "embed_retries",
        long: "embed-retries",
        variable: "",
        help: "Number of retries after a temporary error, at least 0 [default: 6]",
    };
}

/// The local model.
#[derive(Args, Clone)]
pub struct Model {
    /// Folder of the local embedding model, with model.safetensors, tokenizer.json and config.json
    /// [default: ~/.cache/passage/all-MiniLM-L6-v2]
    #[arg(long, env = "PASSAGE_MODEL", hide_env_values = true, value_name = "DIR", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub model: Option<PathBuf>,
}

impl Model {
    /// Returns the folder of the option. An empty value counts as none.
    pub fn folder(&self) -> Option<PathBuf> {
        self.model.clone().filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns whether the option is given or the default folder exists.
    pub fn is_available(&self) -> bool {
        self.folder().is_some() || default_folder().is_some_and(|folder| folder.is_dir())
    }
}

/// The embedder.
#[derive(Args, Clone)]
pub struct Embedder {
    #[command(flatten)]
    pub model: Model,
    /// Name of the model that made the embeddings of the store or of JSON lines, if they do not name
    /// it
    #[arg(long, value_name = "NAME")]
    model_name: Option<String>,
    #[command(flatten)]
    service: Service<EmbedNames>,
    /// Number of dimensions to request, if the model supports several [default: that of the model]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub embed_dimensions: Option<NonZero<usize>>,
    /// Maximum number of texts per request, at least 1 [default: 64]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub embed_batch: Option<NonZero<usize>>,
    /// Maximum number of tokens per request, estimated as one per 3 bytes, at least 1 [default:
    /// 8000]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub embed_batch_tokens: Option<NonZero<usize>>,
    /// Number of concurrent requests, at least 1 [default: 4]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub embed_concurrency: Option<NonZero<usize>>,
}

impl Embedder {
    /// Returns the service of the options, without its key.
    pub fn service(&self) -> Option<ServiceConfig> {
        let url = self.service.url()?;
        let mut config = ServiceConfig::new(url, self.service.model().unwrap_or_default());
        config.dimensions = self.embed_dimensions;
        config.batch_texts = self.embed_batch.unwrap_or(config.batch_texts);
        config.batch_tokens = self.embed_batch_tokens.unwrap_or(config.batch_tokens);
        config.concurrency = self.embed_concurrency.unwrap_or(config.concurrency);
        self.service.limit(&mut config.timeout, &mut config.retries);
        Some(config)
    }

    /// Returns the model of embeddings that do not name it. An empty name counts as none.
    pub fn model_name(&self) -> Option<String> {
        self.model_name.clone().filter(|name| !name.trim().is_empty())
    }

    /// Ignores a service that only the environment or the configuration file names.
    pub fn prefer_model(&mut self) {
        self.service.clear();
    }

    /// Returns whether a service or a local model is available.
    pub fn is_available(&self) -> bool {
        self.service().is_some() || self.model.is_available()
    }
}
