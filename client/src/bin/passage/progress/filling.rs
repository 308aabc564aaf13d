//! What filling a store shows: a bar on a terminal, a line now and then otherwise.

use super::style;
use crate::render;
use indicatif::{ProgressBar, ProgressDrawTarget};
use passage::ingest::FillEvent;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shows a run.
pub struct Filling {
    bar: ProgressBar,
    quiet: bool,
    say: fn(&str),
    started: Instant,
}

impl Filling {
    /// `say` prints a line where there is no bar.
    pub fn new(quiet: bool, say: fn(&str)) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style("chunks"));
        Self { bar, quiet, say, started: Instant::now() }
    }

    /// Shows an event.
    pub fn report(&self, event: &FillEvent) {
        match event {
            FillEvent::Missing(chunks) => {
                self.bar.set_length(self.bar.position() + chunks);
                if *chunks > 0 {
                    self.bar.enable_steady_tick(Duration::from_millis(200));
                    self.note(&format!("{} without an embedding", count(*chunks)));
                }
            }
            FillEvent::Embedded(chunks) => {
                self.bar.inc(*chunks);
                // Chunks may come while others are embedded.
                self.bar.set_length(self.bar.length().unwrap_or(0).max(self.bar.position()));
                self.note(&format!("embedded {}", count(*chunks)));
            }
            FillEvent::Waiting => {
                self.bar.set_message("waiting for new chunks");
                self.note("waiting for new chunks");
            }
            FillEvent::Interrupted(error) => {
                let cause = render::failure(&error.to_string(), "It is tried again.");
                self.bar.suspend(|| (self.say)(&cause));
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

    /// A line where there is no bar to show the same.
    fn note(&self, line: &str) {
        if !self.quiet && self.bar.is_hidden() {
            (self.say)(line);
        }
    }
}

fn count(chunks: u64) -> String {
    render::count(usize::try_from(chunks).unwrap_or(usize::MAX), "chunk")
}
