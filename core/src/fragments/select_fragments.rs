/*!
Which lines come back.

What was found is taken best first, each as the whole lines that its chunk touches, until the budget
is spent; what no longer fits as a whole is narrowed to the lines of it that are worth most. Fenced
blocks come whole or not at all, and so do lines. What is longer than the whole budget cannot: of
such a block come as many whole lines as fit, and of such a line the chunk of it that was found.
Fragments that touch, with nothing but blank lines between, become one.
*/

mod hit_lines;
mod selection;

use super::fragment::{Fragment, FragmentHit, FragmentLimits};
use super::text_run::TextRun;
use crate::interrupt;
use hit_lines::HitLines;
use selection::Selection;
use std::collections::HashMap;

/// How little the first ranks differ when it is weighed how much room each hit takes.
const SOON: f64 = 5.0;

/// Less than this part of the budget is not worth filling with parts of what was found: it would be a
/// line or two, and to find out which takes longer than to choose all the rest.
const REST: u32 = 16;

/// Chooses lines for hits that come best first, and returns fragments in the order of their best.
///
/// `worth` tells of lines, each by its stretch and its place there, how much it has of what was asked
/// for. That is dear to find out, so it is asked once at most, where a hit does not fit as a whole, for
/// that hit and as many after it as fragments may come; further ones come whole or not at all.
pub fn select_fragments(
    text_runs: &[TextRun],
    hits: &[FragmentHit],
    limits: FragmentLimits,
    worth: &impl Fn(&[(usize, usize)]) -> Vec<f64>,
) -> Vec<Fragment> {
    let mut taken = Selection { text_runs, limits, fragments: Vec::new() };
    if limits.max_fragments == 0 {
        return Vec::new();
    }
    let found = hits.iter().map(|hit| {
        let text_run = &text_runs[hit.text_run];
        HitLines { text_run, hit, limits }
    });
    // What takes more room than its chunk has less of what was found for each token.
    let turns = found.enumerate().map(|(place, found)| {
        interrupt::poll();
        ((SOON + place as f64) * found.growth(), (place, found))
    });
    let mut order: Vec<_> = turns.collect();
    order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let order: Vec<_> = order.into_iter().map(|(_, found)| found).collect();
    let mut line_scores = LineScores::new(worth);
    for (turn, (place, found)) in order.iter().enumerate() {
        interrupt::poll();
        // Of a chunk that is blank there is nothing to show.
        if found.touched().is_empty() || taken.covers(*place, found.hit) {
            continue;
        }
        let text_run = found.hit.text_run;
        if found.whole().is_some_and(|lines| taken.take(*place, text_run, lines)) {
            continue;
        }
        let room = taken.room();
        if !taken.fragments.is_empty() && room < limits.max_tokens / REST {
            continue;
        }
        if !found.can_be_cut(room) {
            continue;
        }
        line_scores
            .look_at(order[turn..].iter().take(limits.max_fragments).map(|(_, found)| found));
        let Some(worth) = line_scores.of(found) else { continue };
        if let Some(lines) = found.narrowed(room, &worth) {
            taken.take(*place, text_run, lines);
        } else if let Some(bytes) = found.piece(room, &worth, taken.fragments.is_empty()) {
            taken.cut(*place, text_run, bytes);
        }
    }
    taken.fragments
}

/// A line, by its stretch and its place there.
type LineId = (usize, usize);

/// Tells what each of some lines is worth.
type Ask<'a> = dyn Fn(&[LineId]) -> Vec<f64> + 'a;

/// What lines are worth.
struct LineScores<'a> {
    ask: &'a Ask<'a>,
    known: Option<HashMap<LineId, f64>>,
}

impl<'a> LineScores<'a> {
    /// Takes what tells it.
    fn new(ask: &'a Ask<'a>) -> Self {
        Self { ask, known: None }
    }

    /// Asks for the lines of some hits that are weighed; the first time counts, and nothing is asked again.
    fn look_at<'f>(&mut self, hits: impl Iterator<Item = &'f HitLines<'f>>) {
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
    fn of(&self, found: &HitLines) -> Option<impl Fn(usize) -> f64> {
        let (text_run, known) = (found.hit.text_run, self.known.as_ref()?);
        let all = found.weighed().all(|line| known.contains_key(&(text_run, line)));
        all.then_some(move |line| known.get(&(text_run, line)).copied().unwrap_or_default())
    }
}
