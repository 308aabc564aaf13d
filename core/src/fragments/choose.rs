/*!
Which lines come back.

What was found is taken best first, each as the whole lines that its chunk touches, until the budget
is spent; what no longer fits as a whole is narrowed to the lines of it that are worth most. Fenced
blocks come whole or not at all, and so do lines. What is longer than the whole budget cannot: of
such a block come as many whole lines as fit, and of such a line the chunk of it that was found.
Fragments that touch, with nothing but blank lines between, become one.
*/

mod found;
mod line_scores;
mod taken;

use super::text_run::TextRun;
use crate::interrupt;
use found::HitLines;
use line_scores::LineScores;
use std::ops::Range;
use taken::Taken;

/// How little the first ranks differ when it is weighed how much room each hit takes.
const SOON: f64 = 5.0;

/// Less than this part of the budget is not worth filling with parts of what was found: it would be a
/// line or two, and to find out which takes longer than to choose all the rest.
const REST: u32 = 16;

/// How much may come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentLimits {
    /// The most fragments.
    pub max_fragments: usize,
    /// The most tokens of all fragments together.
    pub max_tokens: u32,
}

/// A chunk that was found, by its place in the text of a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentHit {
    /// The stretch that holds it.
    pub text_run: usize,
    /// Where in its text the chunk stands.
    pub bytes: Range<usize>,
}

/// Lines that come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The stretch that they are of.
    pub text_run: usize,
    /// The lines.
    pub lines: Range<usize>,
    /// Where in the text of the stretch they stand, without the end of the last line.
    pub bytes: Range<usize>,
    /// Their tokens, rounded up.
    pub tokens: u32,
    /// The hits that they were chosen for, best first; never none.
    pub hits: Vec<usize>,
    /// What had to be cut.
    pub truncation: Option<Truncation>,
}

/// What is longer than all fragments together may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// A fenced block, between two of its lines.
    Block,
    /// A line.
    Line,
    /// The document, of which the first lines come back.
    Document,
}

impl Truncation {
    /// Returns the word for a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Line => "line",
            Self::Document => "document",
        }
    }
}

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
    let mut taken = Taken { text_runs, limits, fragments: Vec::new() };
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
