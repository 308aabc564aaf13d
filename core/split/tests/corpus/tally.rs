//! The results of many files, by media type.

use passage_split::{MediaType, SplitDocument};
use std::{collections::BTreeMap, fmt, time::Duration};

/// The results of the files of one media type.
#[derive(Default)]
struct TypeTally {
    files: usize,
    bytes: usize,
    chunks: usize,
    /// The number of files with a syntax error, which were split as text.
    broken: usize,
    losses: usize,
    /// The time of splitting, without reading and conversion.
    time: Duration,
}

#[derive(Default)]
pub struct Tally {
    rows: BTreeMap<String, TypeTally>,
    skipped: BTreeMap<&'static str, usize>,
    losses: Vec<String>,
}

impl TypeTally {
    fn and(&mut self, other: &TypeTally) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.chunks += other.chunks;
        self.broken += other.broken;
        self.losses += other.losses;
        self.time += other.time;
    }
}

impl Tally {
    pub fn add(
        &mut self,
        source: &MediaType,
        text: &str,
        split: &SplitDocument<'_>,
        time: Duration,
    ) {
        self.rows.entry(source.to_string()).or_default().and(&TypeTally {
            files: 1,
            bytes: text.len(),
            chunks: split.chunks.len(),
            broken: usize::from(split.syntax_error.is_some()),
            losses: 0,
            time,
        });
    }

    pub fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    pub fn lose(&mut self, source: &MediaType, what: String) {
        self.rows.entry(source.to_string()).or_default().losses += 1;
        self.losses.push(what);
    }

    pub fn and(mut self, other: Self) -> Self {
        for (kind, row) in &other.rows {
            self.rows.entry(kind.clone()).or_default().and(row);
        }
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
        self.losses.extend(other.losses);
        self
    }

    pub fn files(&self) -> usize {
        self.rows.values().map(|row| row.files).sum()
    }

    pub fn losses(&self) -> &[String] {
        &self.losses
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |kind: &str, row: &TypeTally| {
            let speed = row.bytes as f64 / 1e6 / row.time.as_secs_f64();
            writeln!(
                f,
                "{kind:28} {:7} {:7.1} {:8} {:6} {:7} {speed:7.1}",
                row.files,
                row.bytes as f64 / 1e6,
                row.chunks,
                row.broken,
                row.losses
            )
        };
        let mut all = TypeTally::default();
        for (kind, row) in &self.rows {
            line(kind, row)?;
            all.and(row);
        }
        line("all of them", &all)?;
        writeln!(f, "media type: files, MB, chunks, not of their type, losses, MB/s of a core")?;
        for (why, count) in &self.skipped {
            writeln!(f, "skipped: {count} {why}")?;
        }
        Ok(())
    }
}
