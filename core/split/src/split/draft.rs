//! Drafts: chunks without line numbers and preambles.
//!
//! Its twin in SQL is `sql/edition/split/chunks.sql`.

use super::{Sizer, SplitOptions, preamble::Preambles};
use crate::{Chunk, Kind, Unit, interrupt, section::Section};
use std::ops::{Range, RangeInclusive};

/// The content and the section of a chunk.
pub(super) struct Draft {
    pub(super) bytes: Range<usize>,
    /// The size of its content, in units of the sizer.
    pub(super) size: usize,
    pub(super) section: Section,
    pub(super) level: u32,
    pub(super) unit: Unit,
    /// The line that its preamble repeats: the first row of its table, or the head of its class.
    pub(super) header: Option<Range<usize>>,
    /// The names that its imports bind.
    pub(super) imports: Vec<String>,
}

/// Builds chunks from drafts, which cover the text in order without gaps.
pub(super) fn chunks<'t>(
    text: &'t str,
    drafts: Vec<Draft>,
    kind: Kind,
    options: &SplitOptions<'_>,
    sizer: &dyn Sizer,
) -> Vec<Chunk<'t>> {
    let mut preambles = Preambles::new(text, options, sizer);
    let returns = memchr::memchr(b'\r', text.as_bytes()).is_some();
    let mut lines = Lines { text, at: 0, line: 1, returns };
    let mut before = "";
    let chunk = |draft: Draft| {
        interrupt::poll();
        Chunk {
            content: &text[draft.bytes.clone()],
            preamble: preambles.preamble(
                &draft.section,
                draft.header.as_ref(),
                draft.size,
                std::mem::replace(&mut before, &text[draft.bytes.clone()]),
            ),
            level: draft.level,
            kind,
            unit: draft.unit,
            size: draft.size,
            lines: lines.touched(draft.bytes.end),
            imports: draft.imports,
            links: Vec::new(),
            section: draft.section,
            bytes: draft.bytes,
        }
    };
    drafts.into_iter().map(chunk).collect()
}

/// Counts lines in document order, so that each byte is read once.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// Whether the text has carriage returns; most texts have none.
    returns: bool,
}

impl Lines<'_> {
    /// Returns the lines, from 1, of the text between the end of the last call and `end`.
    fn touched(&mut self, end: usize) -> RangeInclusive<usize> {
        let text = &self.text.as_bytes()[self.at..end];
        let first = self.line;
        // A carriage return ends a line unless a line feed follows. Chunks never separate the two.
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
