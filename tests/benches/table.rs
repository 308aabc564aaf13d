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

/// Rows, and notes below them.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 6]>,
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
            Bar::AtMost(max) => (format!("at most {max}"), Some(ratio <= max)),
            Bar::AtLeast(least) => (format!("at least {least}"), Some(ratio >= least)),
            Bar::None => (String::new(), None),
        };
        let met = met.map_or("", |met| if met { "met" } else { "**missed**" });
        let (low, high) = figures.spread;
        let ratio = format!("{ratio:.2} ({low:.2} to {high:.2})");
        eprintln!("bench: {what}: floor {floor}, ours {ours}, ratio {ratio} {bar} {met}");
        self.rows.push([what.into(), floor, ours, ratio, bar, met.into()]);
    }

    /// Adds a figure of memory in bytes. A figure that cannot be measured does not meet its bar.
    pub fn memory(&mut self, what: &str, peak: u64, max: u64) {
        let megabytes = |bytes: u64| format!("{} MB", bytes / 1_000_000);
        let met = if (1..=max).contains(&peak) { "met" } else { "**missed**" };
        let (ours, bar) = (megabytes(peak), format!("at most {}", megabytes(max)));
        eprintln!("bench: {what}: {ours} {bar} {met}");
        self.rows.push([what.into(), String::new(), ours, String::new(), bar, met.into()]);
    }

    /// Adds the largest delay.
    pub fn late(&mut self, what: &str, worst: Duration, max: Duration) {
        let milliseconds = |time: Duration| format!("{} ms", time.as_millis());
        let met = if worst <= max { "met" } else { "**missed**" };
        let (ours, bar) = (milliseconds(worst), format!("at most {}", milliseconds(max)));
        eprintln!("bench: {what}: {ours} {bar} {met}");
        self.rows.push([what.into(), String::new(), ours, String::new(), bar, met.into()]);
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
        let met = if milliseconds(times, percent) <= max { "met" } else { "**missed**" };
        let bar = format!("p{percent} at most {max} ms");
        eprintln!("bench: {what}: floor {floor}, ours {ours} {bar} {met}");
        self.rows.push([what.into(), floor, ours, String::new(), bar, met.into()]);
    }

    /// Adds a sentence below the table.
    pub fn note(&mut self, text: String) {
        eprintln!("bench: {text}");
        self.notes.push(text);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "| what | floor | ours | ratio (quartiles) | bar | |")?;
        writeln!(formatter, "|---|---|---|---|---|---|")?;
        for row in &self.rows {
            writeln!(formatter, "| {} |", row.join(" | "))?;
        }
        for note in &self.notes {
            write!(formatter, "\n- {note}")?;
        }
        Ok(())
    }
}
