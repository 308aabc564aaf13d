//! A chunk before it knows its lines and its preamble.

use super::{Sizer, SplitOptions, preamble::Preambles};
use crate::{Chunk, Kind, Unit, interrupt, section::Section};
use std::ops::{Range, RangeInclusive};

/// What a chunk will hold, and where it stands.
pub(super) struct Draft {
    pub(super) bytes: Range<usize>,
    /// What the sizer counts in it.
    pub(super) size: usize,
    pub(super) section: Section,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// The line that its preamble repeats: the first row of the table that it continues, or the
    /// head of the class that it is in.
    pub(super) header: Option<Range<usize>>,
    /// The names that the imports in it bind.
    pub(super) imports: Vec<String>,
}

/// Makes chunks of drafts, which touch and cover the text in order.
pub(super) fn chunks<'t>(
    text: &'t str,
    drafts: Vec<Draft>,
    kind: Kind,
    options: &SplitOptions<'_>,
    sizer: &dyn Sizer,
) -> Vec<Chunk<'t>> {
    let mut preambles = Preambles::new(text, options, sizer);
    let mut lines = Lines { text, at: 0, line: 1, returns: text.contains('\r') };
    let mut before = "";
    let chunk = |draft: Draft| {
        interrupt::poll();
        Chunk {
            content: &text[draft.bytes.clone()],
            preamble: preambles
                .preamble(&draft, std::mem::replace(&mut before, &text[draft.bytes.clone()])),
            level: draft.level,
            kind,
            unit: draft.unit,
            size: draft.size,
            lines: lines.touched(draft.bytes.end),
            imports: draft.imports,
            section: draft.section,
            bytes: draft.bytes,
        }
    };
    drafts.into_iter().map(chunk).collect()
}

/// Counts lines while chunks are made in document order, so that each byte is looked at once.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// Whether there are carriage returns at all; mostly there are none.
    returns: bool,
}

impl Lines<'_> {
    /// Returns the lines that the text from the last call's end to this one touches, from 1.
    fn touched(&mut self, end: usize) -> RangeInclusive<usize> {
        let text = &self.text.as_bytes()[self.at..end];
        let first = self.line;
        // A carriage return ends a line unless a line feed follows; pieces never part the two.
        let mut ends = memchr::memchr_iter(b'\n', text).count();
        if self.returns {
            ends += memchr::memchr_iter(b'\r', text)
                .filter(|at| text.get(at + 1) != Some(&b'\n'))
                .count();
        }
        self.at = end;
        self.line += ends;
        let ended = matches!(text.last(), Some(b'\n' | b'\r'));
        first..=self.line - usize::from(ended)
    }
}
