//! Fences: the lines before and after code in Markdown.
//!
//! Its twin in SQL is `sql/edition/assembly.sql`.

use memchr::memmem;

/// A line that opens or closes a block of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) mark: char,
    pub(crate) length: usize,
    /// Whether text follows the marks, so that the fence can only open a block.
    pub(crate) named: bool,
}

impl Fence {
    /// Returns whether a text may have fences: whether the marks that each of them begins with are in it.
    pub(crate) fn is_possible(text: &str) -> bool {
        ["```", "~~~"].iter().any(|marks| memmem::find(text.as_bytes(), marks.as_bytes()).is_some())
    }

    /// Parses a line as a fence, which may be in a list or a quote.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let text = line.trim_start_matches([' ', '\t', '>']);
        let mark = text.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let rest = text.trim_start_matches(mark);
        let length = text.len() - rest.len();
        let rest = rest.trim();
        // Inline code may begin with backticks too.
        let is_fence = length >= 3 && !(mark == '`' && rest.contains('`'));
        is_fence.then_some(Self { mark, length, named: !rest.is_empty() })
    }

    /// Returns whether a later fence closes the block that this one opens.
    pub(crate) fn is_closed_by(self, other: Self) -> bool {
        !other.named && self.mark == other.mark && self.length <= other.length
    }
}
