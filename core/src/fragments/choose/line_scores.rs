//! What lines are worth, found out when it is first wanted.

use super::found::HitLines;
use std::collections::HashMap;

/// A line, by its stretch and its place there.
type LineId = (usize, usize);

/// Tells what each of some lines is worth.
type Ask<'a> = dyn Fn(&[LineId]) -> Vec<f64> + 'a;

/// What lines are worth.
pub struct LineScores<'a> {
    ask: &'a Ask<'a>,
    known: Option<HashMap<LineId, f64>>,
}

impl<'a> LineScores<'a> {
    /// Takes what tells it.
    pub fn new(ask: &'a Ask<'a>) -> Self {
        Self { ask, known: None }
    }

    /// Asks for the lines of some hits that are weighed; the first time counts, and nothing is asked again.
    pub fn look_at<'f>(&mut self, hits: impl Iterator<Item = &'f HitLines<'f>>) {
        self.known.get_or_insert_with(|| {
            let lines = |found: &'f HitLines| {
                let text_run = found.hit.text_run;
                found.weighed().map(move |line| (text_run, line))
            };
            let mut lines: Vec<_> = hits.flat_map(lines).collect();
            lines.sort_unstable();
            lines.dedup();
            let worths = (self.ask)(&lines);
            lines.into_iter().zip(worths).collect()
        });
    }

    /// Returns what each line of a hit is worth, if that was asked for.
    pub fn of(&self, found: &HitLines) -> Option<impl Fn(usize) -> f64> {
        let (text_run, known) = (found.hit.text_run, self.known.as_ref()?);
        let all = found.weighed().all(|line| known.contains_key(&(text_run, line)));
        all.then_some(move |line| known.get(&(text_run, line)).copied().unwrap_or_default())
    }
}
