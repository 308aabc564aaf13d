//! The embedder: a local model, or a service, with the prefixes and the dimensions of both.

use super::service::{OptionText, Service, ServiceNames, api_key};
use crate::Error;
use crate::cli::output::print::print_error;
use crate::cli::output::render;
use crate::embed::{
    self, GivenPrefixes, Matryoshka, Pool, Prefixes, Provider, RemoteEmbedder, ServiceConfig,
    default_folder,
};
use crate::store::{Notice, Store};
use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
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
        help: "Address of an embedding service, such as https://api.openai.com/v1, to use instead of a local \
               model [default: that of --embed-provider]. The API key is read from the variable PASSAGE_API_KEY",
    };
    const MODEL: OptionText = OptionText {
        id: "embed_model",
        long: "embed-model",
        variable: "PASSAGE_EMBED_MODEL",
        help: "Name of the service's model; required with a service",
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
    /// Text to embed before each question, such as 'query: '; '' for none [default: that of the
    /// store, else that of the model's folder]
    #[arg(
        long,
        env = "PASSAGE_QUERY_PREFIX",
        hide_env_values = true,
        hide_short_help = true,
        value_name = "TEXT"
    )]
    query_prefix: Option<String>,
    /// Text to embed before each chunk, such as 'passage: '; '' for none [default: that of the
    /// store, else that of the model's folder]
    #[arg(
        long,
        env = "PASSAGE_DOCUMENT_PREFIX",
        hide_env_values = true,
        hide_short_help = true,
        value_name = "TEXT"
    )]
    document_prefix: Option<String>,
    /// Number of dimensions of the embeddings, if the model is trained for fewer than its own
    /// [default: that of the store for a local model, else that of the model]
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub dimensions: Option<NonZero<usize>>,
    #[command(flatten)]
    service: Service<EmbedNames>,
    /// Embedding service whose API to use [default: openai, which many services offer]
    #[arg(
        long,
        env = "PASSAGE_EMBED_PROVIDER",
        hide_env_values = true,
        hide_short_help = true,
        value_name = "NAME",
        help_heading = SERVICE,
        value_parser = PossibleValuesParser::new(provider_names())
    )]
    embed_provider: Option<String>,
    /// Maximum number of texts per request, at least 1 [default: 64, or what the service accepts]
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

/// Returns the names of services. An empty one, as a variable may have it, counts as none.
fn provider_names() -> impl Iterator<Item = PossibleValue> {
    let names = Provider::ALL.map(|provider| PossibleValue::new(provider.name()));
    names.into_iter().chain([PossibleValue::new("").hide(true)])
}

impl Embedder {
    /// Returns the service of the options, without its key.
    pub fn service(&self) -> Option<ServiceConfig> {
        let (provider, url) = (self.provider(), self.service.url());
        if provider.is_none() && url.is_none() {
            return None;
        }
        let model = self.service.model().unwrap_or_default();
        let mut config = ServiceConfig::of_provider(provider.unwrap_or_default(), url, model);
        config.dimensions = self.dimensions;
        config.batch_texts = self.embed_batch.unwrap_or(config.batch_texts);
        config.batch_tokens = self.embed_batch_tokens.unwrap_or(config.batch_tokens);
        config.concurrency = self.embed_concurrency.unwrap_or(config.concurrency);
        self.service.limit(&mut config.timeout, &mut config.retries);
        Some(config)
    }

    /// Returns the named service. An empty name counts as none.
    fn provider(&self) -> Option<Provider> {
        Provider::from_name(self.embed_provider.as_deref()?)
    }

    /// Returns the model of embeddings that do not name it. An empty name counts as none.
    pub fn model_name(&self) -> Option<String> {
        self.model_name.clone().filter(|name| !name.trim().is_empty())
    }

    /// Returns the prefixes of the options.
    pub fn prefixes(&self) -> GivenPrefixes {
        let Self { query_prefix: query, document_prefix: document, .. } = self.clone();
        GivenPrefixes { query, document }
    }

    /// Ignores a service that only the environment or the configuration file names.
    pub fn prefer_model(&mut self) {
        self.service.clear();
        self.embed_provider = None;
    }

    /// Returns whether a service or a local model is available.
    pub fn is_available(&self) -> bool {
        self.service().is_some() || self.model.is_available()
    }
}

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
        let embedder = embed::Embedder::from(RemoteEmbedder::connect(service).await?);
        return Ok((Arc::new(embedder.with_prefixes(args.prefixes())), None));
    }
    let model = load(&args.model)?;
    let embedder = embed::Embedder::from(Pool::new(&model, threads)?);
    let embedder = embedder.with_prefixes(args.prefixes()).with_dimensions(args.dimensions)?;
    if embedder.dimensions() < model.dimensions() && *model.matryoshka() == Matryoshka::Unknown {
        print_error(&render::note(&not_trained(embedder.dimensions())));
    }
    Ok((Arc::new(embedder), Some(model)))
}

/// Returns the note about a model that may not be trained for fewer dimensions than its own.
fn not_trained(dimensions: usize) -> Notice {
    Notice {
        message: format!(
            "the model's folder does not say that it is trained for {dimensions} dimensions"
        ),
        hint: Some(
            "The description of the model says whether it is (Matryoshka). If not, it finds less."
                .into(),
        ),
    }
}

/// Returns the prefixes of a run: those of the options, else those that the store records for the model, else those
/// of the model.
pub async fn prefixes(
    args: &Embedder,
    store: &Store,
    name: &str,
    of_model: &Prefixes,
) -> Result<Prefixes, Error> {
    let recorded = store.recorded_embedding().await?.for_model(name).prefixes;
    Ok(args.prefixes().resolve(recorded.as_ref(), of_model)?)
}

/// Returns the service of the options, with its key.
pub fn service(args: &Embedder) -> Result<Option<ServiceConfig>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    if service.model.is_empty() {
        return Err(Error::usage(
            "an embedding service requires --embed-model",
            "Name the service's model with --embed-model or PASSAGE_EMBED_MODEL, such as text-embedding-3-small.",
        ));
    }
    let name = service.provider.name();
    if service.url.is_empty() {
        return Err(Error::usage(
            &format!("--embed-provider {name} requires --embed-url"),
            "Name the address with --embed-url or PASSAGE_EMBED_URL, such as https://RESOURCE.openai.azure.com.",
        ));
    }
    let (texts, max) = (service.batch_texts.get(), service.provider.max_texts());
    if texts > max {
        return Err(Error::usage(
            &format!("--embed-batch must be at most {max} for {name}, not {texts}"),
            "Leave it out, or choose a smaller number.",
        ));
    }
    service.key = api_key("PASSAGE_API_KEY", service.provider.key_variables(&service.url));
    Ok(Some(service))
}
