//! The lines of a hit: all that it touches, the best of them, or a part of one.
//!
//! Its twin in SQL is `sql/edition/fragments/select.sql`.

use crate::fragments::fragment::{FragmentHit, FragmentLimits};
use crate::fragments::text_run::TextRun;
use passage_split::interrupt;
use std::ops::Range;

/// The maximum number of scored lines of a hit. Each begins a window, and short lines make long windows.
const MAX_SCORED: usize = 16_384;

/// Whether a window of lines must be relevant.
#[derive(Clone, Copy)]
pub enum Relevance {
    /// The window must have a relevant line, or be most of a hit without any.
    Required,
    Optional,
}

/// A hit with the lines of its text run.
pub struct HitLines<'a> {
    pub text_run: &'a TextRun,
    pub hit: &'a FragmentHit,
    pub limits: FragmentLimits,
}

impl HitLines<'_> {
    /// Returns the lines that the hit touches, without blank lines at the ends.
    pub fn touched(&self) -> Range<usize> {
        self.text_run.lines_of(&self.hit.bytes)
    }

    /// Returns the tokens of the whole hit, relative to those of its chunk; at least 1.
    pub fn growth(&self) -> f64 {
        let own = self.text_run.tokens_in(&self.hit.bytes).max(1.0);
        (self.text_run.tokens(self.with_blocks()) / own).max(1.0)
    }

    /// Returns the lines of the hit with their blocks, if all were read and none is too long.
    pub fn whole(&self) -> Option<Range<usize>> {
        let lines = self.with_blocks();
        lines.clone().all(|line| self.fits(line)).then_some(lines)
    }

    /// Returns whether a line was read completely and fits the budget alone.
    fn fits(&self, line: usize) -> bool {
        let line = &self.text_run.lines[line];
        line.is_complete && line.tokens <= f64::from(self.limits.max_tokens)
    }

    /// Returns the lines of the hit, extended to whole blocks that fit the budget.
    pub fn with_blocks(&self) -> Range<usize> {
        let lines = self.touched();
        if lines.is_empty() {
            return lines;
        }
        let (first, last) = (self.block(lines.start), self.block(lines.end - 1));
        self.text_run.trimmed(first.start.min(lines.start)..last.end.max(lines.end))
    }

    /// Returns the block of a line; if it does not fit the budget, the line alone.
    fn block(&self, line: usize) -> Range<usize> {
        let block = &self.text_run.lines[line].block;
        let fits = self.text_run.tokens(block.clone()) <= f64::from(self.limits.max_tokens)
            && block.clone().all(|line| self.text_run.lines[line].is_complete);
        if fits { block.clone() } else { line..line + 1 }
    }

    /// Returns whether some lines may fit, or one is too long for any budget.
    pub fn can_be_cut(&self, room: u32) -> bool {
        let is_small = |unit: &Range<usize>| self.text_run.tokens(unit.clone()) <= f64::from(room);
        self.touched().any(|line| !self.fits(line)) || self.units().iter().any(is_small)
    }

    /// Returns the lines that are scored if the hit does not fit whole.
    pub fn scored_lines(&self) -> Range<usize> {
        let lines = self.with_blocks();
        lines.start..lines.end.min(lines.start.saturating_add(MAX_SCORED))
    }

    /// Returns the scored lines as units: blocks, and single lines of blocks that are too long.
    fn units(&self) -> Vec<Range<usize>> {
        let lines = self.scored_lines();
        let mut units = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            interrupt::poll_periodically(units.len());
            let (unit, block) = (self.block(at), &self.text_run.lines[at].block);
            if unit == *block {
                at = unit.end;
                units.push(unit);
            } else {
                // The block is examined once and not for each line.
                let end = block.end.min(lines.end);
                units.extend((at..end).map(|line| line..line + 1));
                at = end;
            }
        }
        units
    }

    /// Returns the most relevant window of lines among those that fit.
    pub fn best_window(
        &self,
        room: u32,
        score: &impl Fn(usize) -> f64,
        relevance: Relevance,
    ) -> Option<Range<usize>> {
        let lines = self.with_blocks();
        let unit = |lines: Range<usize>| Unit {
            fits: lines.clone().all(|line| self.fits(line)),
            tokens: self.text_run.tokens(lines.clone()),
            score: lines.clone().map(score).sum(),
            lines,
        };
        let units: Vec<_> = self.units().into_iter().map(unit).collect();
        let all: f64 = units.iter().map(|unit| unit.score).sum();
        let best = windows(&units, f64::from(room))
            .max_by(|a, b| a.score.total_cmp(&b.score).then(b.aside.total_cmp(&a.aside)))?;
        let chosen = self.text_run.trimmed(best.lines);
        // Lines without relevance represent the hit only if they are most of it, or the only result.
        let is_majority =
            || 2.0 * self.text_run.tokens(chosen.clone()) >= self.text_run.tokens(lines.clone());
        let represents = match relevance {
            Relevance::Required => best.score > 0.0 || all <= 0.0 && is_majority(),
            Relevance::Optional => true,
        };
        (!chosen.is_empty() && represents).then_some(chosen)
    }

    /// Returns the hit's part of a line that is too long. It is cut to the remaining tokens if it would be
    /// the only fragment.
    pub fn part_of_line(
        &self,
        room: u32,
        score: &impl Fn(usize) -> f64,
        only: bool,
    ) -> Option<Range<usize>> {
        let long = self.touched().filter(|line| !self.fits(*line));
        let line = long.max_by(|a, b| score(*a).total_cmp(&score(*b)))?;
        let whole = self.text_run.lines[line].bytes.start;
        let whole = whole..whole + self.text_run.line(line).len();
        let bytes = whole.start.max(self.hit.bytes.start)..whole.end.min(self.hit.bytes.end);
        let tokens = self.text_run.tokens_in(&bytes);
        if tokens > f64::from(room) && !only {
            return None;
        }
        let max_bytes = (bytes.len() as f64 * (f64::from(room) / tokens).min(1.0)) as usize;
        let end = self.text_run.text.floor_char_boundary(bytes.start + max_bytes);
        (end > bytes.start).then_some(bytes.start..end)
    }
}

/// Lines that are selected together or not at all.
struct Unit {
    lines: Range<usize>,
    tokens: f64,
    score: f64,
    fits: bool,
}

/// Consecutive units that fit the budget.
struct Window {
    lines: Range<usize>,
    score: f64,
    /// The distance of the relevant lines from the middle, in tokens.
    aside: f64,
}

/// Returns the longest window from each unit.
fn windows(units: &[Unit], room: f64) -> impl Iterator<Item = Window> {
    (0..units.len()).filter_map(move |first| {
        interrupt::poll();
        let (mut tokens, mut score, mut weighted, mut end) = (0.0, 0.0, 0.0, first);
        for unit in &units[first..] {
            if !unit.fits || tokens + unit.tokens > room {
                break;
            }
            weighted += unit.score * (tokens + unit.tokens / 2.0);
            tokens += unit.tokens;
            score += unit.score;
            end += 1;
        }
        let last = units[first..end].last()?;
        let aside =
            if score > 0.0 { (weighted / score - tokens / 2.0).abs() } else { first as f64 };
        Some(Window { lines: units[first].lines.start..last.lines.end, score, aside })
    })
}
