//! Answers requests over a pool of connections.

use super::connections::{Connections, Lease, Report};
use super::error::Error;
use super::facts::{Facts, Version};
use super::lines::{self, Lines};
use crate::embed::{self, Embedder, Embedding};
use crate::store::{self, CallResult, Collection, DocumentChunk, DocumentFilter, ListedDocument};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, RwLock, Semaphore, SemaphorePermit};
use uuid::Uuid;

/// The settings of a [`Reader`].
#[derive(Clone)]
pub struct ReaderOptions {
    /// The connection string.
    pub url: String,
    /// The name of the store.
    pub store: String,
    /// The embedder of queries; `None` searches by words only.
    pub embedder: Option<Arc<Embedder>>,
    /// The model of the store's embeddings, if the store does not record it.
    pub model_name: Option<String>,
    /// The maximum number of connections.
    pub connections: usize,
    /// The time limit of a request.
    pub timeout: Duration,
    /// Receives the causes of failed connections, which callers do not see.
    pub report: Report,
}

/// Answers requests on one store. Requests share connections and the loaded model.
///
/// A request whose future is dropped is cancelled in PostgreSQL too.
///
/// # Examples
///
/// ```no_run
/// use passage::serve::{Reader, ReaderOptions};
/// use serde_json::json;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// # async fn example() -> Result<(), passage::serve::Error> {
/// let reader = Reader::new(ReaderOptions {
///     url: "postgresql:///library?host=/var/run/postgresql".into(),
///     store: "rag".into(),
///     embedder: None,
///     model_name: None,
///     connections: 8,
///     timeout: Duration::from_secs(30),
///     report: Arc::new(|cause| eprintln!("{cause}")),
/// });
/// let arguments = json!({"query": "configure logging", "max_passages": 3});
/// for row in reader.call("search", arguments.as_object().unwrap()).await?.rows {
///     println!("{row}");
/// }
/// # Ok(())
/// # }
/// ```
pub struct Reader {
    connections: Connections,
    embedder: Option<Arc<Embedder>>,
    store: String,
    timeout: Duration,
    facts: RwLock<Option<Arc<Facts>>>,
    requests: Semaphore,
    /// The last check of [`is_ready`](Self::is_ready).
    checked: Mutex<Option<(Instant, bool)>>,
}

/// The maximum number of requests that are answered at the same time. Others are rejected with status 503.
const MAX_REQUESTS: usize = 256;

/// The maximum age of a cached check.
const MAX_CHECK_AGE: Duration = Duration::from_secs(1);

impl Reader {
    /// Makes a reader. The first request opens a connection.
    pub fn new(options: ReaderOptions) -> Self {
        let ReaderOptions { url, store, embedder, model_name, connections, timeout, report } =
            options;
        let connections =
            Connections::new(url, store.clone(), model_name, connections, timeout, report);
        Self {
            connections,
            embedder,
            store,
            timeout,
            facts: RwLock::default(),
            requests: Semaphore::new(MAX_REQUESTS),
            checked: Mutex::default(),
        }
    }

    /// Returns the name of the store.
    pub fn store(&self) -> &str {
        &self.store
    }

    /// Admits a request, until the permit is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Overloaded`] while too many others are being answered.
    pub(super) fn admit(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.requests.try_acquire().map_err(|_| Error::Overloaded)
    }

    /// Returns the time limit of a request.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns the error of a failed connection for callers, and reports its cause.
    pub(super) fn connection_failure(&self, error: &store::Error) -> Error {
        self.connections.failure(error)
    }

    /// Returns the embedder of queries.
    pub fn embedder(&self) -> Option<&Arc<Embedder>> {
        self.embedder.as_ref()
    }

    /// Calls a function of the extension. If it takes an embedding and the arguments have only a query, the query
    /// is embedded, unless they set `mode` to `text`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Busy`] without a free connection, [`Error::TimedOut`] after the time limit, and the errors
    /// of [`Store::call`](crate::store::Store::call) and of the embedder.
    pub async fn call(
        &self,
        function: &str,
        arguments: &Map<String, Value>,
    ) -> Result<CallResult, Error> {
        self.limited(async {
            let mut facts = self.facts().await?;
            loop {
                if let Some(result) = self.call_with(&facts, function, arguments).await? {
                    return Ok(result);
                }
                facts = self.read_facts(&mut *self.facts.write().await).await?;
            }
        })
        .await
    }

