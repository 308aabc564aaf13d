/*!
What a splitter makes of a document: chunks.

A chunk is a slice of the source, byte for byte, and the chunks of a document concatenate to
exactly its text. What helps retrieval but is not in the source, such as the titles above a
chunk, stands in its preamble, which is embedded and indexed but never returned.
*/

use crate::{interrupt, section::Section};
use std::ops::{Range, RangeInclusive};

/// A piece of a document; its ordinal is its place in the list of chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk<'t> {
    /// The piece itself, as it stands in the source.
    pub content: &'t str,
    /// The titles above it.
    pub section: Section,
    /// The depth that the splitter gives, 0 at the root; independent of the section's length.
    pub level: u32,
    /// What the chunk is made of.
    pub kind: Kind,
    /// Which structural unit of the source it belongs to, where that is known.
    pub unit: Unit,
    /// What goes before the content for embedding and full text, the section's titles for one.
    pub preamble: String,
    /// The size of the content as the sizer counts it.
    pub size: usize,
    /// The bytes of the source that it holds.
    pub bytes: Range<usize>,
    /// The lines of the source that it touches, from 1.
    pub lines: RangeInclusive<usize>,
    /// The names that the imports in it bind, in source order; empty but in source code.
    pub imports: Vec<String>,
}

/// A document that is split.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitDocument<'t> {
    /// Its chunks, in document order.
    pub chunks: Vec<Chunk<'t>>,
    /// Where it stops being what its media type says, if it does; it is then split as plain text.
    pub syntax_error: Option<SyntaxError>,
}

/// The place at which a text is not what its media type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
}

/// What a chunk is made of, which decides how wide a window around it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Flowing text.
    Prose,
    /// Source code.
    Code,
    /// Self-contained entries of a reference.
    ApiReference,
    /// Structured data.
    Data,
}

/// The structural unit a chunk belongs to; it decides what `hierarchical` widens to.
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
    /// Tells the place of a byte; carriage returns end lines too.
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
    /// Every kind with its name in SQL.
    pub const NAMES: [(Kind, &str); 4] = [
        (Kind::Prose, "prose"),
        (Kind::Code, "code"),
        (Kind::ApiReference, "api-reference"),
        (Kind::Data, "data"),
    ];

    /// Returns the name that is stored.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).expect("every kind has a name").1
    }

    /// Returns the kind that is stored under a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl Unit {
    /// Every unit with its name in SQL.
    pub const NAMES: [(Unit, &str); 5] = [
        (Unit::Module, "module"),
        (Unit::Container, "container"),
        (Unit::Member, "member"),
        (Unit::Value, "value"),
        (Unit::Text, "text"),
    ];

    /// Returns the name that is stored.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(unit, _)| *unit == self).expect("every unit has a name").1
    }

    /// Returns the unit that is stored under a name.
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
