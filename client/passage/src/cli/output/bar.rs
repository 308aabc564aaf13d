//! The progress bar on standard error, and the lines that replace it where there is no terminal.

use super::print::print_error;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

const BAR: &str = "━╸─";
const TICK: Duration = Duration::from_millis(200);

/// A progress bar. It is hidden if standard error is not a terminal, or if only errors are wanted.
#[derive(Clone)]
pub struct Bar {
    inner: ProgressBar,
    quiet: bool,
}

impl Bar {
    /// Returns a bar that counts `unit`, such as documents.
    pub fn new(unit: &str, quiet: bool) -> Self {
        Self { inner: hidden_unless_terminal(quiet).with_style(counting(unit)), quiet }
    }

    /// Leaves the rate and the remaining time to messages, for documents that take very different times.
    pub fn show_estimate_as_message(&self) {
        self.inner.set_style(style("{bar:30.cyan/dim} {pos}/{len} documents  {msg:.dim}"));
    }

    /// Restarts the bar with another unit and length.
    pub fn restart(&self, length: u64, unit: &str) {
        self.inner.set_style(counting(unit));
        self.inner.reset();
        self.set_length(length);
        self.start();
    }

    /// Shows the bar, and redraws it regularly.
    pub fn start(&self) {
        self.inner.enable_steady_tick(TICK);
    }

    pub fn set_length(&self, length: u64) {
        self.inner.set_length(length);
    }

    /// Adds to the length, counted from the present position.
    pub fn set_remaining(&self, remaining: u64) {
        self.inner.set_length(self.inner.position() + remaining);
    }

    /// Advances the bar, and extends it if the position exceeds the length.
    pub fn advance(&self, by: u64) {
        self.inner.inc(by);
        self.inner.set_length(self.inner.length().unwrap_or(0).max(self.inner.position()));
    }

    pub fn set_message(&self, message: String) {
        self.inner.set_message(message);
    }

    pub fn is_hidden(&self) -> bool {
        self.inner.is_hidden()
    }

    /// Prints a line, unless only errors are wanted.
    pub fn note(&self, line: &str) {
        if !self.quiet {
            self.print(line);
        }
    }

    /// Prints a line if there is no bar that shows the same.
    pub fn note_if_hidden(&self, line: &str) {
        if self.is_hidden() {
            self.note(line);
        }
    }

    /// Prints a line above the bar.
    pub fn print(&self, line: &str) {
        self.inner.suspend(|| print_error(line));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.inner.finish_and_clear();
    }
}

/// The progress bar of a download, which counts bytes.
pub struct Download(ProgressBar);

impl Download {
    /// Returns a bar; hidden if `quiet`.
    pub fn new(quiet: bool) -> Self {
        let style = style(
            "{bar:30.cyan/dim} {bytes}/{total_bytes} {msg:.dim}  {bytes_per_sec:.dim}  {eta:.dim}",
        );
        Self(hidden_unless_terminal(quiet).with_style(style))
    }

    /// Shows the number of bytes of a file that have arrived.
    pub fn report(&self, file: &'static str, bytes: u64, total: Option<u64>) {
        self.0.set_message(file);
        self.0.set_length(total.unwrap_or(bytes));
        self.0.set_position(bytes);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn hidden_unless_terminal(quiet: bool) -> ProgressBar {
    let is_shown = !quiet && std::io::stderr().is_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(0), target)
}

fn counting(unit: &str) -> ProgressStyle {
    let template = format!(
        "{{bar:30.cyan/dim}} {{pos}}/{{len}} {unit}  {{rate:.dim}}  {{eta:.dim}}  {{msg:.dim}}"
    );
    style(&template).with_key("rate", |state: &ProgressState, output: &mut dyn Write| {
        // A bar that cannot be drawn must not end the run.
        let _ = write!(output, "{:.1}/s", state.per_sec());
    })
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid").progress_chars(BAR)
}
