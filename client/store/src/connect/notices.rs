//! The notices that the server sends for statements that succeed.

use serde::Serialize;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::{AsyncMessage, Connection};

/// A notice of the server, for example that a search covered fewer chunks than exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// The primary message. As in errors, the DETAIL is left out.
    pub message: String,
    /// The HINT.
    pub hint: Option<String>,
}

/// Maximum number of notices kept until they are taken; most statements' notices are never taken.
const MAX_NOTICES: usize = 100;

/// The notices of a connection that have not been taken yet.
#[derive(Clone, Default)]
pub(crate) struct Notices(Arc<Mutex<Vec<Notice>>>);

impl Notices {
    /// Drives a connection in a task and collects its notices, each before its statement's result.
    ///
    /// The second value is closed when the connection has ended.
    pub(super) fn collect<S, T>(mut connection: Connection<S, T>) -> (Self, watch::Receiver<()>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let notices = Self::default();
        let collected = notices.clone();
        let (alive, ended) = watch::channel(());
        tokio::spawn(async move {
            let _alive = alive;
            // An error of the connection is reported by the statement that fails.
            while let Some(Ok(message)) = poll_fn(|task| connection.poll_message(task)).await {
                if let AsyncMessage::Notice(notice) = message {
                    collected.add(&notice);
                }
            }
        });
        (notices, ended)
    }

    /// Returns and removes the collected notices.
    pub(crate) fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, notice: &DbError) {
        let reported = [Severity::Info, Severity::Notice, Severity::Warning];
        if !notice.parsed_severity().is_some_and(|severity| reported.contains(&severity)) {
            return;
        }
        let notice = Notice {
            message: notice.message().to_owned(),
            hint: notice.hint().map(ToOwned::to_owned),
        };
        let mut notices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A notice that the server repeats for each row is kept once.
        if notices.len() < MAX_NOTICES && !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}
