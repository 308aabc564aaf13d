//! What can be said of embedding: by a model in this process, or by a service.

use super::Model;
use clap::Args;
use passage::embed::ServiceConfig;
use std::num::NonZero;
use std::time::Duration;

/// What embeds.
#[derive(Args, Clone)]
pub struct Embedder {
    #[command(flatten)]
    pub model: Model,
    #[arg(
        help = "A service that embeds as OpenAI does, such as https://api.openai.com/v1, in place of \
        a model in this process; its key is read from PASSAGE_API_KEY alone"
    )]
    #[arg(
        long,
        env = "PASSAGE_EMBED_URL",
        hide_env_values = true,
        value_name = "URL",
        help_heading = "Embedding by a service"
    )]
    pub embed_url: Option<String>,
    /// The service's model
    #[arg(
        long,
        env = "PASSAGE_EMBED_MODEL",
        hide_env_values = true,
        value_name = "NAME",
        help_heading = "Embedding by a service"
    )]
    pub embed_model: Option<String>,
    /// The length of the embeddings, where the model gives several [default: the model's own]
    #[arg(long, value_name = "N", help_heading = "Embedding by a service")]
    pub embed_dimensions: Option<NonZero<usize>>,
    /// The most texts of a request [default: 64]
    #[arg(long, value_name = "N", help_heading = "Embedding by a service")]
    pub embed_batch: Option<NonZero<usize>>,
    /// The most tokens of a request, at a token for three bytes [default: 8000]
    #[arg(long, value_name = "N", help_heading = "Embedding by a service")]
    pub embed_batch_tokens: Option<NonZero<usize>>,
    /// Requests at a time [default: 4]
    #[arg(long, value_name = "N", help_heading = "Embedding by a service")]
    pub embed_concurrency: Option<NonZero<usize>>,
    /// How long an answer may take [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = "Embedding by a service")]
    pub embed_timeout: Option<NonZero<u32>>,
    /// How often a request is made again that may succeed the next time [default: 6]
    #[arg(long, value_name = "N", help_heading = "Embedding by a service")]
    pub embed_retries: Option<u32>,
}

impl Embedder {
    /// Returns the service that is named, without its key.
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

    /// Leaves out a service that is named by the environment or the file alone.
    pub fn prefer_model(&mut self) {
        self.embed_url = None;
    }

    /// Tells whether something is named to embed by, or there is a model where it is looked for.
    pub fn is_named(&self) -> bool {
        self.service().is_some() || self.model.is_named()
    }
}
