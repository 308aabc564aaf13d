//! What the splitter of a media type finds in a document.

use super::sections::Sections;
use std::ops::Range;

/// The blocks of a document, the same for every media type.
pub(super) struct Blocks {
    /// In document order, without duplicates; the first begins at 0 and each ends where the next
    /// begins, the last at the end of the text. Empty for the empty text.
    pub(super) list: Vec<Block>,
    /// The sections that blocks refer to; the first is the root.
    pub(super) sections: Sections,
    /// Where the items of lists begin, ascending: the best places to cut a block.
    pub(super) items: Vec<usize>,
}

/// A stretch of whole lines that is left whole unless it alone passes the maximum.
pub(super) struct Block {
    /// Where it begins, in bytes; always at the beginning of a line.
    pub(super) start: usize,
    /// Which of the sections it stands in; for a heading, the one that it opens.
    pub(super) section: usize,
    /// The depth of that section.
    pub(super) level: u32,
    pub(super) form: Form,
}

/// What matters about a block beside its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A heading, to be kept with the block after it.
    Heading,
    /// A table: its first row, to be repeated for rows that are cut off, and where the rows below
    /// the heading begin.
    Table { header: Range<usize>, rows: usize },
    /// Anything else.
    Body,
}
