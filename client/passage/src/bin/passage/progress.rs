//! The progress of ingest, fill and reindex: a bar on a terminal, otherwise lines.

use crate::bar::Bar;
use crate::printable::printable;
use crate::render;
use passage::ingest::{Event, FillEvent, ReindexEvent};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const DOCUMENTS: &str = "documents";
const CHUNKS: &str = "chunks";

/// Shows the events of a run. Clones show the same run.
#[derive(Clone)]
pub struct Progress {
    bar: Bar,
    settings: Settings,
    print: fn(&str),
    /// The number of chunks embedded by an ingest.
    embedded: Arc<AtomicUsize>,
    /// Whether the bar of a reindex counts chunks, and not documents.
    counts_chunks: Arc<AtomicBool>,
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
    /// Returns a display of a run over documents. `print` prints a line.
    pub fn of_documents(settings: Settings, print: fn(&str)) -> Self {
        Self::new(DOCUMENTS, settings, print)
    }

    /// Returns a display of a run over chunks. `print` prints a line.
    pub fn of_chunks(quiet: bool, print: fn(&str)) -> Self {
        Self::new(CHUNKS, Settings { quiet, dry_run: false }, print)
    }

    fn new(unit: &str, settings: Settings, print: fn(&str)) -> Self {
        Self {
            bar: Bar::new(unit, settings.quiet, print),
            settings,
            print,
            embedded: Arc::default(),
            counts_chunks: Arc::default(),
            failures: Arc::default(),
            started: Instant::now(),
        }
    }

    /// Returns a new display of documents with the same settings, for another round.
    pub fn restart(&self) -> Self {
        Self::of_documents(self.settings, self.print)
    }

    /// Shows an event of an ingest.
    pub fn report_ingest(&self, event: &Event) {
        match event {
            Event::Found { documents, .. } => {
                self.bar.set_length(*documents as u64);
                if *documents == 1 {
                    self.bar.start();
                }
            }
            Event::Skipped(path) => {
                let path = printable(&path.display().to_string());
                self.note(&format!("skipped {path}: not text"));
            }
            Event::External(link) => self.note(&printable(&format!("skipped {link}"))),
            Event::Embedded => {
                let chunks = self.embedded.fetch_add(1, Ordering::Relaxed) + 1;
                let rate = chunks as f64 / self.elapsed().as_secs_f64();
                self.bar.set_message(format!("{chunks} chunks embedded, {rate:.0}/s"));
            }
            Event::Indexing { done, total } => {
                self.bar.set_message(format!("{done} of {total} embeddings in the vector index"));
                if *done == 0 {
                    let line = format!("building the vector index of {total} embeddings");
                    self.bar.note_if_hidden(&line);
                }
            }
            Event::Done { uri, outcome } => {
                self.done(&render::ingest_outcome(uri, outcome, self.settings.dry_run));
            }
            Event::Orphaned(uri) => {
                let verb = self.verb("orphaned", "would orphan");
                self.note(&format!("{verb} {}: its source no longer exists", printable(uri)));
            }
            Event::Removed(uri) => {
                self.note(&format!("{} {}", self.verb("removed", "would remove"), printable(uri)));
            }
            Event::Incomplete => {
                let cause =
                    "no document was orphaned or removed, because not all sources could be read";
                let remedy = "Fix the errors above, and run the command again.";
                self.bar.print(&render::failure(cause, remedy));
            }
            Event::NotAnalyzed(note) => self.note(&render::note(note)),
            Event::Failed { uri, error } => self.failed(uri.as_deref(), error),
        }
    }

    /// Shows an event of a fill.
    pub fn report_fill(&self, event: &FillEvent) {
        match event {
            FillEvent::Missing(chunks) => {
                self.bar.set_remaining(*chunks);
                if *chunks > 0 {
                    self.bar.start();
                    self.bar.note_if_hidden(&format!("{} without an embedding", count(*chunks)));
                }
            }
            FillEvent::Split(documents) => {
                let documents = render::count(*documents as usize, "document");
                self.note(&format!("split {documents} of source code by its syntax"));
            }
            FillEvent::NotSplit(uri, error) => {
                let message = format!("{uri}: source code stays split as text: {error}");
                self.bar.print(&render::failure(&message, &error.remedy()));
            }
            FillEvent::Embedded(chunks) => {
                self.bar.advance(*chunks);
                self.bar.note_if_hidden(&format!("embedded {}", count(*chunks)));
            }
            FillEvent::NotAnalyzed(note) => self.note(&render::note(note)),
            FillEvent::Waiting => self.status("waiting for new chunks"),
            FillEvent::Interrupted(error) => {
                let remedy = "The command retries automatically.";
                self.bar.print(&render::failure(&error.to_string(), remedy));
            }
        }
    }

    /// Shows an event of a reindex.
    pub fn report_reindex(&self, event: &ReindexEvent) {
        match event {
            ReindexEvent::Found(documents) => self.count_to(*documents, DOCUMENTS),
            ReindexEvent::Missing(chunks) => {
                self.count_to(*chunks, CHUNKS);
                if *chunks > 0 {
                    self.bar.note_if_hidden(&format!("embedding {}", count(*chunks as u64)));
                }
            }
            ReindexEvent::Embedded(chunks) => {
                if self.counts_chunks.load(Ordering::Relaxed) {
                    self.bar.advance(*chunks as u64);
                }
            }
            ReindexEvent::Indexing => self.status("building indexes"),
            ReindexEvent::Waiting => self.status("waiting for other transactions to end"),
            ReindexEvent::Replaced { former } => self.note(&render::replaced(former)),
            ReindexEvent::Done { uri, outcome } => {
                self.done(&render::reindex_outcome(uri, *outcome, self.settings.dry_run));
            }
            ReindexEvent::Failed { uri, error } => {
                // Unlike a source, each of these is counted, with or without a uri.
                self.bar.advance(u64::from(uri.is_none()));
                self.failed(uri.as_deref(), error);
            }
        }
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
    fn done(&self, line: &str) {
        self.bar.advance(1);
        if self.bar.is_hidden() || self.settings.dry_run {
            self.note(line);
        }
    }

    /// Shows and records a failure. A source without a uri is not a counted document.
    fn failed(&self, uri: Option<&str>, error: &passage::Error) {
        self.bar.advance(u64::from(uri.is_some()));
        let cause = match (uri, error) {
            // Errors of sources name the file.
            (None, _) | (_, passage::Error::Source(_)) => error.to_string(),
            (Some(uri), _) => format!("{uri}: {error}"),
        };
        self.bar.print(&render::failure(&cause, &error.remedy()));
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(cause);
    }

    /// Shows the present step of a run.
    fn status(&self, status: &str) {
        self.bar.set_message(status.to_owned());
        self.bar.note_if_hidden(status);
    }

    /// Restarts the bar of a reindex, unless there is nothing to count.
    fn count_to(&self, length: usize, unit: &str) {
        if length > 0 {
            self.counts_chunks.store(unit == CHUNKS, Ordering::Relaxed);
            self.bar.restart(length as u64, unit);
        }
    }

    fn verb(&self, done: &'static str, would: &'static str) -> &'static str {
        if self.settings.dry_run { would } else { done }
    }
}

fn count(chunks: u64) -> String {
    render::count(usize::try_from(chunks).unwrap_or(usize::MAX), "chunk")
}
