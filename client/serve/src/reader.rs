//! Answers requests over a pool of connections.

mod browse;
pub(crate) mod embed;
pub(crate) mod search;

use crate::connections::{Connections, Lease, Report};
use crate::error::Error;
use crate::facts::{Facts, RATE, Version, needs_embedding, takes_embedding};
use crate::reranking::Reranking;
use passage_embed::Embedder;
use passage_store::{self as store, CallResult};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, RwLock, Semaphore, SemaphorePermit};

/// The settings of a [`Reader`].
#[derive(Clone)]
pub struct ReaderOptions {
    /// The connection string.
    pub url: String,
    /// The name of the store.
    pub store: String,
    /// The embedder of queries; `None` searches by words only.
    pub embedder: Option<Arc<Embedder>>,
    /// The reranker of searches; `None` leaves their order.
    pub reranking: Option<Arc<Reranking>>,
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
/// use passage_serve::{Reader, ReaderOptions};
/// use serde_json::json;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// # async fn example() -> Result<(), passage_serve::Error> {
/// let reader = Reader::new(ReaderOptions {
///     url: "postgresql:///library?host=/var/run/postgresql".into(),
///     store: "rag".into(),
///     embedder: None,
///     reranking: None,
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
    reranking: Option<Arc<Reranking>>,
    store: String,
    /// The report of an evaluation, JSON.
    evaluation: Option<String>,
    /// Whether callers may rate chunks.
    allows_ratings: bool,
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
        let ReaderOptions {
            url,
            store,
            embedder,
            reranking,
            model_name,
            connections,
            timeout,
            report,
        } = options;
        let connections =
            Connections::new(url, store.clone(), model_name, connections, timeout, report);
        Self {
            connections,
            embedder,
            reranking,
            store,
            evaluation: None,
            allows_ratings: false,
            timeout,
            facts: RwLock::default(),
            requests: Semaphore::new(MAX_REQUESTS),
            checked: Mutex::default(),
        }
    }

    /// Returns the reader with the report of an evaluation, a JSON text that `passage eval` wrote. The page shows it.
    #[must_use]
    pub fn with_evaluation(self, evaluation: Option<String>) -> Self {
        Self { evaluation, ..self }
    }

    /// Returns the reader, whose callers may rate chunks if `allows_ratings`. The rights of its role decide, too.
    #[must_use]
    pub fn with_ratings(self, allows_ratings: bool) -> Self {
        Self { allows_ratings, ..self }
    }

    /// Returns whether callers may rate chunks.
    pub(crate) fn allows_ratings(&self) -> bool {
        self.allows_ratings
    }

    /// Rates a chunk.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Invalid`] if ratings are not allowed, and the errors of [`call`](Self::call).
    pub(crate) async fn rate(&self, arguments: &Map<String, Value>) -> Result<CallResult, Error> {
        if !self.allows_ratings {
            return Err(Error::Invalid {
                status: 403,
                cause: "this server takes no ratings".into(),
                remedy: "Start it with --allow-ratings.".into(),
            });
        }
        self.call(RATE, arguments).await
    }

    /// Returns the report of an evaluation.
    pub(crate) fn evaluation(&self) -> Option<&str> {
        self.evaluation.as_deref()
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
    pub(crate) fn admit(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.requests.try_acquire().map_err(|_| Error::Overloaded)
    }

    /// Returns the time limit of a request.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns the error of a failed connection for callers, and reports its cause.
    pub fn connection_failure(&self, error: &store::Error) -> Error {
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
    /// of [`Store::call`](store::Store::call) and of the embedder.
    pub async fn call(
        &self,
        function: &str,
        arguments: &Map<String, Value>,
    ) -> Result<CallResult, Error> {
        let call =
            |facts: Arc<Facts>| async move { self.call_with(&facts, function, arguments).await };
        self.limited(self.with_facts(call)).await
    }

    /// Repeats an attempt with newer facts, as long as it finds that they are not those of the store.
    async fn with_facts<T, F>(&self, attempt: impl Fn(Arc<Facts>) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<Option<T>, Error>>,
    {
        let mut facts = self.facts().await?;
        loop {
            if let Some(result) = attempt(Arc::clone(&facts)).await? {
                return Ok(result);
            }
            facts = self.read_facts(&mut *self.facts.write().await).await?;
        }
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
                remedy: "Run passage upgrade.".into(),
            });
        }
        let is_search = takes_embedding(functions) && needs_embedding(arguments);
        let embedding = self.embedding(facts, functions, arguments).await?;
        // No connection waits for the embedding.
        let embedding = embedding.as_deref();
        let call = |lease: Lease| async move {
            let result = lease.call(functions, arguments, embedding).await;
            let result =
                if is_search { facts.confirm(&lease, result).await } else { result.map(Some) };
            lease.finish(result)
        };
        let mut result = self.read(call).await?;
        if let (Some(result), true) = (&mut result, is_search) {
            result.notices.extend(facts.search_notice());
        }
        Ok(result)
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

    /// Returns the functions of the extension, as the catalogs describe them.
    pub(crate) async fn facts(&self) -> Result<Arc<Facts>, Error> {
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
