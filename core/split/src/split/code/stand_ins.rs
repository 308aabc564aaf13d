/*!
Stand-ins: what the parser reads in place of text that its grammar does not know.

The text in a file is not always the text that a compiler or a server reads: macros expand, and clients
take commands out of scripts. One such place can make a parser lose the rest of a file. So a language
may replace these places after a first attempt that found errors. A stand-in has as many bytes and the
same line ends as the text that it replaces. So the offsets of the tree are those of the document, and
titles are read from the document.
*/

use std::{cmp::Reverse, ops::Range};
use tree_sitter::{InputEdit, Point, Tree};

/// The maximum number of edits of a tree, each of which visits the children of many nodes.
const MAX_EDITS: usize = 256;

/// A part of a document that the parser reads as other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StandIn {
    pub(super) bytes: Range<usize>,
    /// The text at its beginning, and that at its end. Between them are blanks.
    begin: &'static str,
    end: &'static str,
}

impl StandIn {
    /// Returns blanks.
    pub(super) fn blank(bytes: Range<usize>) -> Self {
        Self::framed(bytes, "", "")
    }

    /// Returns a text and blanks after it.
    #[cfg(any(feature = "grammar-c", feature = "grammar-sql", test))]
    pub(super) fn beginning(bytes: Range<usize>, begin: &'static str) -> Self {
        Self::framed(bytes, begin, "")
    }

    /// Returns two texts with blanks between them, so that a node may extend over the whole range. A range
    /// that is too short for them has blanks alone.
    pub(super) fn framed(bytes: Range<usize>, begin: &'static str, end: &'static str) -> Self {
        let fits = begin.len() + end.len() <= bytes.len();
        let (begin, end) = if fits { (begin, end) } else { ("", "") };
        Self { bytes, begin, end }
    }
}

/// Puts stand-ins in order, without those within or across another that begins before them.
pub(super) fn in_order(mut stand_ins: Vec<StandIn>) -> Vec<StandIn> {
    stand_ins.sort_by_key(|stand_in| (stand_in.bytes.start, Reverse(stand_in.bytes.end)));
    stand_ins.dedup_by(|inner, outer| inner.bytes.start < outer.bytes.end);
    stand_ins
}

/// Returns a text with stand-ins, which are in order and do not overlap.
pub(super) fn replaced(text: &str, stand_ins: &[StandIn]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for StandIn { bytes: range, begin, end } in stand_ins {
        let part = &mut bytes[range.clone()];
        part.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        let tail = part.len() - end.len();
        part[..begin.len()].copy_from_slice(begin.as_bytes());
        part[tail..].copy_from_slice(end.as_bytes());
    }
    String::from_utf8(bytes).expect("stand-ins replace whole characters")
}

/// Returns the tree of a text with the places of stand-ins marked as changed, so that the parser reads only these again.
pub(super) fn edited(tree: &Tree, text: &str, stand_ins: &[StandIn]) -> Tree {
    let mut tree = tree.clone();
    let (mut at, mut point) = (0, Point::new(0, 0));
    let mut point_at = |offset: usize| {
        let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[at..offset]);
        let column = point.column + offset - at;
        point = lines.fold(Point::new(point.row, column), |point, line| {
            Point::new(point.row + 1, offset - (at + line + 1))
        });
        at = offset;
        point
    };
    for group in stand_ins.chunks(stand_ins.len().div_ceil(MAX_EDITS).max(1)) {
        let [start_byte, end] = [group[0].bytes.start, group[group.len() - 1].bytes.end];
        let [start_position, end_position] = [start_byte, end].map(&mut point_at);
        tree.edit(&InputEdit {
            start_byte,
            old_end_byte: end,
            new_end_byte: end,
            start_position,
            old_end_position: end_position,
            new_end_position: end_position,
        });
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_keeps_offsets_and_line_ends() {
        let text = "a \u{e9}b\r\nc d; e";
        let stand_ins = [StandIn::framed(2..9, "X", "1"), StandIn::blank(10..11)];
        assert_eq!(replaced(text, &stand_ins), "a X  \r\n 1d  e");
    }
}
