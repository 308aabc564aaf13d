//! What fetching a model shows: a bar of bytes, on a terminal alone.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Shows a fetch.
pub struct Fetching(ProgressBar);

impl Fetching {
    /// Shows nothing if it is to be quiet.
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(
            "{bar:30.cyan/dim} {bytes}/{total_bytes} {msg:.dim}  {bytes_per_sec:.dim}  {eta:.dim}",
        )
        .expect("the template is valid")
        .progress_chars("━╸─");
        Self(ProgressBar::with_draw_target(Some(0), target).with_style(style))
    }

    /// Shows how much of a file came.
    pub fn report(&self, file: &'static str, bytes: u64, total: Option<u64>) {
        self.0.set_message(file);
        self.0.set_length(total.unwrap_or(bytes));
        self.0.set_position(bytes);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