    /// Calls a function; returns `None` if the facts are not those of the store, so that the embedding may not be either.
    async fn call_with(
        &self,
        facts: &Facts,
        function: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Option<CallResult>, Error> {
        let functions = facts.overloads(function);
        if functions.is_empty() {
            return Err(Error::Invalid {
                status: 500,
                cause: "the extension in the database lacks the function".into(),
                remedy: "Run ALTER EXTENSION pg_passage UPDATE; in the database.".into(),
            });
        }
        let is_search = takes_embedding(functions) && needs_embedding(arguments);
        let embedding = self.embedding(facts, functions, arguments).await?;
        // The comparison follows the call, on the same connection: a store that is replaced in between is noticed, and
        // no connection waits for the embedding.
        let embedding = embedding.as_deref();
        let call = |lease: Lease| async move {
            let result = lease.call(functions, arguments, embedding).await;
            let version = if is_search { Some(Version::read(&lease).await) } else { None };
            lease.finish(match version.transpose() {
                Ok(Some(version)) if version != facts.version => Ok(None),
                Ok(_) => result.map(Some),
                Err(error) => Err(error),
            })
        };
        let mut result = self.read(call).await?;
        if let (Some(result), true) = (&mut result, is_search) {
            result.notices.extend(facts.search_notice());
        }
        Ok(result)
    }

    /// Returns the arguments of a function with the embedding of their query, if the function takes one.
    pub(super) async fn with_embedding(
        &self,
        function: &str,
        mut arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, Error> {
        self.limited(async {
            let facts = self.current(self.facts().await?).await?;
            let functions = facts.overloads(function);
            if let Some(embedding) = self.embedding(&facts, functions, &arguments).await? {
                arguments.insert("embedding".into(), json!(embedding));
            }
            Ok(arguments)
        })
        .await
    }

    /// Returns the description of the store: names, versions, the model, and the strategies.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn describe(&self) -> Result<Value, Error> {
        let strategies = self.call("strategies", &Map::new()).await?.values();
        self.limited(async {
            let facts = self.facts().await?;
            let (server, extension) = self
                .read(|lease| async move {
                    let versions = lease.versions().await;
                    lease.finish(versions)
                })
                .await?;
            Ok(json!({
                "store": self.store,
                "server": server,
                "extension": extension,
                "client": env!("CARGO_PKG_VERSION"),
                "has_embeddings": facts.has_embeddings,
                "embeds_queries": facts.embeds(),
                "model": facts.model(),
                "strategies": strategies,
            }))
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

    /// Returns chunks of a document, from an ordinal on; `None` also returns those without one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn chunks(
        &self,
        document: Uuid,
        from_ordinal: Option<i64>,
        limit: u32,
    ) -> Result<Vec<DocumentChunk>, Error> {
        self.limited(self.read(|lease| async move {
            let chunks = lease.document_chunks(document, from_ordinal, limit).await;
            lease.finish(chunks)
        }))
        .await
    }

    /// Returns whole lines of a document, within a number of tokens.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub(super) async fn lines(
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

    /// Returns whether the store can be read. The answer is up to a second old, and callers wait for one check.
    pub async fn is_ready(&self) -> bool {
        let mut checked = self.checked.lock().await;
        if let Some((at, is_ready)) = *checked
            && at.elapsed() < MAX_CHECK_AGE
        {
            return is_ready;
        }
        let check = self.read(|lease| async move {
            let check = lease.has_embeddings().await;
            lease.finish(check)
        });
        let is_ready = self.limited(check).await.is_ok();
        *checked = Some((Instant::now(), is_ready));
        is_ready
    }

    /// Embeds texts with the model.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] without a model, and the errors of the embedder.
    pub(super) async fn embed(&self, texts: Vec<String>) -> Result<Embedded, Error> {
        let embedder = self.embedder.as_ref().ok_or_else(|| Error::Invalid {
            status: 404,
            cause: "this server has no embedding model".into(),
            remedy: "Start it with --model or --embed-url.".into(),
        })?;
        self.limited(async {
            let facts = self.current(self.facts().await?).await?;
            if let Some(reason) = &facts.words_only {
                return Err(Error::Invalid {
                    status: 409,
                    cause: reason.message.clone(),
                    remedy: reason.hint.clone().unwrap_or_default(),
                });
            }
            let mut embeddings = Vec::with_capacity(texts.len());
            let counter = Arc::clone(embedder);
            let counting = tokio::task::spawn_blocking(move || {
                let tokens = texts.iter().map(|text| counter.tokens(text).unwrap_or(0)).sum();
                (texts, tokens)
            });
            let (texts, tokens) = counting.await.expect("counting does not panic");
            let tasks: Vec<_> = texts
                .into_iter()
                .map(|text| {
                    let embedder = Arc::clone(embedder);
                    async move { embedder.embed(text).await }
                })
                .collect();
            for embedding in futures_util::future::join_all(tasks).await {
                embeddings.push(embedding.map_err(|error| self.embedding_failure(&error))?);
            }
            Ok(Embedded { embeddings, tokens })
        })
        .await
    }

    /// Returns the functions of the extension, as the catalogs describe them.
    pub(super) async fn facts(&self) -> Result<Arc<Facts>, Error> {
        if let Some(facts) = self.facts.read().await.as_ref().filter(|facts| !facts.are_old()) {
            return Ok(Arc::clone(facts));
        }
        let mut slot = self.facts.write().await;
        if let Some(facts) = slot.as_ref().filter(|facts| !facts.are_old()) {
            return Ok(Arc::clone(facts));
        }
        self.read_facts(&mut slot).await
    }

    /// Returns facts of the present store: the given ones, unless the store was replaced or its model changed.
    async fn current(&self, facts: Arc<Facts>) -> Result<Arc<Facts>, Error> {
        let read = |lease: Lease| async move {
            let version = Version::read(&lease).await;
            lease.finish(version)
        };
        if self.read(read).await? == facts.version {
            return Ok(facts);
        }
        let mut slot = self.facts.write().await;
        self.read_facts(&mut slot).await
    }

    async fn read_facts(&self, slot: &mut Option<Arc<Facts>>) -> Result<Arc<Facts>, Error> {
        let read = |lease: Lease| async move {
            let facts = Facts::read(&lease, self.embedder.as_deref()).await;
            lease.finish(facts)
        };
        let facts = Arc::new(self.read(read).await?);
        *slot = Some(Arc::clone(&facts));
        Ok(facts)
    }

    /// Returns the embedding of the query, if the call needs one.
    async fn embedding(
        &self,
        facts: &Facts,
        functions: &[store::Function],
        arguments: &Map<String, Value>,
    ) -> Result<Option<Embedding>, Error> {
        let (Some(embedder), true) = (&self.embedder, facts.embeds()) else { return Ok(None) };
        if !takes_embedding(functions) || !needs_embedding(arguments) {
            return Ok(None);
        }
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let embedding = embedder.embed(query.to_owned()).await;
        Ok(Some(embedding.map_err(|error| self.embedding_failure(&error))?))
    }

    /// Executes a read, and repeats it once on another connection if its own is lost: the server may have restarted
    /// since the last use.
    async fn read<T, F>(&self, read: impl Fn(Lease) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, store::Error>>,
    {
        match read(self.connections.lease().await?).await {
            Err(error) if error.ended_connection() => {
                self.connections.drop_idle();
                Ok(read(self.connections.lease().await?).await?)
            }
            result => Ok(result?),
        }
    }

    /// Returns the error for callers. They do not learn the host of a service; the operator does.
    pub(super) fn embedding_failure(&self, error: &embed::Error) -> Error {
        self.connections.report(&format!("{error}: {}", error.remedy()));
        error.into()
    }

    /// Ends all requests: the server is asked to cancel their statements. Waits up to two seconds for that.
    pub async fn close(&self) {
        self.connections.close().await;
    }

    /// Cancels a request after the time limit, or when the server ends.
    async fn limited<T>(
        &self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        tokio::select! {
            result = tokio::time::timeout(self.timeout, request) => {
                result.unwrap_or(Err(Error::TimedOut(self.timeout)))
            }
            () = self.connections.closing() => Err(Error::Stopping),
        }
    }
}

/// Embedded texts.
pub(super) struct Embedded {
    pub(super) embeddings: Vec<Embedding>,
    /// The number of tokens of all texts; 0 if a service embeds.
    pub(super) tokens: usize,
}

fn takes_embedding(functions: &[store::Function]) -> bool {
    functions
        .iter()
        .any(|function| function.arguments.iter().any(|argument| argument.name == "embedding"))
}

/// Returns whether the arguments have a query without an embedding, for a search that is not by words only.
fn needs_embedding(arguments: &Map<String, Value>) -> bool {
    let text = |name| arguments.get(name).and_then(Value::as_str);
    arguments.get("embedding").is_none_or(Value::is_null)
        && text("mode") != Some("text")
        && text("query").is_some_and(|query| !query.trim().is_empty())
}
