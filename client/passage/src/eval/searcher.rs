//! The searches of an evaluation in a store, with or without a reranker.

use crate::Error;
use crate::serve::Reranking;
use crate::store::{Hit, Notice, Passage, Store};
use serde_json::{Map, Value};

/// The passages of a search, and the notices of the server.
pub type Found = (Vec<Passage>, Vec<Notice>);

/// A store, to which a lost connection is opened again.
pub struct Searcher<'a> {
    /// The store.
    pub store: Store,
    /// The connection string.
    pub url: &'a str,
}

impl Searcher<'_> {
    /// Returns the hits of a search in the order of a reranker; `None` without hits, and without a question in words. The inner
    /// error is that of the question.
    pub async fn reranked_hits(
        &mut self,
        reranking: &Reranking,
        arguments: Map<String, Value>,
        embedding: Option<&[f32]>,
    ) -> Result<Result<Option<Vec<Hit>>, Error>, Error> {
        let Some(plan) = reranking.plan(&arguments) else { return Ok(Ok(None)) };
        let found = self.retry(async |store| {
            let (count, context) = (plan.candidates, plan.context);
            Ok(store.rerank_candidates(&arguments, embedding, count, context).await?)
        });
        match found.await? {
            Ok(candidates) if candidates.is_empty() => Ok(Ok(None)),
            Ok(candidates) => Ok(plan.order(candidates).await.map(Some).map_err(Error::from)),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Searches; with hits of [`reranked_hits`](Self::reranked_hits) it returns their passages. The inner error is that of the
    /// question.
    pub async fn search(
        &mut self,
        arguments: &Map<String, Value>,
        embedding: Option<&[f32]>,
        hits: Option<&[Hit]>,
    ) -> Result<Result<Found, Error>, Error> {
        let found = self.retry(async |store| {
            let found = match hits {
                Some(hits) => store.reranked_passages(arguments, hits).await?,
                None => store.call_named("search", arguments, embedding).await?,
            };
            Ok((found.parse().map_err(crate::store::Error::from)?, found.notices))
        });
        found.await
    }

    /// Runs a statement, and once more over a new connection if the connection is lost.
    async fn retry<T>(
        &mut self,
        run: impl AsyncFn(&Store) -> Result<T, Error>,
    ) -> Result<Result<T, Error>, Error> {
        let found = run(&self.store).await;
        if !matches!(&found, Err(Error::Store(error)) if error.ended_connection()) {
            return Ok(found);
        }
        self.store = Store::connect(self.url, self.store.name()).await?;
        Ok(run(&self.store).await)
    }
}
