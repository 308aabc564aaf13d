//! Making embedders from options.

use super::usage;
use crate::args;
use passage::Error;
use passage::embed::{
    ApiKey, Embedder, Embedding, Model, Pool, RemoteEmbedder, ServiceConfig, default_folder,
};
use passage::store::Store;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The only address that `OPENAI_API_KEY` is sent to. Other services have a key of their own.
const OPENAI: &str = "https://api.openai.com/";

/// Loads the local model.
pub fn load(model: &args::Model) -> Result<Arc<Model>, Error> {
    let no_model =
        || usage("no embedding model specified", "Name its folder with --model or PASSAGE_MODEL.");
    let folder = model.folder().or_else(default_folder).ok_or_else(no_model)?;
    Ok(Model::load(&folder)?)
}

/// Returns the service of the options, or the local model. Also returns the model itself for its
/// tokenizer.
pub async fn embedder(
    args: &args::Embedder,
    threads: Option<NonZero<usize>>,
) -> Result<(Arc<Embedder>, Option<Arc<Model>>), Error> {
    if let Some(service) = service(args)? {
        return Ok((Arc::new(RemoteEmbedder::connect(service).await?.into()), None));
    }
    let model = load(&args.model)?;
    let pool = Pool::new(&model, threads)?;
    Ok((Arc::new(pool.into()), Some(model)))
}

/// The embedding of a question, with the times that it took.
pub struct Question {
    pub embedding: Embedding,
    /// The time to load the model; zero for a service.
    pub loading: Duration,
    /// The time to embed the question.
    pub embedding_took: Duration,
}

/// Embeds a text, locally or with one request to a service. Returns the name of the model and the embedding.
pub async fn embed_text(args: &args::Embedder, text: &str) -> Result<(String, Embedding), Error> {
    if let Some(service) = service(args)? {
        let name = service.model.clone();
        return Ok((name, RemoteEmbedder::embed_one(service, text).await?));
    }
    let model = load(&args.model)?;
    Ok((model.name().to_owned(), model.embed(text)?))
}

/// Embeds a question with the model of the store, locally or with one request to a service.
pub async fn embed_question(
    args: &args::Embedder,
    store: &Store,
    question: &str,
) -> Result<Question, Error> {
    let started = Instant::now();
    if let Some(service) = service(args)? {
        let name = service.model.clone();
        let embedding = RemoteEmbedder::embed_one(service, question).await?;
        store.check_model(&(name, embedding.len())).await?;
        return Ok(Question {
            embedding,
            loading: Duration::ZERO,
            embedding_took: started.elapsed(),
        });
    }
    let model = load(&args.model)?;
    let loading = started.elapsed();
    store.check_model(&(model.name().to_owned(), model.dimensions())).await?;
    let started = Instant::now();
    let embedding = model.embed(question)?;
    Ok(Question { embedding, loading, embedding_took: started.elapsed() })
}

/// Returns the service of the options, with its key.
fn service(args: &args::Embedder) -> Result<Option<ServiceConfig>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    if service.model.is_empty() {
        return Err(usage(
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
