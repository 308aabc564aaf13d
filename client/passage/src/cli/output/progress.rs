//! The progress of a run over documents or chunks: a bar on a terminal, otherwise lines.

use super::bar::Bar;
use super::render;
use crate::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub const DOCUMENTS: &str = "documents";
pub const CHUNKS: &str = "chunks";

/// Shows the events of a run. Clones show the same run.
#[derive(Clone)]
pub struct Progress {
    pub bar: Bar,
    settings: Settings,
    /// The causes of failures, one line each.
    failures: Arc<Mutex<Vec<String>>>,
    started: Instant,
}

/// The settings of a progress display.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Whether only errors are shown.
    pub quiet: bool,
    /// Whether the run only reports what would change.
    pub dry_run: bool,
}

impl Progress {
    /// Returns a display of a run over documents.
    pub fn of_documents(settings: Settings) -> Self {
        Self::new(DOCUMENTS, settings)
    }

    /// Returns a display of a run over chunks.
    pub fn of_chunks(quiet: bool) -> Self {
        Self::new(CHUNKS, Settings { quiet, dry_run: false })
    }

    fn new(unit: &str, settings: Settings) -> Self {
        Self {
            bar: Bar::new(unit, settings.quiet),
            settings,
            failures: Arc::default(),
            started: Instant::now(),
        }
    }

    /// Returns a new display of documents with the same settings, for another round.
    pub fn restart(&self) -> Self {
        Self::of_documents(self.settings)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish();
    }

    /// Returns the causes of failures, in their order.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Prints a line, unless only errors are shown.
    pub fn note(&self, line: &str) {
        self.bar.note(line);
    }

    /// Counts a finished document. Prints its line if there is no bar, or if it is the result of a
    /// dry run.
    pub fn done(&self, line: &str) {
        self.bar.advance(1);
        if self.bar.is_hidden() || self.settings.dry_run {
            self.note(line);
        }
    }

    /// Shows and records a failure. A source without a uri is not a counted document.
    pub fn failed(&self, uri: Option<&str>, error: &Error) {
        self.bar.advance(u64::from(uri.is_some()));
        let cause = match (uri, error) {
            // Errors of sources name the file.
            (None, _) | (_, Error::Source(_)) => error.to_string(),
            (Some(uri), _) => format!("{uri}: {error}"),
        };
        self.bar.print(&render::failure(&cause, &error.remedy()));
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(cause);
    }

    /// Shows the present step of a run.
    pub fn status(&self, status: &str) {
        self.bar.set_message(status.to_owned());
        self.bar.note_if_hidden(status);
    }

    /// Returns whether the run only reports what would change.
    pub fn is_dry_run(&self) -> bool {
        self.settings.dry_run
    }

    /// Returns the verb for what was done, or would be done.
    pub fn verb(&self, done: &'static str, would: &'static str) -> &'static str {
        if self.settings.dry_run { would } else { done }
    }
}
