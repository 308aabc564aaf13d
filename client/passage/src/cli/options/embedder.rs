//! The embedder: a local model, or a service.

use super::service::{OptionText, Service, ServiceNames};
use crate::Error;
use crate::embed::{self, ApiKey, Embedding, Pool, RemoteEmbedder, ServiceConfig, default_folder};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

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
    #[arg(
        help = "Folder of the local embedding model [default: ~/.cache/passage/all-MiniLM-L6-v2]",
        long_help = "Folder of the local embedding model, with model.safetensors, tokenizer.json and config.json \
        [default: ~/.cache/passage/all-MiniLM-L6-v2]"
    )]
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
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    model_name: Option<String>,
    #[command(flatten)]
    service: Service<EmbedNames>,
    /// Number of dimensions to request, if the model supports several [default: that of the model]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = SERVICE)]
    pub embed_dimensions: Option<NonZero<usize>>,
    /// Maximum number of texts per request, at least 1 [default: 64]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = SERVICE)]
    pub embed_batch: Option<NonZero<usize>>,
    /// Maximum number of tokens per request, estimated as one per 3 bytes, at least 1 [default:
    /// 8000]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = SERVICE)]
    pub embed_batch_tokens: Option<NonZero<usize>>,
    /// Number of concurrent requests, at least 1 [default: 4]
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = SERVICE)]
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

/// The only address that `OPENAI_API_KEY` is sent to. Other services have a key of their own.
const OPENAI: &str = "https://api.openai.com/";

/// Loads the local model.
pub fn load(model: &Model) -> Result<Arc<embed::Model>, Error> {
    let no_model = || {
        Error::usage(
            "no embedding model specified",
            "Name its folder with --model or PASSAGE_MODEL.",
        )
    };
    let folder = model.folder().or_else(default_folder).ok_or_else(no_model)?;
    Ok(embed::Model::load(&folder)?)
}

/// Returns the service of the options, or the local model. Also returns the model itself for its
/// tokenizer.
pub async fn embedder(
    args: &Embedder,
    threads: Option<NonZero<usize>>,
) -> Result<(Arc<embed::Embedder>, Option<Arc<embed::Model>>), Error> {
    if let Some(service) = service(args)? {
        return Ok((Arc::new(RemoteEmbedder::connect(service).await?.into()), None));
    }
    let model = load(&args.model)?;
    let pool = Pool::new(&model, threads)?;
    Ok((Arc::new(pool.into()), Some(model)))
}

/// Embeds a text, locally or with one request to a service. Returns the name of the model and the embedding.
pub async fn embed_text(args: &Embedder, text: &str) -> Result<(String, Embedding), Error> {
    if let Some(service) = service(args)? {
        let name = service.model.clone();
        return Ok((name, RemoteEmbedder::embed_one(service, text).await?));
    }
    let model = load(&args.model)?;
    Ok((model.name().to_owned(), model.embed(text)?))
}

/// Returns the service of the options, with its key.
pub fn service(args: &Embedder) -> Result<Option<ServiceConfig>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    if service.model.is_empty() {
        return Err(Error::usage(
            "--embed-url requires --embed-model",
            "Name the service's model with --embed-model or PASSAGE_EMBED_MODEL, such as text-embedding-3-small.",
        ));
    }
    service.key = key(&service.url);
    Ok(Some(service))
}

/// Returns the API key. It is never an option, because all users of the machine can see command
/// lines.
fn key(url: &str) -> Option<ApiKey> {
    let key = environment_key("PASSAGE_API_KEY")
        .or_else(|| environment_key("OPENAI_API_KEY").filter(|_| url.starts_with(OPENAI)))?;
    Some(ApiKey::new(key))
}

/// Returns the key in a variable of the environment. An empty one counts as none.
pub fn environment_key(variable: &str) -> Option<String> {
    std::env::var(variable).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}
