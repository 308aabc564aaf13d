//! What the parser found, as it stands in the text.

use super::source::Source;
use saphyr_parser::{Event, ScalarStyle};
use std::ops::Range;

pub(super) enum Node {
    /// A scalar or an alias.
    Scalar(Range<usize>),
    /// A value that is not written.
    Empty,
    /// A collection in brackets, by the place of its opening one.
    Flow(usize),
    /// A collection without brackets, by the place where its first entry begins. In flow style that
    /// is a mapping of one entry.
    Block(usize),
}

impl Node {
    pub(super) fn new(event: &Event<'_>, bytes: Range<usize>, source: Source<'_>) -> Self {
        let start = bytes.start;
        match event {
            Event::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) => {
                Node::Scalar(start..source.quoted_end(source.skip_properties(start)))
            }
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                let trimmed = source.trimmed(bytes);
                if trimmed.is_empty() {
                    return Node::Empty;
                }
                // Its lines, unless a tag or an anchor stands above them.
                let line = source.line_start(start);
                let is_line = source.0[line..start].trim_start_matches([' ', '\t']).is_empty();
                Node::Scalar(if is_line { line } else { start }..trimmed.end)
            }
            Event::Scalar(value, ScalarStyle::Plain, anchor, tag)
                if value.is_empty() && *anchor == 0 && tag.is_none() =>
            {
                Node::Empty
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let trimmed = source.trimmed(bytes);
                match source.0[trimmed.clone()].as_bytes() {
                    [.., b'{' | b'['] => Node::Flow(trimmed.end - 1),
                    _ => Node::Block(source.skip_blanks(source.skip_properties(start))),
                }
            }
            _ => Node::Scalar(source.trimmed(bytes)),
        }
    }

    pub(super) fn is_container(&self) -> bool {
        matches!(self, Node::Flow(_) | Node::Block(_))
    }

    pub(super) fn start(&self) -> Option<usize> {
        match self {
            Node::Scalar(bytes) => Some(bytes.start),
            Node::Flow(start) | Node::Block(start) => Some(*start),
            Node::Empty => None,
        }
    }

    /// Returns where what is known of it ends, unless there is nothing.
    pub(super) fn end(&self) -> Option<usize> {
        match self {
            Node::Scalar(bytes) => Some(bytes.end),
            Node::Flow(bracket) => Some(bracket + 1),
            // Only the dash or the key of its first entry is known, which says nothing.
            Node::Block(_) | Node::Empty => None,
        }
    }
}
