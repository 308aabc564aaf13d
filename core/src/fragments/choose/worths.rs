//! What lines are worth, found out when it is first wanted.

use super::found::Found;
use std::collections::HashMap;

/// A line, by its stretch and its place there.
type Line = (usize, usize);

/// Tells what each of some lines is worth.
type Ask<'a> = dyn Fn(&[Line]) -> Vec<f64> + 'a;

/// What lines are worth.
pub struct Worths<'a> {
    ask: &'a Ask<'a>,
    known: Option<HashMap<Line, f64>>,
}

impl<'a> Worths<'a> {
    /// Takes what tells it.
    pub fn new(ask: &'a Ask<'a>) -> Self {
        Self { ask, known: None }
    }

    /// Asks for the lines of some hits that are weighed; the first time counts, and nothing is asked again.
    pub fn look_at<'f>(&mut self, hits: impl Iterator<Item = &'f Found<'f>>) {
        self.known.get_or_insert_with(|| {
            let lines = |found: &'f Found| {
                let stretch = found.hit.stretch;
                found.weighed().map(move |line| (stretch, line))
            };
            let mut lines: Vec<_> = hits.flat_map(lines).collect();
            lines.sort_unstable();
            lines.dedup();
            let worths = (self.ask)(&lines);
            lines.into_iter().zip(worths).collect()
        });
    }

    /// Returns what each line of a hit is worth, if that was asked for.
    pub fn of(&self, found: &Found) -> Option<impl Fn(usize) -> f64> {
        let (stretch, known) = (found.hit.stretch, self.known.as_ref()?);
        let all = found.weighed().all(|line| known.contains_key(&(stretch, line)));
        all.then_some(move |line| known.get(&(stretch, line)).copied().unwrap_or_default())
    }
}
