/*!
The pace of an ingest, and an estimate of its end.

A run that continues an earlier one first passes documents that are unchanged, thousands in a second, and then embeds the
others. So neither the chunks nor the remaining time are computed from the start of the run: the clock starts with the
first embedded chunk, and the remaining documents are expected to be like the last ones.
*/

use crate::cli::output::render::count;
use std::collections::VecDeque;
use std::time::Duration;

/// The number of documents that the next ones are expected to be like.
const RECENT: usize = 20;

/// The counts of a run, with times since its start.
#[derive(Default)]
pub struct Estimate {
    /// The number of documents; `None` while the sources are still listed.
    documents: Option<usize>,
    done: usize,
    /// The number of documents that were written.
    written: usize,
    /// Whether each of the last documents was written.
    recent: VecDeque<bool>,
    chunks: usize,
    /// When the first chunk was embedded.
    first_chunk: Option<Duration>,
}

impl Estimate {
    /// Records the number of documents.
    pub fn found(&mut self, documents: usize, all: bool) {
        self.documents = all.then_some(documents);
    }

    /// Records a finished document.
    pub fn done(&mut self, is_written: bool) {
        self.done += 1;
        self.written += usize::from(is_written);
        self.recent.push_back(is_written);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// Records an embedded chunk.
    pub fn embedded(&mut self, now: Duration) {
        self.chunks += 1;
        self.first_chunk.get_or_insert(now);
    }

    /// Returns the remaining time, if the number of documents is known and some have been written.
    fn remaining(&self, now: Duration) -> Option<Duration> {
        let documents = self.documents?;
        let working = now.saturating_sub(self.first_chunk?);
        if self.written == 0 || working.is_zero() {
            return None;
        }
        let is_written = self.recent.iter().filter(|is_written| **is_written).count();
        let share = is_written as f64 / self.recent.len() as f64;
        let others = documents.saturating_sub(self.done) as f64 * share;
        Duration::try_from_secs_f64(working.as_secs_f64() / self.written as f64 * others).ok()
    }

    /// Returns the pace and the remaining time in words.
    pub fn describe(&self, now: Duration) -> String {
        let chunks = count(self.chunks, "chunk");
        let working = now.saturating_sub(self.first_chunk.unwrap_or(now)).as_secs_f64();
        let pace = if working > 0.0 {
            format!("{chunks} embedded, {:.1}/s", self.chunks as f64 / working)
        } else {
            format!("{chunks} embedded")
        };
        match self.remaining(now) {
            Some(remaining) => format!("{pace}, {} left", rounded(remaining)),
            None => pace,
        }
    }
}

/// Returns a time in words, as exact as an estimate is.
fn rounded(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match (time.as_secs(), minutes) {
        (seconds @ 0..90, _) => format!("{seconds} s"),
        (_, 0..90) => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_run_that_continues_is_estimated_by_the_documents_that_it_writes() {
        let mut estimate = Estimate::default();
        for _ in 0..1_000 {
            estimate.done(false);
        }
        // The first chunk is embedded a minute after the start.
        for chunk in 1..=100 {
            estimate.embedded(60 * SECOND + chunk * SECOND / 10);
        }
        for _ in 0..RECENT {
            estimate.done(true);
        }
        estimate.found(1_060, false);
        assert_eq!(estimate.describe(70 * SECOND), "100 chunks embedded, 10.1/s");
        estimate.found(1_060, true);
        assert_eq!(estimate.describe(70 * SECOND), "100 chunks embedded, 10.1/s, 19 s left");
        for _ in 0..RECENT {
            estimate.done(false);
        }
        assert_eq!(estimate.describe(70 * SECOND), "100 chunks embedded, 10.1/s, 0 s left");
    }

    #[test]
    fn nothing_is_estimated_before_a_document_is_written() {
        let mut estimate = Estimate::default();
        estimate.found(10, true);
        estimate.embedded(SECOND);
        assert_eq!(estimate.describe(SECOND), "1 chunk embedded");
        assert_eq!(estimate.describe(3 * SECOND), "1 chunk embedded, 0.5/s");
    }

    #[test]
    fn a_time_is_rounded_to_seconds_minutes_or_hours() {
        for (seconds, expected) in
            [(0, "0 s"), (89, "89 s"), (90, "2 min"), (5_340, "89 min"), (12_000, "3 h 20 min")]
        {
            assert_eq!(rounded(seconds * SECOND), expected);
        }
    }
}
