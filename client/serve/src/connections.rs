//! A pool of connections to one store.

use crate::error::Error;
use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Object, PoolError, RecycleResult, Timeouts};
use passage_store::{self as store, Store};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time that a request waits for a connection.
const WAIT: Duration = Duration::from_secs(10);
/// A connection that was idle for longer is checked before its next use. The server may have restarted.
const MAX_UNCHECKED: Duration = Duration::from_millis(500);

/// The time by which a statement may outlast its request. Then the server itself cancels it.
const GRACE: Duration = Duration::from_secs(5);
/// The time that [`Connections::close`] waits for cancelled statements.
const CLOSE: Duration = Duration::from_secs(2);

/// The time for the check of a connection. A host that is down does not answer.
const RECYCLE: Duration = Duration::from_secs(2);
/// The pause between two reports of failed connections.
const REPORT_PAUSE: Duration = Duration::from_secs(10);

/// Opens the connections of a pool.
struct Manager {
    url: String,
    store: String,
    model_name: Option<String>,
    /// The time limit of a request.
    timeout: Duration,
}

impl managed::Manager for Manager {
    type Type = Store;
    type Error = store::Error;

    async fn create(&self) -> Result<Store, store::Error> {
        let mut store = Store::connect(&self.url, &self.store).await?;
        store.tell_model(self.model_name.clone());
        store.limit_statements(self.timeout + GRACE).await?;
        Ok(store)
    }

    async fn recycle(&self, store: &mut Store, metrics: &Metrics) -> RecycleResult<store::Error> {
        if store.is_closed() {
            return Err(store::Error::Lost.into());
        }
        if metrics.last_used() > MAX_UNCHECKED {
            store.ping().await?;
        }
        Ok(())
    }
}

/// Receives the causes of failures, for the operator only.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// Connections that requests share.
pub(crate) struct Connections {
    pool: managed::Pool<Manager>,
    report: Report,
    reported_at: Mutex<Option<Instant>>,
    /// Whether the server ends. Each request and each connection in use has a receiver.
    closing: watch::Sender<bool>,
}

impl Connections {
    /// Makes a pool; the first use opens a connection.
    pub(crate) fn new(
        url: String,
        store: String,
        model_name: Option<String>,
        size: usize,
        timeout: Duration,
        report: Report,
    ) -> Self {
        let timeouts = Timeouts { wait: Some(WAIT), recycle: Some(RECYCLE), ..Timeouts::default() };
        let pool = managed::Pool::builder(Manager { url, store, model_name, timeout })
            .max_size(size)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build();
        let pool = pool.expect("a pool with a runtime has timeouts");
        Self { pool, report, reported_at: Mutex::default(), closing: watch::Sender::new(false) }
    }

    /// Waits until the server ends.
    pub(crate) async fn closing(&self) {
        // The sender is in `self`, so the channel stays open.
        let _ = self.closing.subscribe().wait_for(|is_closing| *is_closing).await;
    }

    /// Ends all requests, and waits up to two seconds until PostgreSQL has received their cancellation.
    pub(crate) async fn close(&self) {
        self.closing.send_replace(true);
        let _ = tokio::time::timeout(CLOSE, self.closing.closed()).await;
    }

    /// Reports a cause to the operator, at most once in a while.
    pub(crate) fn report(&self, cause: &str) {
        let mut reported_at = self.reported_at.lock().unwrap_or_else(PoisonError::into_inner);
        if reported_at.is_none_or(|at| at.elapsed() > REPORT_PAUSE) {
            *reported_at = Some(Instant::now());
            (self.report)(cause);
        }
    }

    /// Drops the connections that are not in use, after one was lost: the server has probably restarted.
    pub(crate) fn drop_idle(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Reports why a connection failed to the operator, and returns the error for callers.
    pub(crate) fn failure(&self, error: &store::Error) -> Error {
        self.report(&format!("{error}: {}", error.remedy()));
        Error::Unreachable
    }

    /// Takes a connection, for one request.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Busy`] if no connection becomes free in time, and [`Error::Unreachable`] if none can be opened.
    pub(crate) async fn lease(&self) -> Result<Lease, Error> {
        // In a box, because connecting has many steps.
        match Box::pin(self.pool.get()).await {
            Ok(store) => Ok(Lease { store: Some(store), closing: self.closing.subscribe() }),
            Err(PoolError::Timeout(_)) => Err(Error::Busy),
            Err(PoolError::Backend(error)) => Err(self.failure(&error)),
            Err(
                PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_),
            ) => Err(store::Error::Lost.into()),
        }
    }
}

/// A connection in use. If it is dropped before [`finish`](Self::finish), as when a client disconnects, the
/// server is asked to cancel the statement, and the connection is closed.
pub(crate) struct Lease {
    store: Option<Object<Manager>>,
    closing: watch::Receiver<bool>,
}

impl Lease {
    /// Returns the connection to the pool, and the result of its last statement.
    pub(crate) fn finish<T>(mut self, result: T) -> T {
        drop(self.store.take());
        result
    }
}

impl Deref for Lease {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store.as_ref().expect("only `finish` takes the connection")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(store) = self.store.take() {
            let store = Object::take(store);
            let closing = self.closing.clone();
            tokio::spawn(async move {
                store.cancel().await;
                // `Connections::close` waits for this.
                drop(closing);
            });
        }
    }
}
