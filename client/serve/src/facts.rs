//! The facts of a store that a server needs before it can answer: the functions, and whether queries are embedded.

use passage_embed::Embedder;
use passage_store::{self as store, Function, Identity, Notice, Store};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The function that a reranker can order.
pub(crate) const SEARCH: &str = "search";

/// The names under which a server offers the functions of the extension.
pub(crate) const FUNCTIONS: [(&str, &str); 10] = [
    ("search", SEARCH),
    ("search_hits", "search_hits"),
    ("fragments", "fragments"),
    ("context", "expand_context"),
    ("contexts", "expand_contexts"),
    ("explain", "explain_context"),
    ("reassemble", "reassemble"),
    ("assemble", "assemble"),
    ("outline", "outline"),
    ("strategies", "strategies"),
];

/// The age at which facts are read again: a reindex may replace the store, and an update the functions.
const MAX_AGE: Duration = Duration::from_secs(30);

/// The part of the facts that a reindex or a new store of the same name changes.
#[derive(PartialEq, Eq)]
pub(crate) struct Version {
    identity: Identity,
    /// The model that the store records.
    model: Option<String>,
}

impl Version {
    pub(crate) async fn read(store: &Store) -> Result<Self, store::Error> {
        let (identity, model) = store.identity_with_model().await?;
        Ok(Self { identity, model })
    }
}

/// The facts of a store.
pub(crate) struct Facts {
    /// The functions by their name in the extension.
    pub(crate) functions: HashMap<String, Vec<Function>>,
    /// Why queries are not embedded; `None` if they are.
    pub(crate) words_only: Option<Notice>,
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
        let words_only = if has_embeddings { words_only(store, embedder).await? } else { None };
        Ok(Self { functions, words_only, has_embeddings, version, read_at: Instant::now() })
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
        self.version.model.as_deref()
    }

    /// Returns the notice of a search whose query is not embedded.
    pub(crate) fn search_notice(&self) -> Option<Notice> {
        let reason = self.words_only.clone()?;
        Some(Notice { message: format!("searching by words only: {}", reason.message), ..reason })
    }

    /// Returns whether the facts should be read again.
    pub(crate) fn are_old(&self) -> bool {
        self.read_at.elapsed() > MAX_AGE
    }

    /// Returns whether queries are embedded.
    pub(crate) fn embeds(&self) -> bool {
        self.has_embeddings && self.words_only.is_none()
    }
}

/// Returns why the queries of a store with embeddings are not embedded.
async fn words_only(
    store: &Store,
    embedder: Option<&Embedder>,
) -> Result<Option<Notice>, store::Error> {
    let Some(embedder) = embedder else {
        return Ok(Some(Notice {
            message: "the server has no embedding model".into(),
            hint: Some("Start it with --model or --embed-url.".into()),
        }));
    };
    match store.check_model(&(embedder.name().to_owned(), embedder.dimensions())).await {
        Ok(_) => Ok(None),
        Err(error) if error.is_transient() || error.is_denied() => Err(error),
        Err(error) => Ok(Some(Notice { message: error.to_string(), hint: Some(error.remedy()) })),
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
