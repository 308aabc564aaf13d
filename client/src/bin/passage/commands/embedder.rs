//! What embeds, from what was said of it.

use crate::args;
use passage::Error;
use passage::embed::{
    ApiKey, Embedder, Embedding, Model, Pool, RemoteEmbedder, ServiceConfig, default_folder,
};
use passage::store::Store;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where `OPENAI_API_KEY` may be sent to; any other service has a key of its own.
const OPENAI: &str = "https://api.openai.com/";

/// Loads the model of this process.
pub fn load(model: &args::Model) -> Result<Arc<Model>, Error> {
    let folder = model.folder().or_else(default_folder).ok_or_else(|| Error::Usage {
        cause: "no embedding model is named".into(),
        remedy: "Name its folder with --model or PASSAGE_MODEL.".into(),
    })?;
    Ok(Model::load(&folder)?)
}

/// Takes up the service that is named, or the model; the model comes back, too, for its tokenizer.
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

/// The embedding of a question, and what it took.
pub struct Question {
    pub embedding: Embedding,
    /// How long the model took to load; a service has nothing to load.
    pub loading: Duration,
    pub embedding_took: Duration,
}

/// Embeds a question by the store's model: one sequence here, or one request.
pub async fn embed_question(
    args: &args::Embedder,
    store: &Store,
    question: &str,
) -> Result<Question, Error> {
    let begun = Instant::now();
    if let Some(service) = service(args)? {
        let name = service.model.clone();
        let embedding = RemoteEmbedder::embed_one(service, question).await?;
        store.check_model(&(name, embedding.len())).await?;
        return Ok(Question {
            embedding,
            loading: Duration::ZERO,
            embedding_took: begun.elapsed(),
        });
    }
    let model = load(&args.model)?;
    let loading = begun.elapsed();
    store.check_model(&(model.name().to_owned(), model.dimensions())).await?;
    let begun = Instant::now();
    let embedding = model.embed(question)?;
    Ok(Question { embedding, loading, embedding_took: begun.elapsed() })
}

/// Returns the service that is named, with its key.
fn service(args: &args::Embedder) -> Result<Option<ServiceConfig>, Error> {
    let Some(mut service) = args.service() else { return Ok(None) };
    if service.model.is_empty() {
        return Err(Error::Usage {
            cause: "--embed-url names a service, and nothing its model".into(),
            remedy: "Give --embed-model or PASSAGE_EMBED_MODEL, such as text-embedding-3-small."
                .into(),
        });
    }
    service.key = key(&service.url);
    Ok(Some(service))
}

/// A key is never an option: what stands on a command line is seen by everybody on the machine.
fn key(url: &str) -> Option<ApiKey> {
    let variable = |name| std::env::var(name).ok().filter(|key| !key.is_empty());
    let key = variable("PASSAGE_API_KEY")
        .or_else(|| variable("OPENAI_API_KEY").filter(|_| url.starts_with(OPENAI)))?;
    Some(ApiKey::new(key.trim()))
}
