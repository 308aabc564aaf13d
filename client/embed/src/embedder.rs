//! The common interface of the local model and the embedding service.

use super::embedding::{Embedding, PendingEmbedding};
use super::{EmbeddingKind, Error, GivenPrefixes, Pool, Prefixes, RemoteEmbedder};
use passage_split::Sizer;
use serde_json::Value;
use std::num::NonZero;
use std::sync::Arc;

/// An embedder of texts: a model in this process or a service.
///
/// Callers submit texts one by one; the embedder puts the prefix of their kind before them, and forms batches
/// where they help. Clones share the model.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::{Embedder, EmbeddingKind, Model, Pool};
/// use std::path::Path;
///
/// # async fn example() -> Result<(), passage_embed::Error> {
/// let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;
/// let embedder = Embedder::from(Pool::new(&model, None)?);
/// let question = "How do I configure logging?".into();
/// let embedding = embedder.embed(EmbeddingKind::Query, question).await?;
/// assert_eq!(embedding.len(), embedder.dimensions());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Embedder {
    backend: Backend,
    /// The prefixes that the user names.
    given: GivenPrefixes,
    prefixes: Prefixes,
    /// The dimensions that the user names.
    requested: Option<NonZero<usize>>,
    dimensions: usize,
}

#[derive(Clone)]
enum Backend {
    /// A model in this process.
    Local(Arc<Pool>),
    /// A service.
    Remote(Arc<RemoteEmbedder>),
}

impl Embedder {
    fn new(backend: Backend) -> Self {
        let (prefixes, dimensions) = match &backend {
            Backend::Local(pool) => (pool.model().prefixes().clone(), pool.model().dimensions()),
            Backend::Remote(remote) => (Prefixes::default(), remote.dimensions()),
        };
        Self { backend, given: GivenPrefixes::default(), prefixes, requested: None, dimensions }
    }

    /// Returns the embedder with prefixes that the user names.
    #[must_use]
    pub fn with_prefixes(self, given: GivenPrefixes) -> Self {
        let prefixes = given.over(&self.prefixes);
        Self { given, prefixes, ..self }
    }

    /// Returns the embedder with fewer dimensions, which the user names, of a model in this process. A service
    /// gets them in its configuration.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Model::check_dimensions`](super::Model::check_dimensions).
    pub fn with_dimensions(self, requested: Option<NonZero<usize>>) -> Result<Self, Error> {
        let Some(number) = requested.map(NonZero::get) else { return Ok(self) };
        if let Backend::Local(pool) = &self.backend {
            pool.model().check_dimensions(number)?;
        }
        Ok(Self { requested, dimensions: number, ..self })
    }

    /// Returns the embedder as it embedded the chunks of a store: with the recorded prefixes, except those that the
    /// user names, and with the recorded dimensions of a model in this process, unless the user names others.
    ///
    /// # Errors
    ///
    /// Returns [`Error::RecordedPrefixes`] if the prefixes have another format.
    pub fn as_recorded(
        &self,
        prefixes: Option<&Value>,
        dimensions: Option<usize>,
    ) -> Result<Self, Error> {
        let prefixes = self.given.resolve(prefixes, &self.prefixes)?;
        let mut recorded = Self { prefixes, ..self.clone() };
        if let (Backend::Local(_), None, Some(fewer)) = (&self.backend, self.requested, dimensions)
        {
            recorded.dimensions = self.dimensions.min(fewer);
        }
        Ok(recorded)
    }

    /// Returns the model name that a store records.
    pub fn name(&self) -> &str {
        match &self.backend {
            Backend::Local(pool) => pool.model().name(),
            Backend::Remote(remote) => remote.name(),
        }
    }

    /// Returns the dimensions of the embeddings.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the prefixes of questions and documents.
    pub fn prefixes(&self) -> &Prefixes {
        &self.prefixes
    }

    /// Returns the number of wordpieces of a text; `None` for a service, which counts on its own.
    pub fn tokens(&self, text: &str) -> Option<usize> {
        match &self.backend {
            Backend::Local(pool) => Some(pool.model().wordpieces().size(text)),
            Backend::Remote(_) => None,
        }
    }

    /// Submits a text without its prefix.
    ///
    /// Blocks the thread while the queue is full; do not call it from an async task.
    pub fn submit(&self, kind: EmbeddingKind, text: String) -> PendingEmbedding {
        let text = self.prefixes.prepend(kind, text);
        match &self.backend {
            Backend::Local(pool) => pool.submit(text).truncated(self.dimensions),
            Backend::Remote(remote) => remote.submit(kind, text),
        }
    }

    /// Embeds a text.
    ///
    /// # Errors
    ///
    /// Returns an error if the model fails, or if the service does not respond or rejects the request.
    pub async fn embed(&self, kind: EmbeddingKind, text: String) -> Result<Embedding, Error> {
        let embedder = self.clone();
        let pending = tokio::task::spawn_blocking(move || embedder.submit(kind, text)).await;
        pending.expect("submitting does not panic").wait().await
    }
}

impl From<Pool> for Embedder {
    fn from(pool: Pool) -> Self {
        Self::new(Backend::Local(Arc::new(pool)))
    }
}

impl From<RemoteEmbedder> for Embedder {
    fn from(remote: RemoteEmbedder) -> Self {
        Self::new(Backend::Remote(Arc::new(remote)))
    }
}
