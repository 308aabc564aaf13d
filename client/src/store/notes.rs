//! What the server tells of statements that succeed.

use super::connect::Driver;
use serde::Serialize;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;
use tokio_postgres::error::{DbError, Severity};

/// Something to know about a statement that succeeded, such as that it found less than it might.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What there is to know. As of errors, the server's DETAIL is no part of it.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The most notes that are kept until somebody asks for them: most statements are not asked for
/// theirs.
const MOST: usize = 100;

/// The notes of a connection that nobody has asked for yet.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    /// Drives a connection as long as it lasts and keeps its notes, each before the result of its
    /// statement; returns them with what is closed when the connection has ended.
    pub(super) fn of(mut connection: Driver) -> (Self, watch::Receiver<()>) {
        let notes = Self::default();
        let kept = notes.clone();
        let (alive, ended) = watch::channel(());
        tokio::spawn(async move {
            let _alive = alive;
            // An error of the connection shows in the statement that it breaks.
            while let Some(Ok(message)) = poll_fn(|task| connection.poll_message(task)).await {
                if let AsyncMessage::Notice(notice) = message {
                    kept.keep(&notice);
                }
            }
        });
        (notes, ended)
    }

    /// Returns the notes since this was last asked.
    pub(super) fn take(&self) -> Vec<Note> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, notice: &DbError) {
        let told = [Severity::Info, Severity::Notice, Severity::Warning];
        if !notice.parsed_severity().is_some_and(|severity| told.contains(&severity)) {
            return;
        }
        let note = Note {
            message: notice.message().to_owned(),
            hint: notice.hint().map(ToOwned::to_owned),
        };
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What is told of each row is told once.
        if notes.len() < MOST && !notes.contains(&note) {
            notes.push(note);
        }
    }
}
