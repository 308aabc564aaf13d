//! Nodes of the parser with their bytes in the text, and open collections.

use super::source::Source;
use saphyr_parser::{Event, ScalarStyle};
use std::ops::Range;

pub(super) enum Node {
    /// A scalar or an alias.
    Scalar(Range<usize>),
    /// An omitted value.
    Empty,
    /// A collection in brackets, by the offset of its opening bracket.
    Flow(usize),
    /// A collection without brackets, by the offset of its first entry. In flow style, it is a
    /// mapping of one entry.
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
                // It has whole lines, unless a tag or an anchor precedes them.
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

    /// Returns the end of its known part, or `None` if nothing is known.
    pub(super) fn end(&self) -> Option<usize> {
        match self {
            Node::Scalar(bytes) => Some(bytes.end),
            Node::Flow(bracket) => Some(bracket + 1),
            // Only the dash or the key of its first entry is known.
            Node::Block(_) | Node::Empty => None,
        }
    }
}

/// An open mapping or sequence.
pub(super) struct Frame {
    pub(super) is_mapping: bool,
    pub(super) style: Style,
    /// The offset of the next entry with its comments.
    pub(super) at: usize,
    pub(super) entries: usize,
    /// Whether its first item is on the line of the dash of its parent.
    pub(super) is_first_of_line: bool,
    /// The key of the next value.
    pub(super) key: Option<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    /// In brackets.
    Flow,
    /// On lines of its own, which begin at a column in bytes, from 0.
    Block {
        column: usize,
        /// The least column of a comment at its end that belongs to it.
        comments: usize,
    },
}

impl Style {
    pub(super) fn column(self) -> usize {
        match self {
            Style::Flow => 0,
            Style::Block { column, .. } => column,
        }
    }
}

pub(super) struct Key {
    pub(super) title: String,
    /// Its end, before the colon.
    pub(super) end: usize,
}

impl Frame {
    pub(super) fn new(is_mapping: bool, style: Style, at: usize) -> Self {
        Self { is_mapping, style, at, entries: 0, is_first_of_line: false, key: None }
    }
}
