//! The embeddings of queries and of other texts.

use super::Reader;
use crate::error::Error;
use crate::facts::{Facts, needs_embedding, takes_embedding};
use passage_embed::{self as embed, Embedder, Embedding, EmbeddingKind};
use passage_store as store;
use serde_json::{Map, Value};

impl Reader {
    /// Returns the embedder as it embedded the chunks of the present store.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] without a model, and for a store with embeddings of another one.
    pub(crate) async fn store_embedder(&self) -> Result<Embedder, Error> {
        if self.embedder.is_none() {
            return Err(Error::Invalid {
                status: 404,
                cause: "this server has no embedding model".into(),
                remedy: "Start it with --model or --embed-url.".into(),
            });
        }
        self.limited(async {
            let facts = self.current(self.facts().await?).await?;
            facts.embedder.clone().map_err(|reason| Error::Invalid {
                status: 409,
                cause: reason.message,
                remedy: reason.hint.unwrap_or_default(),
            })
        })
        .await
    }

    /// Embeds texts of a kind.
    ///
    /// # Errors
    ///
    /// Returns the errors of the embedder.
    pub(crate) async fn embed(
        &self,
        embedder: &Embedder,
        kind: EmbeddingKind,
        texts: Vec<String>,
    ) -> Result<Embedded, Error> {
        self.limited(async {
            let mut embeddings = Vec::with_capacity(texts.len());
            let counter = embedder.clone();
            let counting = tokio::task::spawn_blocking(move || {
                let tokens = texts.iter().map(|text| counter.tokens(text).unwrap_or(0)).sum();
                (texts, tokens)
            });
            let (texts, tokens) = counting.await.expect("counting does not panic");
            let tasks = texts.into_iter().map(|text| embedder.embed(kind, text));
            for embedding in futures_util::future::join_all(tasks).await {
                embeddings.push(embedding.map_err(|error| self.embedding_failure(&error))?);
            }
            Ok(Embedded { embeddings, tokens })
        })
        .await
    }

    /// Returns the embedding of the query, if the call needs one.
    pub(super) async fn embedding(
        &self,
        facts: &Facts,
        functions: &[store::Function],
        arguments: &Map<String, Value>,
    ) -> Result<Option<Embedding>, Error> {
        let Some(embedder) = facts.query_embedder() else { return Ok(None) };
        if !takes_embedding(functions) || !needs_embedding(arguments) {
            return Ok(None);
        }
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let embedding = embedder.embed(EmbeddingKind::Query, query.to_owned()).await;
        Ok(Some(embedding.map_err(|error| self.embedding_failure(&error))?))
    }

    /// Returns the error of a failed embedding for callers, and reports its cause. They do not learn the host of a
    /// service; the operator does.
    pub fn embedding_failure(&self, error: &embed::Error) -> Error {
        self.connections.report(&format!("{error}: {}", error.remedy()));
        error.into()
    }
}

/// Embedded texts.
pub struct Embedded {
    pub embeddings: Vec<Embedding>,
    /// The number of tokens of all texts; 0 if a service embeds.
    pub tokens: usize,
}
