/*!
Selecting fragments: which lines are returned.

Hits are processed best first, each with the whole lines that its chunk touches, until the budget is spent. A hit
that does not fit is narrowed to its best lines. Lines and fenced blocks are never cut, unless one exceeds the whole
budget. Then a block gives as many whole lines as fit, and a line gives the hit's part of it. Fragments with only
blank lines between them are merged.

Its twin in SQL is `sql/edition/fragments/select.sql`.
*/

mod hit_lines;
mod selection;

use super::fragment::{Fragment, FragmentHit, FragmentLimits};
use super::text_run::TextRun;
use hit_lines::{HitLines, Relevance};
use passage_split::interrupt;
use selection::Selection;
use std::collections::{BTreeSet, HashMap};

/// The constant added to ranks when they are weighted by size, so that the first ranks differ little.
const SOON: f64 = 5.0;

/// The fraction of the budget below which narrowed hits are not tried. They would add a line or two, at a
/// higher cost than the whole selection.
const REST: u32 = 16;

/// Selects lines for hits, given best first, and returns fragments in the order of their best hits.
///
/// `score_lines` returns the relevance of lines, each given by text run and line. It is expensive, so it is called
/// at most twice: for the first hit that does not fit, and if another one is cut, for as many hits behind the first as
/// fragments may follow. Later hits are returned whole or not at all.
///
/// ```
/// use passage_core::fragments::{
///     FragmentHit, FragmentLimits, SourceChunk, select_fragments, text_runs,
/// };
///
/// let chunk = SourceChunk {
///     document: 0, ordinal: Some(0), content: "One.\nTwo.\n".into(), span: Some(0..10),
///     first_line: Some(1), tokens: 4, section: None, continues: [false; 2],
/// };
/// let runs = text_runs(&[chunk], |_| false);
/// let hits = [FragmentHit { text_run: 0, bytes: 5..10 }];
/// let limits = FragmentLimits { max_fragments: 3, max_tokens: 100 };
/// let fragments = select_fragments(&runs, &hits, limits, &|lines| vec![0.0; lines.len()]);
/// assert_eq!(runs[0].text(fragments[0].lines.clone()), "Two.");
/// ```
pub fn select_fragments(
    text_runs: &[TextRun],
    hits: &[FragmentHit],
    limits: FragmentLimits,
    score_lines: &impl Fn(&[(usize, usize)]) -> Vec<f64>,
) -> Vec<Fragment> {
    let mut selection = Selection { text_runs, limits, fragments: Vec::new() };
    if limits.max_fragments == 0 {
        return Vec::new();
    }
    let candidate = hits.iter().map(|hit| {
        let text_run = &text_runs[hit.text_run];
        HitLines { text_run, hit, limits }
    });
    // A hit that grows far beyond its chunk has less relevant text for each token.
    let turns = candidate.enumerate().map(|(hit_index, candidate)| {
        interrupt::poll();
        ((SOON + hit_index as f64) * candidate.growth(), (hit_index, candidate))
    });
    let mut order: Vec<_> = turns.collect();
    order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let order: Vec<_> = order.into_iter().map(|(_, candidate)| candidate).collect();
    let mut line_scores = LineScores::new(score_lines);
    for (turn, (hit_index, candidate)) in order.iter().enumerate() {
        interrupt::poll();
        // A blank chunk has no lines to return.
        if candidate.touched().is_empty() || selection.covers(*hit_index, candidate.hit) {
            continue;
        }
        let text_run = candidate.hit.text_run;
        if candidate.whole().is_some_and(|lines| selection.take(*hit_index, text_run, lines)) {
            continue;
        }
        let room = selection.room();
        if !selection.fragments.is_empty() && room < limits.max_tokens / REST {
            continue;
        }
        if !candidate.can_be_cut(room) {
            continue;
        }
        line_scores
            .allow(order[turn..].iter().take(limits.max_fragments).map(|(_, candidate)| candidate));
        let Some(score) = line_scores.of(candidate) else { continue };
        if let Some(lines) = candidate.best_window(room, &score, Relevance::Required) {
            selection.take(*hit_index, text_run, lines);
        } else if let Some(bytes) =
            candidate.part_of_line(room, &score, selection.fragments.is_empty())
        {
            selection.cut(*hit_index, text_run, bytes);
        }
    }
    if selection.fragments.is_empty() {
        take_any_window(&mut selection, &order, &mut line_scores);
    }
    selection.fragments
}

/// Selects lines of the first hit that has some within the budget, relevant or not: a few lines of a document
/// that was found are more useful than an empty result.
fn take_any_window(
    selection: &mut Selection<'_>,
    order: &[(usize, HitLines<'_>)],
    line_scores: &mut LineScores<'_>,
) {
    for (hit_index, candidate) in order {
        interrupt::poll();
        let Some(score) = line_scores.of(candidate) else { continue };
        let lines = candidate.best_window(selection.room(), &score, Relevance::Optional);
        if lines.is_some_and(|lines| selection.take(*hit_index, candidate.hit.text_run, lines)) {
            return;
        }
    }
}

/// The index of a text run and of a line in it.
type LineId = (usize, usize);

/// Returns the relevance of lines.
type ScoreLines<'a> = dyn Fn(&[LineId]) -> Vec<f64> + 'a;

/// The relevance of lines, computed when a hit is cut. Most budgets are spent after the first one.
struct LineScores<'a> {
    score_lines: &'a ScoreLines<'a>,
    /// The lines of the hits that may be cut, once they are known, without those that were scored.
    unscored: Option<BTreeSet<LineId>>,
    scores: HashMap<LineId, f64>,
}

impl<'a> LineScores<'a> {
    /// Creates an empty cache.
    fn new(score_lines: &'a ScoreLines<'a>) -> Self {
        Self { score_lines, unscored: None, scores: HashMap::new() }
    }

    /// Allows to cut hits on the first call; later calls do nothing.
    fn allow<'f>(&mut self, hits: impl Iterator<Item = &'f HitLines<'f>>) {
        self.unscored.get_or_insert_with(|| hits.flat_map(line_ids).collect());
    }

    /// Returns the scores of a hit's lines, if it may be cut. The first call scores the lines of its hit, and the second
    /// one all that are left.
    fn of(&mut self, candidate: &HitLines) -> Option<impl Fn(usize) -> f64> {
        let unscored = self.unscored.as_mut()?;
        let is_scored = |line: &LineId| self.scores.contains_key(line);
        if !line_ids(candidate).all(|line| unscored.contains(&line) || is_scored(&line)) {
            return None;
        }
        if !line_ids(candidate).all(|line| is_scored(&line)) {
            let lines: Vec<_> = if self.scores.is_empty() {
                line_ids(candidate).collect()
            } else {
                unscored.iter().copied().collect()
            };
            for line in &lines {
                unscored.remove(line);
            }
            let scores = (self.score_lines)(&lines);
            self.scores.extend(lines.into_iter().zip(scores));
        }
        let text_run = candidate.hit.text_run;
        Some(move |line| self.scores.get(&(text_run, line)).copied().unwrap_or_default())
    }
}

/// Returns the lines of a hit that are scored, in their order.
fn line_ids(candidate: &HitLines) -> impl Iterator<Item = LineId> {
    let text_run = candidate.hit.text_run;
    candidate.scored_lines().map(move |line| (text_run, line))
}
