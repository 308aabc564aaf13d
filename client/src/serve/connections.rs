//! A pool of connections to one store.

use super::error::Error;
use crate::store::{self, Store};
use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Object, PoolError, RecycleResult, Timeouts};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time that a request waits for a connection.
const WAIT: Duration = Duration::from_secs(10);
/// A connection that was idle for longer is checked before its next use. The server may have restarted.
const MAX_UNCHECKED: Duration = Duration::from_millis(500);

/// The pause between two reports of failed connections.
const REPORT_PAUSE: Duration = Duration::from_secs(10);

/// Opens the connections of a pool.
struct Manager {
    url: String,
    store: String,
    model_name: Option<String>,
}

impl managed::Manager for Manager {
    type Type = Store;
    type Error = store::Error;

    async fn create(&self) -> Result<Store, store::Error> {
        let mut store = Store::connect(&self.url, &self.store).await?;
        store.tell_model(self.model_name.clone());
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

/// Receives the causes of failures that the operator must know, and callers must not.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// Connections that requests share.
pub(super) struct Connections {
    pool: managed::Pool<Manager>,
    report: Report,
    reported_at: Mutex<Option<Instant>>,
}

impl Connections {
    /// Makes a pool; the first use opens a connection.
    pub(super) fn new(
        url: String,
        store: String,
        model_name: Option<String>,
        size: usize,
        report: Report,
    ) -> Self {
        let timeouts = Timeouts { wait: Some(WAIT), ..Timeouts::default() };
        let pool = managed::Pool::builder(Manager { url, store, model_name })
            .max_size(size)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build();
        let pool = pool.expect("a pool with a runtime has timeouts");
        Self { pool, report, reported_at: Mutex::default() }
    }

    /// Returns the error of a failed connection for callers, and reports its cause at most once in a while.
    pub(super) fn failure(&self, error: &store::Error) -> Error {
        let mut reported_at = self.reported_at.lock().unwrap_or_else(PoisonError::into_inner);
        if reported_at.is_none_or(|at| at.elapsed() > REPORT_PAUSE) {
            *reported_at = Some(Instant::now());
            (self.report)(&format!("{error}: {}", error.remedy()));
        }
        Error::Unreachable
    }

    /// Takes a connection, for one request.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Busy`] if no connection becomes free in time, and [`Error::Unreachable`] if none can be opened.
    pub(super) async fn lease(&self) -> Result<Lease, Error> {
        // In a box, because connecting has many steps.
        match Box::pin(self.pool.get()).await {
            Ok(store) => Ok(Lease(Some(store))),
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
pub(super) struct Lease(Option<Object<Manager>>);

impl Lease {
    /// Returns the connection to the pool.
    pub(super) fn finish(mut self) {
        drop(self.0.take());
    }
}

impl Deref for Lease {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.0.as_ref().expect("only `finish` takes the connection")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(store) = self.0.take() {
            let store = Object::take(store);
            tokio::spawn(async move { store.cancel().await });
        }
    }
}
