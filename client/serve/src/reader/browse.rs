//! The store, its collections, its documents, and their chunks and lines.

use super::Reader;
use crate::connections::Lease;
use crate::error::Error;
use crate::lines::{self, Lines};
use passage_store::{
    ChunkKey, Collection, DocumentChunk, DocumentFilter, Edition, Installed, ListedDocument,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

impl Reader {
    /// Returns the description of the store: names, versions, the model, and the strategies.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn describe(&self) -> Result<Value, Error> {
        let strategies = self.call("strategies", &Map::new()).await?.values();
        self.limited(async {
            let facts = self.facts().await?;
            let (server, installed) = self.versions().await?;
            let edition = installed.as_ref().map(|installed| installed.edition);
            Ok(json!({
                "store": self.store,
                "server": server,
                "extension": installed.map(|installed| installed.version),
                "edition": edition.map(Edition::name),
                "lacks": edition.map_or_else(Vec::new, Edition::lacks),
                "client": env!("CARGO_PKG_VERSION"),
                "has_embeddings": facts.has_embeddings,
                "embeds_queries": facts.query_embedder().is_some(),
                "reranks": self.reranking.is_some(),
                "has_evaluation": self.evaluation.is_some(),
                "allows_ratings": self.allows_ratings,
                "model": facts.model(),
                "strategies": strategies,
            }))
        })
        .await
    }

    /// Returns the edition of `pg_passage` in the database.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub(crate) async fn edition(&self) -> Result<Option<Edition>, Error> {
        let (_, installed) = self.limited(self.versions()).await?;
        Ok(installed.map(|installed| installed.edition))
    }

    /// Returns the version of the server, and the edition of `pg_passage`.
    async fn versions(&self) -> Result<(String, Option<Installed>), Error> {
        self.read(|lease| async move {
            let versions = lease.versions().await;
            lease.finish(versions)
        })
        .await
    }

    /// Returns the collections with their versions and counts.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn collections(&self) -> Result<Vec<Collection>, Error> {
        self.limited(self.read(|lease| async move {
            let collections = lease.collections().await;
            lease.finish(collections)
        }))
        .await
    }

    /// Lists documents.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn documents(&self, filter: &DocumentFilter) -> Result<Vec<ListedDocument>, Error> {
        self.limited(self.read(|lease| async move {
            let documents = lease.document_page(filter).await;
            lease.finish(documents)
        }))
        .await
    }

    /// Returns chunks of a document in document order, after the given one; with `None`, from the first on.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn chunks(
        &self,
        document: Uuid,
        after: Option<ChunkKey>,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, Error> {
        self.limited(self.read(|lease| async move {
            let chunks = lease.document_chunks(document, after, limit).await;
            lease.finish(chunks)
        }))
        .await
    }

    /// Returns whole lines of a document, within a number of tokens.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub(crate) async fn lines(
        &self,
        document: Uuid,
        first: i32,
        last: i32,
        max_tokens: u32,
    ) -> Result<Lines, Error> {
        let read = |lease: Lease| async move {
            let chunks = lease.chunks_of_lines(document, first, last, lines::MAX_CHUNKS).await;
            lease.finish(chunks)
        };
        let chunks = self.limited(self.read(read)).await?;
        Ok(Lines::of(&chunks, first, last, max_tokens))
    }
}
