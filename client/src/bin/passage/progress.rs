//! What an ingest shows while it runs: a bar on a terminal, a line for each document otherwise.

use crate::render;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use passage::ingest::{Event, Outcome};
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
    quiet: bool,
    say: fn(&str),
    started: Instant,
}

impl Progress {
    /// `say` prints a line where there is no bar.
    pub fn new(quiet: bool, say: fn(&str)) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(
            "{bar:30.cyan/dim} {pos}/{len} documents  {msg:.dim}  {eta:.dim}",
        )
        .expect("the template is valid")
        .progress_chars("━╸─");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        let (chunks, failures) = (Arc::default(), Arc::default());
        Self { bar, chunks, failures, quiet, say, started: Instant::now() }
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
            Event::Skipped(path) => self.note(&format!("skipped {}: not text", path.display())),
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
                if self.bar.is_hidden() {
                    self.note(&match outcome {
                        Outcome::Added { chunks } => {
                            format!("added {uri}: {}", render::count(*chunks, "chunk"))
                        }
                        Outcome::Replaced { chunks, kept } => {
                            format!(
                                "replaced {uri}: {}, {kept} kept",
                                render::count(*chunks, "chunk")
                            )
                        }
                        Outcome::Unchanged => format!("unchanged {uri}"),
                    });
                }
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

    fn note(&self, line: &str) {
        if !self.quiet {
            self.line(line);
        }
    }

    /// A line above the bar.
    fn line(&self, line: &str) {
        self.bar.suspend(|| (self.say)(line));
    }
}
