//! Options for the embedder: a local model, or a service.

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use passage::embed::{ServiceConfig, default_folder};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// The heading of the options for a service.
const SERVICE: &str = "Embedding service";

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
    #[arg(
        help = "Address of an OpenAI-compatible embedding service, such as https://api.openai.com/v1, \
        to use instead of a local model. The API key is read from the variable PASSAGE_API_KEY"
    )]
    #[arg(
        long,
        env = "PASSAGE_EMBED_URL",
        hide_env_values = true,
        value_name = "URL",
        help_heading = SERVICE
    )]
    pub embed_url: Option<String>,
    /// Name of the service's model; required with --embed-url
    #[arg(
        long,
        env = "PASSAGE_EMBED_MODEL",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = SERVICE
    )]
    pub embed_model: Option<String>,
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
    /// Timeout of a request in seconds, at least 1 [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = SERVICE)]
    pub embed_timeout: Option<NonZero<u32>>,
    /// Number of retries after a temporary error, at least 0 [default: 6]
    #[arg(long, value_name = "N", help_heading = SERVICE)]
    pub embed_retries: Option<u32>,
}

impl Embedder {
    /// Returns the service of the options, without its key.
    pub fn service(&self) -> Option<ServiceConfig> {
        let url = self.embed_url.as_ref().filter(|url| !url.is_empty())?;
        let mut service = ServiceConfig::new(url, self.embed_model.as_deref().unwrap_or_default());
        service.dimensions = self.embed_dimensions;
        service.batch_texts = self.embed_batch.unwrap_or(service.batch_texts);
        service.batch_tokens = self.embed_batch_tokens.unwrap_or(service.batch_tokens);
        service.concurrency = self.embed_concurrency.unwrap_or(service.concurrency);
        service.retries = self.embed_retries.unwrap_or(service.retries);
        if let Some(seconds) = self.embed_timeout {
            service.timeout = Duration::from_secs(seconds.get().into());
        }
        Some(service)
    }

    /// Ignores a service that only the environment or the configuration file names.
    pub fn prefer_model(&mut self) {
        self.embed_url = None;
    }

    /// Returns whether a service or a local model is available.
    pub fn is_available(&self) -> bool {
        self.service().is_some() || self.model.is_available()
    }
}
