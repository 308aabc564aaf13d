//! Which lines a hit takes: all it touches, the best of them, or a piece of one.

use crate::fragments::fragment::{FragmentHit, FragmentLimits};
use crate::fragments::text_run::TextRun;
use crate::interrupt;
use std::ops::Range;

/// The most lines of a hit that are weighed: each begins a window, of as many lines where lines have
/// few tokens.
const WEIGHED: usize = 16_384;

/// A hit among the lines of its stretch.
pub struct HitLines<'a> {
    pub text_run: &'a TextRun,
    pub hit: &'a FragmentHit,
    pub limits: FragmentLimits,
}

impl HitLines<'_> {
    /// Returns the lines that it touches, without blank ones at either end.
    pub fn touched(&self) -> Range<usize> {
        self.text_run.lines_of(&self.hit.bytes)
    }

    /// Tells how many times the tokens of its chunk the hit would take as a whole.
    pub fn growth(&self) -> f64 {
        let own = self.text_run.tokens_in(&self.hit.bytes).max(1.0);
        (self.text_run.tokens(self.grown()) / own).max(1.0)
    }

    /// Returns the lines that the hit touches with the blocks that they are of, if all of them were
    /// read and none is too long.
    pub fn whole(&self) -> Option<Range<usize>> {
        let lines = self.grown();
        lines.clone().all(|line| self.fits(line)).then_some(lines)
    }

    /// Tells whether a line can come back at all.
    fn fits(&self, line: usize) -> bool {
        let line = &self.text_run.lines[line];
        line.is_complete && line.tokens <= f64::from(self.limits.max_tokens)
    }

    /// Returns the lines that the hit touches, and all lines of blocks that can come whole.
    pub fn grown(&self) -> Range<usize> {
        let lines = self.touched();
        if lines.is_empty() {
            return lines;
        }
        let (first, last) = (self.block(lines.start), self.block(lines.end - 1));
        self.text_run.trimmed(first.start.min(lines.start)..last.end.max(lines.end))
    }

    /// Returns the lines that come with a line: those of its block, unless that is too long.
    fn block(&self, line: usize) -> Range<usize> {
        let block = &self.text_run.lines[line].block;
        let fits = self.text_run.tokens(block.clone()) <= f64::from(self.limits.max_tokens)
            && block.clone().all(|line| self.text_run.lines[line].is_complete);
        if fits { block.clone() } else { line..line + 1 }
    }

    /// Tells whether some lines of it may fit, or it has one that is too long for any budget.
    pub fn can_be_cut(&self, room: u32) -> bool {
        let is_small = |unit: &Range<usize>| self.text_run.tokens(unit.clone()) <= f64::from(room);
        self.touched().any(|line| !self.fits(line)) || self.units().iter().any(is_small)
    }

    /// Returns the lines that are weighed where the hit does not fit as a whole.
    pub fn weighed(&self) -> Range<usize> {
        let lines = self.grown();
        lines.start..lines.end.min(lines.start.saturating_add(WEIGHED))
    }

    /// Returns the lines that are weighed by what comes together: blocks, and the single lines of those
    /// that are too long.
    fn units(&self) -> Vec<Range<usize>> {
        let lines = self.weighed();
        let mut units = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            interrupt::poll_periodically(units.len());
            let (unit, block) = (self.block(at), &self.text_run.lines[at].block);
            if unit == *block {
                at = unit.end;
                units.push(unit);
            } else {
                // The block is looked at once, not for each of its lines.
                let end = block.end.min(lines.end);
                units.extend((at..end).map(|line| line..line + 1));
                at = end;
            }
        }
        units
    }

    /// Returns the window of lines that is worth most among those that fit.
    pub fn narrowed(&self, room: u32, worth: &impl Fn(usize) -> f64) -> Option<Range<usize>> {
        let lines = self.grown();
        let unit = |lines: Range<usize>| Unit {
            fits: lines.clone().all(|line| self.fits(line)),
            tokens: self.text_run.tokens(lines.clone()),
            worth: lines.clone().map(worth).sum(),
            lines,
        };
        let units: Vec<_> = self.units().into_iter().map(unit).collect();
        let all: f64 = units.iter().map(|unit| unit.worth).sum();
        let best = windows(&units, f64::from(room))
            .max_by(|a, b| a.worth.total_cmp(&b.worth).then(b.aside.total_cmp(&a.aside)))?;
        let chosen = self.text_run.trimmed(best.lines);
        // Lines without anything of what was asked for stand for the hit if they are most of it.
        let most =
            || 2.0 * self.text_run.tokens(chosen.clone()) >= self.text_run.tokens(lines.clone());
        let stands = !chosen.is_empty() && (best.worth > 0.0 || all <= 0.0 && most());
        stands.then_some(chosen)
    }

    /// Returns the hit's part of a line that is too long to come back, cut to what is left if there is
    /// nothing else.
    pub fn piece(
        &self,
        room: u32,
        worth: &impl Fn(usize) -> f64,
        only: bool,
    ) -> Option<Range<usize>> {
        let long = self.touched().filter(|line| !self.fits(*line));
        let line = long.max_by(|a, b| worth(*a).total_cmp(&worth(*b)))?;
        let whole = self.text_run.lines[line].bytes.start;
        let whole = whole..whole + self.text_run.line(line).len();
        let bytes = whole.start.max(self.hit.bytes.start)..whole.end.min(self.hit.bytes.end);
        let tokens = self.text_run.tokens_in(&bytes);
        if tokens > f64::from(room) && !only {
            return None;
        }
        let most = (bytes.len() as f64 * (f64::from(room) / tokens).min(1.0)) as usize;
        let end = self.text_run.text.floor_char_boundary(bytes.start + most);
        (end > bytes.start).then_some(bytes.start..end)
    }
}

/// Lines that come together or not at all.
struct Unit {
    lines: Range<usize>,
    tokens: f64,
    worth: f64,
    fits: bool,
}

/// Units that fit together.
struct Window {
    lines: Range<usize>,
    worth: f64,
    /// How far what is worth something in it lies from its middle, in tokens.
    aside: f64,
}

/// Lists for each unit the longest window that begins there.
fn windows(units: &[Unit], room: f64) -> impl Iterator<Item = Window> {
    (0..units.len()).filter_map(move |first| {
        interrupt::poll();
        let (mut tokens, mut worth, mut weighted, mut end) = (0.0, 0.0, 0.0, first);
        for unit in &units[first..] {
            if !unit.fits || tokens + unit.tokens > room {
                break;
            }
            weighted += unit.worth * (tokens + unit.tokens / 2.0);
            tokens += unit.tokens;
            worth += unit.worth;
            end += 1;
        }
        let last = units[first..end].last()?;
        let aside =
            if worth > 0.0 { (weighted / worth - tokens / 2.0).abs() } else { first as f64 };
        Some(Window { lines: units[first].lines.start..last.lines.end, worth, aside })
    })
}
