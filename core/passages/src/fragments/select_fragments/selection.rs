//! The fragments selected so far, within the limits.
//!
//! Its twin in SQL is `sql/edition/fragments/select.sql`.

use crate::fragments::fragment::{Fragment, FragmentHit, FragmentLimits, Truncation};
use crate::fragments::text_run::TextRun;
use std::ops::Range;

/// The selected fragments, in the order of their best hits.
pub struct Selection<'a> {
    pub text_runs: &'a [TextRun],
    pub limits: FragmentLimits,
    pub fragments: Vec<Fragment>,
}

impl Selection<'_> {
    fn spent(fragments: &[Fragment]) -> u64 {
        fragments.iter().map(|fragment| u64::from(fragment.tokens)).sum()
    }

    /// Returns the remaining tokens.
    pub fn room(&self) -> u32 {
        let spent = Self::spent(&self.fragments);
        u64::from(self.limits.max_tokens).saturating_sub(spent) as u32
    }

    /// Adds a hit to a fragment that already contains it, and returns whether there is one.
    pub fn covers(&mut self, hit_index: usize, hit: &FragmentHit) -> bool {
        let lines = self.text_runs[hit.text_run].lines_of(&hit.bytes);
        let holds = |fragment: &&mut Fragment| {
            fragment.text_run == hit.text_run
                && fragment.truncation != Some(Truncation::Line)
                && fragment.lines.start <= lines.start
                && lines.end <= fragment.lines.end
        };
        let holder = self.fragments.iter_mut().find(holds);
        holder.map(|fragment| fragment.hits.push(hit_index)).is_some()
    }

    /// Adds lines for a hit if they fit, and returns whether they did.
    pub fn take(&mut self, hit_index: usize, text_run: usize, lines: Range<usize>) -> bool {
        let text = &self.text_runs[text_run];
        let start = text.lines[lines.start].bytes.start;
        let bytes = start..start + text.text(lines.clone()).len();
        let mut new =
            Fragment { text_run, lines, bytes, tokens: 0, hits: vec![hit_index], truncation: None };
        let touches = |fragment: &Fragment| {
            fragment.text_run == text_run
                && fragment.truncation != Some(Truncation::Line)
                && text.are_adjacent(&fragment.lines, &new.lines)
        };
        let (touching, mut apart): (Vec<_>, Vec<_>) =
            self.fragments.iter().cloned().partition(touches);
        for fragment in touching {
            new.lines =
                fragment.lines.start.min(new.lines.start)..fragment.lines.end.max(new.lines.end);
            new.bytes =
                fragment.bytes.start.min(new.bytes.start)..fragment.bytes.end.max(new.bytes.end);
            new.hits.extend(fragment.hits);
        }
        new.hits.sort_unstable();
        new.tokens = text.tokens(new.lines.clone()).ceil() as u32;
        let cut = |line: usize| {
            let block = &text.lines[line].block;
            block.start < new.lines.start || new.lines.end < block.end
        };
        if cut(new.lines.start) || cut(new.lines.end - 1) {
            new.truncation = Some(Truncation::Block);
        }
        apart.push(new);
        self.accept(apart)
    }

    /// Adds a part of a line for a hit if it fits, and returns whether it did.
    pub fn cut(&mut self, hit_index: usize, text_run: usize, bytes: Range<usize>) -> bool {
        let text = &self.text_runs[text_run];
        let line = text.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let cut = |fragment: &&mut Fragment| {
            fragment.text_run == text_run
                && fragment.truncation == Some(Truncation::Line)
                && fragment.lines.start == line
        };
        let tokens = |bytes: &Range<usize>| text.tokens_in(bytes).ceil() as u32;
        let mut fragments = self.fragments.clone();
        let beside = fragments.iter_mut().filter(cut).find(|fragment| {
            fragment.bytes.end == bytes.start || bytes.end == fragment.bytes.start
        });
        if let Some(fragment) = beside {
            fragment.bytes =
                fragment.bytes.start.min(bytes.start)..fragment.bytes.end.max(bytes.end);
            fragment.tokens = tokens(&fragment.bytes);
            fragment.hits.push(hit_index);
        } else {
            let (tokens, hits, truncation) =
                (tokens(&bytes), vec![hit_index], Some(Truncation::Line));
            fragments.push(Fragment {
                text_run,
                lines: line..line + 1,
                bytes,
                tokens,
                hits,
                truncation,
            });
        }
        self.accept(fragments)
    }

    /// Replaces the fragments if the new ones are within the limits.
    fn accept(&mut self, mut fragments: Vec<Fragment>) -> bool {
        let fits = fragments.len() <= self.limits.max_fragments
            && Self::spent(&fragments) <= u64::from(self.limits.max_tokens);
        if fits {
            fragments.sort_by_key(|fragment| fragment.hits[0]);
            self.fragments = fragments;
        }
        fits
    }
}
