//! The output of `ingest` and `sync`: a line for each document, and the summary of a run.

use super::estimate::Estimate;
use crate::Error;
use crate::cli::output::progress::Progress;
use crate::cli::output::render::{self, count, json, line, printable};
use crate::ingest::{Event, Outcome, Summary};
use serde_json::json;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The maximum number of failures that a summary lists.
const MAX_FAILURES: usize = 20;

/// Shows the events of a run.
pub struct Events {
    progress: Progress,
    estimate: Mutex<Estimate>,
    skip_unsupported: bool,
}

impl Events {
    /// Returns events that `progress` shows. With `skip_unsupported`, documents that cannot be converted are skipped
    /// files and not failures.
    pub fn new(progress: Progress, skip_unsupported: bool) -> Self {
        progress.bar.show_estimate_as_message();
        Self { progress, estimate: Mutex::default(), skip_unsupported }
    }

    /// Shows an event of an ingest.
    pub fn show(&self, event: &Event) {
        let progress = &self.progress;
        match event {
            Event::Found { documents, all } => {
                self.estimate().found(*documents, *all);
                progress.bar.set_length(*documents as u64);
                if *documents == 1 {
                    progress.bar.start();
                }
            }
            Event::Skipped(path) => {
                let path = printable(&path.display().to_string());
                progress.note(&format!("skipped {path}: not text"));
            }
            Event::SkippedPage(page) => progress.note(&printable(&format!("skipped {page}"))),
            Event::Embedded => {
                let mut estimate = self.estimate();
                estimate.embedded(progress.elapsed());
                progress.bar.set_message(estimate.describe(progress.elapsed()));
            }
            Event::Indexing { done, total } => {
                progress
                    .bar
                    .set_message(format!("{done} of {total} embeddings in the vector index"));
                if *done == 0 {
                    let line = format!("building the vector index of {total} embeddings");
                    progress.bar.note_if_hidden(&line);
                }
            }
            Event::Done { uri, outcome } => {
                let is_written =
                    matches!(outcome, Outcome::Added { .. } | Outcome::Replaced { .. });
                self.estimate().done(is_written);
                progress.done(&outcome_line(uri, outcome, progress.is_dry_run()));
            }
            Event::Orphaned(uri) => {
                let verb = progress.verb("orphaned", "would orphan");
                progress.note(&format!("{verb} {}: its source no longer exists", printable(uri)));
            }
            Event::Removed(uri) => {
                progress.note(&format!(
                    "{} {}",
                    progress.verb("removed", "would remove"),
                    printable(uri)
                ));
            }
            Event::Incomplete => {
                let cause =
                    "no document was orphaned or removed, because not all sources could be read";
                let remedy = "Fix the errors above, and run the command again.";
                progress.bar.print(&render::failure(cause, remedy));
            }
            Event::NotAnalyzed(note) => progress.note(&render::note(note)),
            Event::Failed { error: Error::Unsupported { path, format }, uri }
                if self.skip_unsupported =>
            {
                if uri.is_some() {
                    self.estimate().done(false);
                }
                progress.bar.advance(1);
                let path = printable(&path.display().to_string());
                progress.note(&format!("skipped {path}: {format}"));
            }
            Event::Failed { uri, error } => {
                if uri.is_some() {
                    self.estimate().done(false);
                }
                progress.failed(uri.as_deref(), error);
            }
        }
    }

    fn estimate(&self) -> MutexGuard<'_, Estimate> {
        self.estimate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the line for a document of an ingest.
fn outcome_line(uri: &str, outcome: &Outcome, dry_run: bool) -> String {
    let uri = printable(uri);
    let verb = |done: &'static str, would: &'static str| if dry_run { would } else { done };
    match outcome {
        Outcome::Added { chunks } => {
            format!("{} {uri}: {}", verb("added", "would add"), count(*chunks, "chunk"))
        }
        Outcome::Replaced { chunks, kept } => {
            let verb = verb("replaced", "would replace");
            format!("{verb} {uri}: {}, {kept} kept", count(*chunks, "chunk"))
        }
        Outcome::Unchanged => format!("unchanged {uri}"),
        Outcome::Restored => format!("{} {uri}", verb("restored", "would restore")),
    }
}

/// Returns the summary of an ingest: a line of counts, and the failures, whose messages may have
/// scrolled out of sight.
pub fn as_text(summary: &Summary, failures: &[String], elapsed: Duration, dry_run: bool) -> String {
    let Summary { added, chunks, embedded, .. } = *summary;
    let mut parts = vec![format!("{} added", count(added, "document"))];
    for (number, what) in [
        (summary.replaced, "replaced"),
        (summary.unchanged, "unchanged"),
        (summary.restored, "restored"),
        (summary.orphaned, "orphaned"),
        (summary.removed, "removed"),
        (summary.skipped, "skipped"),
        (summary.failed, "failed"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let unsupported = summary.unsupported.total();
    if unsupported > 0 {
        parts.push(format!("{unsupported} unsupported ({})", summary.unsupported));
    }
    let parts = parts.join(", ");
    let chunks = count(chunks, "chunk");
    let seconds = elapsed.as_secs_f64();
    let mut output = if dry_run {
        format!("dry run, nothing written: {parts}; {chunks}\n")
    } else {
        format!("{parts}; {chunks}, {embedded} embedded, in {seconds:.1} s\n")
    };
    for cause in failures.iter().take(MAX_FAILURES) {
        line(&mut output, &format!("  failed: {}", printable(cause)));
    }
    if failures.len() > MAX_FAILURES {
        line(&mut output, &format!("  and {} more", failures.len() - MAX_FAILURES));
    }
    output
}

/// Returns the summary of an ingest as one JSON object.
pub fn as_json(summary: &Summary, failures: &[String], elapsed: Duration, dry_run: bool) -> String {
    let Summary { added, replaced, unchanged, restored, orphaned, removed, .. } = *summary;
    let Summary { failed, skipped, chunks, embedded, .. } = *summary;
    json(&json!({
        "dry_run": dry_run, "added": added, "replaced": replaced, "unchanged": unchanged,
        "restored": restored, "orphaned": orphaned, "removed": removed, "skipped": skipped,
        "failed": failed, "unsupported": summary.unsupported.by_media_type(), "chunks": chunks, "embedded": embedded, "failures": failures,
        "milliseconds": elapsed.as_millis() as u64,
    }))
}
