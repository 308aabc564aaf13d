//! What an ingest shows while it runs: a bar on a terminal, a line for each document otherwise.

mod fetching;
mod filling;
mod remaking;

pub use fetching::Fetching;
pub use filling::Filling;
pub use remaking::Remaking;

use crate::printable::printable;
use crate::render;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use passage::ingest::Event;
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shows a run; clones show the same one.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    chunks: Arc<AtomicUsize>,
    /// What failed, one line each.
    failures: Arc<Mutex<Vec<String>>>,
    shows: Shows,
    say: fn(&str),
    started: Instant,
}

/// What is shown of a run.
#[derive(Clone, Copy)]
pub struct Shows {
    /// Errors alone.
    pub quiet: bool,
    /// What would be, in place of what was.
    pub dry_run: bool,
}

impl Progress {
    /// `say` prints a line where there is no bar.
    pub fn new(shows: Shows, say: fn(&str)) -> Self {
        let has_bar = !shows.quiet && std::io::stderr().is_terminal();
        let target =
            if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style("documents"));
        let (chunks, failures) = (Arc::default(), Arc::default());
        Self { bar, chunks, failures, shows, say, started: Instant::now() }
    }

    /// Shows an event.
    pub fn report(&self, event: &Event) {
        match event {
            Event::Found { documents, .. } => {
                self.bar.set_length(*documents as u64);
                if *documents == 1 {
                    self.bar.enable_steady_tick(Duration::from_millis(200));
                }
            }
            Event::Skipped(path) => {
                let path = printable(&path.display().to_string());
                self.note(&format!("skipped {path}: not text"));
            }
            Event::Foreign(link) => self.note(&printable(&format!("skipped {link}"))),
            Event::Embedded => {
                let chunks = self.chunks.fetch_add(1, Ordering::Relaxed) + 1;
                let rate = chunks as f64 / self.started.elapsed().as_secs_f64();
                self.bar.set_message(format!("{chunks} chunks embedded, {rate:.0}/s"));
            }
            Event::Indexing { done, of } => {
                self.bar.set_message(format!("{done} of {of} embeddings in the vector index"));
                if *done == 0 && self.bar.is_hidden() {
                    self.note(&format!("building the vector index of {of} embeddings"));
                }
            }
            Event::Done { uri, outcome } => {
                self.bar.inc(1);
                // What would become of it is what a dry run is for.
                if self.bar.is_hidden() || self.shows.dry_run {
                    self.note(&render::outcome(uri, outcome, self.shows.dry_run));
                }
            }
            Event::Orphaned(uri) => {
                let verb = self.verb("orphaned", "would orphan");
                self.note(&format!("{verb} {}: its source is gone", printable(uri)));
            }
            Event::Removed(uri) => {
                self.note(&format!("{} {}", self.verb("removed", "would remove"), printable(uri)));
            }
            Event::Incomplete => {
                let cause = "nothing was taken for gone, since not every source could be read";
                self.line(&render::failure(cause, "Mend what is said above, and run it again."));
            }
            Event::Failed { uri, error } => {
                self.bar.inc(u64::from(uri.is_some()));
                let cause = match (uri, error) {
                    // These name the file themselves.
                    (None, _) | (_, passage::Error::Source(_)) => error.to_string(),
                    (Some(uri), _) => format!("{uri}: {error}"),
                };
                self.line(&render::failure(&cause, &error.remedy()));
                self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(cause);
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Returns what failed, in the order in which it did.
    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns how long it has been.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// A fresh one for another round, which looks the same.
    pub fn again(&self) -> Self {
        Self::new(self.shows, self.say)
    }

    fn verb(&self, done: &'static str, would: &'static str) -> &'static str {
        if self.shows.dry_run { would } else { done }
    }

    /// Says something, unless errors alone are wanted.
    pub fn note(&self, line: &str) {
        if !self.shows.quiet {
            self.line(line);
        }
    }

    /// A line above the bar.
    fn line(&self, line: &str) {
        self.bar.suspend(|| (self.say)(line));
    }
}

/// A bar that counts things.
fn style(what: &str) -> ProgressStyle {
    let template = format!(
        "{{bar:30.cyan/dim}} {{pos}}/{{len}} {what}  {{rate:.dim}}  {{eta:.dim}}  {{msg:.dim}}"
    );
    ProgressStyle::with_template(&template)
        .expect("the template is valid")
        .with_key("rate", |state: &ProgressState, output: &mut dyn Write| {
            // A bar that cannot be written to is no reason to end.
            let _ = write!(output, "{:.1}/s", state.per_sec());
        })
        .progress_chars("━╸─")
}
