//! The facts of a store that a server needs before it can answer: the functions, and whether queries are embedded.

use crate::store_embedder::{embedding_model, store_embedder};
use passage_embed::Embedder;
use passage_store::{self as store, Function, Identity, Notice, RecordedEmbedding, Store};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The function that a reranker can order.
pub(crate) const SEARCH: &str = "search";

/// The function that writes a rating. All others read.
pub(crate) const RATE: &str = "rate";

/// The names under which a server offers the functions of the extension.
pub(crate) const FUNCTIONS: [(&str, &str); 16] = [
    ("search", SEARCH),
    ("search_hits", "search_hits"),
    ("similar", "similar"),
    ("fragments", "fragments"),
    ("context", "expand_context"),
    ("contexts", "expand_contexts"),
    ("explain", "explain_context"),
    ("reassemble", "reassemble"),
    ("assemble", "assemble"),
    ("outline", "outline"),
    ("links", "links"),
    ("backlinks", "backlinks"),
    ("strategies", "strategies"),
    ("prompt", "prompt"),
    ("check_citations", "check_citations"),
    ("rate", RATE),
];

/// The age at which facts are read again: a reindex may replace the store, and an update the functions.
const MAX_AGE: Duration = Duration::from_secs(30);

/// The part of the facts that a reindex or a new store of the same name changes.
#[derive(PartialEq, Eq)]
pub(crate) struct Version {
    identity: Identity,
    /// How the store records that its chunks are embedded.
    embedding: RecordedEmbedding,
}

impl Version {
    pub(crate) async fn read(store: &Store) -> Result<Self, store::Error> {
        let (identity, embedding) = store.identity_with_embedding().await?;
        Ok(Self { identity, embedding })
    }
}

/// The facts of a store.
pub(crate) struct Facts {
    /// The functions by their name in the extension.
    pub(crate) functions: HashMap<String, Vec<Function>>,
    /// The embedder as it embedded the chunks of the store, or why there is none.
    pub(crate) embedder: Result<Embedder, Notice>,
    /// Whether the store has embeddings.
    pub(crate) has_embeddings: bool,
    pub(crate) version: Version,
    read_at: Instant,
}

impl Facts {
    /// Reads the facts.
    pub(crate) async fn read(
        store: &Store,
        embedder: Option<&Embedder>,
    ) -> Result<Self, store::Error> {
        // Before the others, so that a change during the reads is found at the next comparison.
        let version = Version::read(store).await?;
        let names = FUNCTIONS.map(|(_, function)| function);
        let mut functions: HashMap<String, Vec<Function>> = HashMap::new();
        for function in store.functions(&names).await? {
            functions.entry(function.name.clone()).or_default().push(function);
        }
        let has_embeddings = store.has_embeddings().await?;
        let embedder = checked_embedder(store, embedder, &version, has_embeddings).await?;
        Ok(Self { functions, embedder, has_embeddings, version, read_at: Instant::now() })
    }

    /// Returns the result of a read of `store`; `None` if these are not the facts of the store. The comparison follows the
    /// read, on the same connection, so that a store that was replaced in between is noticed.
    pub(crate) async fn confirm<T>(
        &self,
        store: &Store,
        result: Result<T, store::Error>,
    ) -> Result<Option<T>, store::Error> {
        let version = Version::read(store).await?;
        if version == self.version { result.map(Some) } else { Ok(None) }
    }

    /// Returns the functions of a name.
    pub(crate) fn overloads(&self, name: &str) -> &[Function] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the model that the store records.
    pub(crate) fn model(&self) -> Option<&str> {
        self.version.embedding.model.as_deref()
    }

    /// Returns the notice of a search whose query is not embedded.
    pub(crate) fn search_notice(&self) -> Option<Notice> {
        let reason = self.embedder.as_ref().err().filter(|_| self.has_embeddings)?.clone();
        Some(Notice { message: format!("searching by words only: {}", reason.message), ..reason })
    }

    /// Returns whether the facts should be read again.
    pub(crate) fn are_old(&self) -> bool {
        self.read_at.elapsed() > MAX_AGE
    }

    /// Returns the embedder of queries; `None` if they are searched by words only.
    pub(crate) fn query_embedder(&self) -> Option<&Embedder> {
        self.embedder.as_ref().ok().filter(|_| self.has_embeddings)
    }
}

/// Returns the embedder as it embedded the chunks of a store, or why texts are not embedded. In a store without
/// embeddings, any model may embed.
async fn checked_embedder(
    store: &Store,
    embedder: Option<&Embedder>,
    version: &Version,
    has_embeddings: bool,
) -> Result<Result<Embedder, Notice>, store::Error> {
    let Some(embedder) = embedder else {
        return Ok(Err(Notice {
            message: "the server has no embedding model".into(),
            hint: Some("Start it with --model or --embed-url.".into()),
        }));
    };
    if !has_embeddings {
        return Ok(Ok(embedder.clone()));
    }
    let embedder = match store_embedder(embedder, version.embedding.clone()) {
        Ok(embedder) => embedder,
        Err(error) => {
            return Ok(Err(Notice { message: error.to_string(), hint: Some(error.remedy()) }));
        }
    };
    match store.check_model(&embedding_model(&embedder)).await {
        Ok(_) => Ok(Ok(embedder)),
        Err(error) if error.is_transient() || error.is_denied() => Err(error),
        Err(error) => Ok(Err(Notice { message: error.to_string(), hint: Some(error.remedy()) })),
    }
}

/// Returns whether a function takes an embedding.
pub(crate) fn takes_embedding(functions: &[store::Function]) -> bool {
    functions
        .iter()
        .any(|function| function.arguments.iter().any(|argument| argument.name == "embedding"))
}

/// Returns whether the arguments have a query without an embedding, for a search that is not by words only.
pub(crate) fn needs_embedding(arguments: &Map<String, Value>) -> bool {
    let query = arguments.get("query").and_then(Value::as_str);
    let mode = arguments.get("ranking").and_then(|ranking| ranking["mode"].as_str());
    arguments.get("embedding").is_none_or(Value::is_null)
        && mode != Some("text")
        && query.is_some_and(|query| !query.trim().is_empty())
}
