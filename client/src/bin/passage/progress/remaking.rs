//! What reindexing shows: a bar on a terminal, a line for each document otherwise.

use super::{Shows, style};
use crate::render;
use indicatif::{ProgressBar, ProgressDrawTarget};
use passage::ingest::ReindexEvent;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shows a run.
pub struct Remaking {
    bar: ProgressBar,
    shows: Shows,
    say: fn(&str),
    started: Instant,
}

impl Remaking {
    /// `say` prints a line where there is no bar.
    pub fn new(shows: Shows, say: fn(&str)) -> Self {
        let has_bar = !shows.quiet && std::io::stderr().is_terminal();
        let target =
            if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style("documents"));
        Self { bar, shows, say, started: Instant::now() }
    }

    /// Shows an event.
    pub fn report(&self, event: &ReindexEvent) {
        match event {
            ReindexEvent::Found(documents) => {
                self.bar.set_length(*documents as u64);
                self.bar.enable_steady_tick(Duration::from_millis(200));
            }
            ReindexEvent::Embedded => {}
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

    /// A line above the bar.
    fn line(&self, line: &str) {
        self.bar.suspend(|| (self.say)(line));
    }
}
