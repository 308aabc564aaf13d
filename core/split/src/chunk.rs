/*!
Chunks: the result of splitting a document.

A chunk is a slice of the source, byte for byte, and the chunks of a document concatenate to its text. Text that
helps retrieval but is not in the source, such as the titles above a chunk, is in the preamble. The preamble is
embedded and indexed but never returned.
*/

use crate::{Link, interrupt, section::Section};
use std::ops::{Range, RangeInclusive};

/// A piece of a document. Its ordinal is its index in the list of chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk<'t> {
    /// The text, as in the source.
    pub content: &'t str,
    /// The titles from the root of the document down to the chunk.
    pub section: Section,
    /// The depth from the splitter, 0 at the root. It is independent of the section's length.
    pub level: u32,
    /// The kind of the content.
    pub kind: Kind,
    /// The structural unit of the source to which it belongs.
    pub unit: Unit,
    /// The text that precedes the content for embedding and full text, such as the section's titles.
    pub preamble: String,
    /// The size of the content, in the sizer's unit.
    pub size: usize,
    /// The byte range in the source.
    pub bytes: Range<usize>,
    /// The lines of the source that it touches, from 1.
    pub lines: RangeInclusive<usize>,
    /// The names that its imports bind, in source order; empty except in source code.
    pub imports: Vec<String>,
    /// The links that begin in it, in source order.
    pub links: Vec<Link>,
}

/// The result of splitting a document.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitDocument<'t> {
    /// Its chunks, in document order.
    pub chunks: Vec<Chunk<'t>>,
    /// The position of the first syntax error, if any. A document with many is split as plain text.
    pub syntax_error: Option<SyntaxError>,
}

/// The position of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

/// The kind of a chunk's content. It decides the width of windows.
///
/// ```
/// use passage_split::Kind;
///
/// assert_eq!(Kind::from_name("api-reference"), Some(Kind::ApiReference));
/// assert_eq!(Kind::Code.name(), "code");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Flowing text.
    Prose,
    /// Source code.
    Code,
    /// Self-contained entries of an API reference.
    ApiReference,
    /// Structured data.
    Data,
}

/// The structural unit of a chunk. It decides the scope of the strategy `hierarchical`.
///
/// ```
/// assert_eq!(passage_split::Unit::from_name("member"), Some(passage_split::Unit::Member));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A file's or module's own text.
    Module,
    /// A class, implementation, object, array or table: its head, rest or closing part.
    Container,
    /// A member of a container.
    Member,
    /// A value in structured data.
    Value,
    /// Text that has no such structure.
    Text,
}

impl SyntaxError {
    /// Returns the position of a byte. Carriage returns end lines too.
    pub(crate) fn at(text: &str, byte: usize) -> Self {
        let before = &text.as_bytes()[..byte];
        let ends_line = |at: usize| match before[at] {
            b'\n' => true,
            b'\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = || {
            let ends = memchr::memchr2_iter(b'\n', b'\r', before).inspect(|_| interrupt::poll());
            ends.filter(|at| ends_line(*at))
        };
        let start = ends().next_back().map_or(0, |end| end + 1);
        Self { line: 1 + ends().count(), column: 1 + byte - start }
    }
}

impl Kind {
    /// All kinds with their names in SQL.
    pub const NAMES: [(Kind, &str); 4] = [
        (Kind::Prose, "prose"),
        (Kind::Code, "code"),
        (Kind::ApiReference, "api-reference"),
        (Kind::Data, "data"),
    ];

    /// Returns the name in SQL.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).expect("every kind has a name").1
    }

    /// Returns the kind of a name in SQL.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl Unit {
    /// All units with their names in SQL.
    pub const NAMES: [(Unit, &str); 5] = [
        (Unit::Module, "module"),
        (Unit::Container, "container"),
        (Unit::Member, "member"),
        (Unit::Value, "value"),
        (Unit::Text, "text"),
    ];

    /// Returns the name in SQL.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(unit, _)| *unit == self).expect("every unit has a name").1
    }

    /// Returns the unit of a name in SQL.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(unit, _)| *unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;

    #[test]
    fn the_lines_before_a_syntax_error_are_polled_for() {
        let text = "\n".repeat(1_000);
        let polls = polls_of(|| assert_eq!(SyntaxError::at(&text, 999).line, 1_000));
        assert!(polls >= 999, "{polls}");
    }
}
