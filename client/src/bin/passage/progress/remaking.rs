//! What reindexing shows: a bar on a terminal, a line for each document otherwise.

use super::{Shows, style};
use crate::render;
use indicatif::{ProgressBar, ProgressDrawTarget};
use passage::ingest::ReindexEvent;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shows a run.
pub struct Remaking {
    bar: ProgressBar,
    shows: Shows,
    say: fn(&str),
    /// Whether the bar counts chunks, and not documents.
    counts_chunks: AtomicBool,
    started: Instant,
}

impl Remaking {
    /// `say` prints a line where there is no bar.
    pub fn new(shows: Shows, say: fn(&str)) -> Self {
        let has_bar = !shows.quiet && std::io::stderr().is_terminal();
        let target =
            if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style("documents"));
        Self { bar, shows, say, counts_chunks: AtomicBool::new(false), started: Instant::now() }
    }

    /// Shows an event.
    pub fn report(&self, event: &ReindexEvent) {
        match event {
            ReindexEvent::Found(documents) => self.count(*documents, "documents"),
            ReindexEvent::Missing(chunks) => {
                self.count(*chunks, "chunks");
                if *chunks > 0 {
                    self.note(&format!("embedding {}", render::count(*chunks, "chunk")));
                }
            }
            ReindexEvent::Embedded(chunks) => {
                if self.counts_chunks.load(Ordering::Relaxed) {
                    self.bar.inc(*chunks as u64);
                }
            }
            ReindexEvent::Indexing => {
                self.bar.set_message("building indexes");
                self.note("building indexes");
            }
            ReindexEvent::Waiting => {
                self.bar.set_message("waiting for transactions of others");
                self.note("waiting for transactions of others");
            }
            ReindexEvent::Replaced { former } => {
                if !self.shows.quiet {
                    self.line(&render::replaced(former));
                }
            }
            ReindexEvent::Done { uri, remade } => {
                self.bar.inc(1);
                // What would become of it is what a dry run is for.
                if !self.shows.quiet && (self.bar.is_hidden() || self.shows.dry_run) {
                    self.line(&render::remade(uri, *remade, self.shows.dry_run));
                }
            }
            ReindexEvent::Failed { uri, error } => {
                self.bar.inc(1);
                let cause = match uri {
                    Some(uri) => format!("{uri}: {error}"),
                    None => error.to_string(),
                };
                self.line(&render::failure(&cause, &error.remedy()));
            }
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Returns how long it has been.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Has the bar count so many of something, from the beginning, if there are any.
    fn count(&self, many: usize, what: &str) {
        if many == 0 {
            return;
        }
        self.counts_chunks.store(what == "chunks", Ordering::Relaxed);
        self.bar.set_style(style(what));
        self.bar.reset();
        self.bar.set_length(many as u64);
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// A line where there is no bar to show the same.
    fn note(&self, line: &str) {
        if !self.shows.quiet && self.bar.is_hidden() {
            self.line(line);
        }
    }

    /// A line above the bar.
    fn line(&self, line: &str) {
        self.bar.suspend(|| (self.say)(line));
    }
}
