//! The printed table.

use std::fmt;
use std::time::Duration;

use crate::rounds::{Figures, Times};

/// The bar of a ratio.
#[derive(Clone, Copy, Debug)]
pub enum Bar {
    /// Our way may take this many times the floor.
    AtMost(f64),
    /// Our way must be this many times as fast as the floor.
    AtLeast(f64),
    /// A figure without a bar.
    None,
}

/// The spread of the quartiles, as a share of the ratio, and the share of the machine's processor time that other programs
/// use, above which a row is noisy.
const MAX_SPREAD: f64 = 0.25;
const MAX_OTHERS: f64 = 0.1;

/// Rows, and notes below them.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 7]>,
    notes: Vec<String>,
}

impl Table {
    /// Returns a table without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds times in microseconds.
    pub fn times(&mut self, what: &str, figures: Figures, bar: Bar) {
        let time = |microseconds: f64| format!("{microseconds:.0} us");
        self.row(what, time(figures.floor), time(figures.ours), figures, bar);
    }

    /// Adds a row with formatted figures.
    pub fn row(&mut self, what: &str, floor: String, ours: String, figures: Figures, bar: Bar) {
        let ratio = figures.ratio;
        let (bar, met) = match bar {
            Bar::AtMost(max) => (format!("at most {max}"), met(ratio <= max)),
            Bar::AtLeast(least) => (format!("at least {least}"), met(ratio >= least)),
            Bar::None => (String::new(), ""),
        };
        let (low, high) = figures.spread;
        let written = format!("{ratio:.2} ({low:.2} to {high:.2})");
        self.push([what.into(), floor, ours, written, share(figures.others), bar, met.into()]);
        self.warn(what, (high - low) / ratio, figures.others);
    }

    fn push(&mut self, row: [String; 7]) {
        eprintln!("bench: {}", row.join(" | "));
        self.rows.push(row);
    }

    /// Adds a note if a row is too noisy to be trusted; `spread` is a share of its ratio.
    fn warn(&mut self, what: &str, spread: f64, others: Option<f64>) {
        let mut reasons = Vec::new();
        if spread > MAX_SPREAD {
            reasons.push(format!("the quartiles are {:.0} % of the ratio apart", spread * 100.0));
        }
        if others.is_some_and(|others| others > MAX_OTHERS) {
            reasons.push(format!("other programs used {} of the machine", share(others)));
        }
        if !reasons.is_empty() {
            self.note(format!("noisy: {what}: {}", reasons.join(", and ")));
        }
    }

    /// Adds a figure of memory in bytes. A figure that cannot be measured does not meet its bar.
    pub fn memory(&mut self, what: &str, peak: u64, max: u64) {
        let megabytes = |bytes: u64| format!("{} MB", bytes / 1_000_000);
        self.alone(what, megabytes(peak), &megabytes(max), (1..=max).contains(&peak));
    }

    /// Adds the largest delay.
    pub fn late(&mut self, what: &str, worst: Duration, max: Duration) {
        let milliseconds = |time: Duration| format!("{} ms", time.as_millis());
        self.alone(what, milliseconds(worst), &milliseconds(max), worst <= max);
    }

    /// Adds a figure that no floor is compared with.
    fn alone(&mut self, what: &str, ours: String, max: &str, is_met: bool) {
        let (none, bar) = (String::new, format!("at most {max}"));
        self.push([what.into(), none(), ours, none(), none(), bar, met(is_met).into()]);
    }

    /// Adds times of calls, of which a percentile must be below a time in milliseconds. The floor has no bar.
    pub fn latency(
        &mut self,
        what: &str,
        floor: Option<&Times>,
        times: &Times,
        percent: usize,
        max: f64,
    ) {
        let milliseconds = |times: &Times, percent| times.percentile(percent) / 1e3;
        let written = |times: &Times| {
            let [half, tail] = [50, 95].map(|percent| milliseconds(times, percent));
            format!("p50 {half:.1} ms, p95 {tail:.1} ms")
        };
        let (floor, ours) = (floor.map_or_else(String::new, written), written(times));
        let met = met(milliseconds(times, percent) <= max);
        let bar = format!("p{percent} at most {max} ms");
        let others = share(times.others);
        self.push([what.into(), floor, ours, String::new(), others, bar, met.into()]);
        self.warn(what, 0.0, times.others);
    }

    /// Adds a sentence below the table.
    pub fn note(&mut self, text: String) {
        eprintln!("bench: {text}");
        self.notes.push(text);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "| what | floor | ours | ratio (quartiles) | others | bar | |")?;
        writeln!(formatter, "|---|---|---|---|---|---|---|")?;
        for row in &self.rows {
            writeln!(formatter, "| {} |", row.join(" | "))?;
        }
        for note in &self.notes {
            write!(formatter, "\n- {note}")?;
        }
        Ok(())
    }
}

/// Writes a share of the machine, if it is known.
fn share(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0))
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**missed**" }
}
