//! Fragments, the hits that they answer, and their limits.

use std::ops::Range;

/// The maximum size of a result.
///
/// ```
/// use passage_core::fragments::FragmentLimits;
///
/// let limits = FragmentLimits { max_fragments: 5, max_tokens: 1_000 };
/// assert_eq!(limits.max_fragments, 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentLimits {
    /// The maximum number of fragments.
    pub max_fragments: usize,
    /// The maximum tokens of all fragments together.
    pub max_tokens: u32,
}

/// A hit, by its position in a text run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentHit {
    /// The index of the text run that contains it.
    pub text_run: usize,
    /// The byte range of the chunk in the text run.
    pub bytes: Range<usize>,
}

/// A whole-line excerpt of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The index of the text run.
    pub text_run: usize,
    /// The indexes of the lines in the text run.
    pub lines: Range<usize>,
    /// The byte range in the text run, without the last line end.
    pub bytes: Range<usize>,
    /// The tokens of the lines, rounded up.
    pub tokens: u32,
    /// The indexes of its hits, best first; never empty.
    pub hits: Vec<usize>,
    /// The truncated element, if any.
    pub truncation: Option<Truncation>,
}

/// An element that exceeds the limits and was truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// A fenced block, cut between two lines.
    Block,
    /// A line.
    Line,
    /// The document; the fragment has its first lines.
    Document,
}

impl Truncation {
    /// Returns the name in SQL results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Line => "line",
            Self::Document => "document",
        }
    }
}
