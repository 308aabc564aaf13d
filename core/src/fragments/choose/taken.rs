//! The fragments that were taken so far, and whether more fits beside them.

use super::{Cut, Fragment, Hit, Limits};
use crate::fragments::stretch::Stretch;
use std::ops::Range;

/// The fragments so far, in the order of their best hits.
pub struct Taken<'a> {
    pub stretches: &'a [Stretch],
    pub limits: Limits,
    pub fragments: Vec<Fragment>,
}

impl Taken<'_> {
    fn spent(fragments: &[Fragment]) -> u64 {
        fragments.iter().map(|fragment| u64::from(fragment.tokens)).sum()
    }

    /// Returns the tokens that are left.
    pub fn room(&self) -> u32 {
        let spent = Self::spent(&self.fragments);
        u64::from(self.limits.max_tokens).saturating_sub(spent) as u32
    }

    /// Gives a hit to the fragment that holds it already, if one does.
    pub fn covers(&mut self, place: usize, hit: &Hit) -> bool {
        let lines = self.stretches[hit.stretch].touched(&hit.bytes);
        let holds = |fragment: &&mut Fragment| {
            fragment.stretch == hit.stretch
                && fragment.cut != Some(Cut::Line)
                && fragment.lines.start <= lines.start
                && lines.end <= fragment.lines.end
        };
        let holder = self.fragments.iter_mut().find(holds);
        holder.map(|fragment| fragment.hits.push(place)).is_some()
    }

    /// Takes lines for a hit if they fit into what is left.
    pub fn take(&mut self, place: usize, stretch: usize, lines: Range<usize>) -> bool {
        let text = &self.stretches[stretch];
        let start = text.lines[lines.start].bytes.start;
        let bytes = start..start + text.text(lines.clone()).len();
        let mut new = Fragment { stretch, lines, bytes, tokens: 0, hits: vec![place], cut: None };
        let touches = |fragment: &Fragment| {
            fragment.stretch == stretch
                && fragment.cut != Some(Cut::Line)
                && text.touch(&fragment.lines, &new.lines)
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
            new.cut = Some(Cut::Block);
        }
        apart.push(new);
        self.accept(apart)
    }

    /// Takes a piece of a line for a hit if it fits into what is left.
    pub fn cut(&mut self, place: usize, stretch: usize, bytes: Range<usize>) -> bool {
        let text = &self.stretches[stretch];
        let line = text.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let cut = |fragment: &&mut Fragment| {
            fragment.stretch == stretch
                && fragment.cut == Some(Cut::Line)
                && fragment.lines.start == line
        };
        let tokens = |bytes: &Range<usize>| text.tokens_of(bytes).ceil() as u32;
        let mut fragments = self.fragments.clone();
        let beside = fragments.iter_mut().filter(cut).find(|fragment| {
            fragment.bytes.end == bytes.start || bytes.end == fragment.bytes.start
        });
        if let Some(fragment) = beside {
            fragment.bytes =
                fragment.bytes.start.min(bytes.start)..fragment.bytes.end.max(bytes.end);
            fragment.tokens = tokens(&fragment.bytes);
            fragment.hits.push(place);
        } else {
            let (tokens, hits, cut) = (tokens(&bytes), vec![place], Some(Cut::Line));
            fragments.push(Fragment { stretch, lines: line..line + 1, bytes, tokens, hits, cut });
        }
        self.accept(fragments)
    }

    /// Accepts fragments if they are not too many nor too long.
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
