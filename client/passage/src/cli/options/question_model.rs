//! The model that embeds one question, without a thread or a connection of its own.

use super::embedder::{Embedder, load, service};
use crate::Error;
use crate::embed::{
    self, Embedding, EmbeddingKind, GivenPrefixes, Prefixes, RemoteEmbedder, ServiceConfig,
    truncate,
};
use crate::store::{EmbeddingModel, RecordedEmbedding};
use std::num::NonZero;
use std::sync::Arc;

/// A local model, or a service that gets one request.
pub struct QuestionModel {
    backend: Backend,
    given: GivenPrefixes,
    dimensions: Option<usize>,
}

enum Backend {
    Local(Arc<embed::Model>),
    Service(Box<ServiceConfig>),
}

impl QuestionModel {
    /// Loads the local model, or reads the options of the service.
    pub fn load(args: &Embedder) -> Result<Self, Error> {
        let (given, requested) = (args.prefixes(), args.dimensions);
        let dimensions = requested.map(NonZero::get);
        if let Some(service) = service(args)? {
            return Ok(Self { backend: Backend::Service(Box::new(service)), given, dimensions });
        }
        let model = load(&args.model)?;
        if let Some(requested) = dimensions {
            model.check_dimensions(requested)?;
        }
        Ok(Self { backend: Backend::Local(model), given, dimensions })
    }

    /// Returns whether it is a service.
    pub fn is_service(&self) -> bool {
        matches!(self.backend, Backend::Service(_))
    }

    /// Returns the name of the model.
    pub fn name(&self) -> &str {
        match &self.backend {
            Backend::Local(model) => model.name(),
            Backend::Service(service) => &service.model,
        }
    }

    /// Embeds a question as the chunks of a store were embedded. Also returns the model, as a store records it.
    pub async fn embed(
        self,
        question: &str,
        recorded: RecordedEmbedding,
    ) -> Result<(Embedding, EmbeddingModel), Error> {
        let name = self.name().to_owned();
        let recorded = recorded.for_model(&name);
        let none = Prefixes::default();
        let of_model = match &self.backend {
            Backend::Local(model) => model.prefixes(),
            Backend::Service(_) => &none,
        };
        let prefixes = self.given.resolve(recorded.prefixes.as_ref(), of_model)?;
        let text = prefixes.prepend(EmbeddingKind::Query, question.to_owned());
        let embedding = match self.backend {
            Backend::Local(model) => {
                let dimensions = self.dimensions.or(recorded.dimensions);
                truncate(model.embed(&text)?, dimensions.unwrap_or(usize::MAX))
            }
            Backend::Service(service) => {
                RemoteEmbedder::embed_one(*service, EmbeddingKind::Query, text).await?
            }
        };
        let dimensions = embedding.len();
        let model = EmbeddingModel { name, dimensions, prefixes: Some(prefixes.to_json()) };
        Ok((embedding, model))
    }
}
