//! Boundaries: the offsets at which a text may be cut, from coarse to fine.
//!
//! Its twin in SQL is `sql/edition/split/cut.sql`.

use super::{CutTarget, Cutter, Item, Tie};
use unicode_segmentation::GraphemeCursor;

impl CutTarget {
    /// Returns the end from which on a piece is large enough to prefer a good cut over a long piece.
    fn min_end(self) -> usize {
        (self.at + (self.goal - self.at) / 2).max(self.at + 1)
    }
}

/// The distances from the goal within which the end of a sentence is looked for.
const NEAR: [usize; 2] = [64, 192];

/// An offset to cut at, with its rank among others of the same kind.
struct CutPoint {
    at: usize,
    /// 3 after a blank line, 2 after the end of a sentence, 0 before a bracket, else 1. Of items, higher
    /// if fewer items are around them.
    rank: usize,
}

impl Cutter<'_> {
    /// Returns the end of a piece: after its beginning, and not after its reach unless its first
    /// character is longer.
    pub(super) fn boundary(&self, aim: CutTarget) -> usize {
        let mut reach = self.text.floor_char_boundary(aim.reach);
        if aim.at < aim.close && aim.close <= reach {
            reach = self.text.floor_char_boundary(aim.close - 1).max(aim.at);
        }
        // The cut is after the last tie, or else between two ties, where the last word before a tie
        // stays with the text after it.
        let mut to = reach;
        let start = Tie { offset: aim.at, before: 0 };
        // A piece of white space alone would be worth nothing.
        let text = &self.text[aim.at..reach.max(aim.at)];
        let visible = reach.max(aim.at) - text.trim_ascii_start().len();
        for tie in aim.ties.into_iter().rev().chain([start]) {
            let from = aim.at.max(tie.offset);
            if let Some(offset) = self.best(from.max(visible), to, aim) {
                return offset;
            }
            let even = self.text.floor_char_boundary(aim.goal.min(to));
            let offsets = [even, to].map(|reach| self.between_characters(aim.at, reach));
            if let Some(offset) = offsets.into_iter().flatten().find(|offset| *offset > from) {
                return offset;
            }
            to = self.text.floor_char_boundary(reach.min(tie.before.saturating_sub(1)));
        }
        // The head and the body are separated by more white space than fits.
        let blank = aim.ties.iter().any(|tie| (tie.before..tie.offset).contains(&aim.at));
        let offset = self.between_characters(aim.at, reach).filter(|_| blank);
        offset.unwrap_or(aim.at + self.first_character(aim.at))
    }

    /// Returns the number of bytes of the character at an offset; `\r\n` is one character.
    pub(super) fn first_character(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        if rest.starts_with("\r\n") {
            return 2;
        }
        rest.chars().next().map_or(0, char::len_utf8)
    }

    /// Returns the next cuts after an offset, up to `reach`, that are coarser than the offset: an item
    /// at the beginning of a line, another line, and an item within a line.
    pub(super) fn next_coarser(&self, at: usize, reach: usize) -> [Option<usize>; 3] {
        let first = self.items.partition_point(|item| item.at < at);
        let items = || self.items[first..].iter().take_while(|item| item.at <= reach);
        let (item, is_line) = (self.item(at), self.line_begins(at));
        let above = item.filter(|_| is_line).map_or(usize::MAX, |item| item.depth);
        let is_coarser = |item: &&Item| item.depth < above && self.line_begins(item.at);
        let line_item = items().find(is_coarser).map(|item| item.at);
        if is_line {
            return [line_item, None, None];
        }
        let ends = memchr::memchr2_iter(b'\n', b'\r', &self.text.as_bytes()[at..reach.max(at)]);
        let line = ends.map(|end| at + end + 1).find(|offset| self.line_begins(*offset));
        [line_item, line, items().next().filter(|_| item.is_none()).map(|item| item.at)]
    }

    /// Returns the best cut after `from` and up to `reach`, coarse ones first.
    fn best(&self, from: usize, reach: usize, aim: CutTarget) -> Option<usize> {
        if from >= reach {
            return None;
        }
        let bytes = self.text.as_bytes();
        let first = self.items.partition_point(|item| item.at <= from);
        let items = self.items[first..].iter().copied().take_while(|item| item.at <= reach);
        let (line_items, inner_items): (Vec<_>, Vec<_>) =
            items.partition(|item| self.line_begins(item.at));
        let best_item = |items: Vec<Item>| self.best_item(&items, aim);
        best_item(line_items)
            .or_else(|| {
                let ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[from..reach]);
                let line = best_of(ends.filter_map(|end| self.line(from + end + 1)), aim);
                match (line, best_item(inner_items)) {
                    // A line end in the first half of the piece would make it small.
                    (Some(line), Some(item)) if line < aim.at + (item - aim.at) / 2 => Some(item),
                    (line, item) => line.or(item),
                }
            })
            .or_else(|| self.best_word(from.max(aim.min_end() - 1), reach, aim))
            .or_else(|| best_of(self.words(from, reach), aim))
    }

    /// Returns the best item: the outermost one in the second half of the piece, or one before that if it is
    /// not as deep and the item after it fits one chunk.
    fn best_item(&self, items: &[Item], aim: CutTarget) -> Option<usize> {
        let late = items.iter().filter(|item| item.at >= aim.min_end());
        let depth = late.map(|item| item.depth).min();
        let mut early =
            items.iter().rev().filter(|item| (aim.least..aim.min_end()).contains(&item.at));
        let above = early.find(|item| depth.is_some_and(|depth| item.depth < depth));
        let whole = above.filter(|item| {
            let reach = item.at + (aim.reach - aim.at);
            self.next_item(**item, aim.close.min(reach + 1)) <= reach
        });
        let point = |item: &Item| CutPoint { at: item.at, rank: usize::MAX - item.depth };
        whole.map(|item| item.at).or_else(|| best_of(items.iter().map(point), aim))
    }

    /// Returns the cut after the end of a line, unless a blank line follows, because blank lines stay
    /// with the text before them. A line of quote marks only is blank.
    fn line(&self, at: usize) -> Option<CutPoint> {
        let bytes = self.text.as_bytes();
        let after = bytes.get(at..)?.iter().find(|byte| is_visible(**byte));
        if at == bytes.len() || matches!(after, Some(b'\n' | b'\r')) {
            return None;
        }
        let before = self.text[..at].strip_suffix('\n').unwrap_or(&self.text[..at]);
        let before = before.strip_suffix('\r').unwrap_or(before).as_bytes();
        let rank = match before.iter().rfind(|byte| is_visible(**byte)) {
            _ if matches!(after, Some(b'{' | b'}' | b')' | b']')) => 0,
            Some(b'\n' | b'\r') => 3,
            _ => 1 + usize::from(ends_sentence(before)),
        };
        Some(CutPoint { at, rank })
    }

    /// Returns the best cut between words after `from`, which is in the second half of the piece, and up to `reach`.
    ///
    /// It looks for the end of a sentence near the goal first. A paragraph has one every hundred bytes, so this reads a
    /// fifth of the text that a search through the whole piece reads.
    fn best_word(&self, from: usize, reach: usize, aim: CutTarget) -> Option<usize> {
        for radius in NEAR {
            // The mark before a cut is at most three bytes long.
            let near = from.max(aim.goal.saturating_sub(radius + 3))..reach.min(aim.goal + radius);
            if near.start < near.end {
                let words = self.words(near.start, near.end);
                let ends =
                    words.filter(|word| word.rank > 0 && word.at.abs_diff(aim.goal) <= radius);
                if let Some(best) = best_of(ends, aim) {
                    return Some(best);
                }
            }
        }
        best_of(self.words(from, reach), aim)
    }

    /// Returns the cuts between words after `from` and up to `reach`.
    fn words(&self, from: usize, reach: usize) -> impl Iterator<Item = CutPoint> {
        let bytes = self.text.as_bytes();
        let from = from.min(reach);
        let spaces = memchr::memchr2_iter(b' ', b'\t', &bytes[from..reach]);
        let narrow = spaces.filter_map(move |space| self.word(from + space + 1));
        // The ideographic space, full stop, exclamation mark and question mark: scripts with these
        // have no other spaces.
        let leads = memchr::memchr2_iter(0xE3, 0xEF, &bytes[from..reach]);
        let wide = leads.filter_map(move |lead| {
            let at = from + lead + 3;
            let rank = match bytes.get(at - 3..at)? {
                b"\xE3\x80\x80" => 0,
                b"\xE3\x80\x82" | b"\xEF\xBC\x81" | b"\xEF\xBC\x9F" => 1,
                _ => return None,
            };
            (at <= reach && at < bytes.len()).then_some(CutPoint { at, rank })
        });
        narrow.chain(wide)
    }

    /// Returns the cut after a space or tab, unless more white space or a line end follows.
    fn word(&self, at: usize) -> Option<CutPoint> {
        let bytes = self.text.as_bytes();
        let next = *bytes.get(at)?;
        if matches!(next, b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        let sentence = !next.is_ascii_lowercase() && ends_sentence(&bytes[..at]);
        Some(CutPoint { at, rank: usize::from(sentence) })
    }

    /// Returns whether a line begins at an offset greater than 0.
    fn line_begins(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        match bytes[at - 1] {
            b'\n' => true,
            b'\r' => bytes.get(at) != Some(&b'\n'),
            _ => false,
        }
    }

    /// Returns the last offset up to `reach` between two grapheme clusters, else between two code
    /// points, if it is after the first character.
    fn between_characters(&self, at: usize, reach: usize) -> Option<usize> {
        if reach <= at {
            return None;
        }
        // After `reach`, only the character matters that may belong to the last cluster.
        let seen = self.text.ceil_char_boundary((reach + 4).min(self.text.len()));
        let text = &self.text[at..seen];
        let mut cursor = GraphemeCursor::new(reach - at, text.len(), true);
        let whole = match cursor.is_boundary(text, 0) {
            Ok(true) => Some(reach),
            _ => cursor.prev_boundary(text, 0).ok().flatten().map(|offset| at + offset),
        };
        let offset = whole.filter(|offset| *offset > at).unwrap_or(reach);
        (offset >= at + self.first_character(at)).then_some(offset)
    }
}

/// Returns the cut of the highest rank; of several, the nearest to the goal. A cut before half of the
/// goal is used only if there is no other.
fn best_of(points: impl Iterator<Item = CutPoint>, aim: CutTarget) -> Option<usize> {
    let best = points.max_by_key(|point| {
        if point.at >= aim.min_end() {
            (1, point.rank, usize::MAX - point.at.abs_diff(aim.goal))
        } else {
            (0, 0, point.at)
        }
    });
    best.map(|point| point.at)
}

/// Returns whether a byte is neither a space nor a quote mark; line ends are visible.
fn is_visible(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'>')
}

/// Returns whether a text ends with a sentence; closing quotes and brackets are ignored.
fn ends_sentence(text: &[u8]) -> bool {
    // More than 16 marks are not the end of a sentence, and a line may consist of them.
    let end = text
        .iter()
        .rev()
        .take(16)
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b')' | b']' | b'*' | b'_'));
    matches!(end, Some(b'.' | b'!' | b'?' | b':'))
}
