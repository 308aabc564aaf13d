//! Fragments, the hits that they answer, and their limits.

use std::ops::Range;

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
