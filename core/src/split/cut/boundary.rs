//! Where a text may be cut, from coarse to fine.

use super::{Aim, Cutter, Tie};
use unicode_segmentation::GraphemeCursor;

impl Aim {
    /// Returns where a piece is large enough to be chosen for where it ends.
    fn enough(self) -> usize {
        (self.at + (self.goal - self.at) / 2).max(self.at + 1)
    }
}

/// A place to cut at, and what speaks for it among others as coarse.
struct Place {
    at: usize,
    /// Whether it stands behind a blank line (2), the end of a sentence (1), or neither.
    rank: u8,
}

impl Cutter<'_> {
    /// Returns where a piece should end: behind its beginning, and not behind its reach unless
    /// its first character is.
    pub(super) fn boundary(&self, aim: Aim) -> usize {
        let reach = self.text.floor_char_boundary(aim.reach);
        // Behind the last tie, or else between two, where the last word before the tie stays with
        // what is behind it.
        let mut to = reach;
        let start = Tie { place: aim.at, before: 0 };
        for tie in aim.ties.into_iter().rev().chain([start]) {
            let from = aim.at.max(tie.place);
            if let Some(place) = self.best(from, to, aim) {
                return place;
            }
            let even = self.text.floor_char_boundary(aim.goal.min(to));
            let places = [even, to].map(|reach| self.between_characters(aim.at, reach));
            if let Some(place) = places.into_iter().flatten().find(|place| *place > from) {
                return place;
            }
            to = self.text.floor_char_boundary(reach.min(tie.before.saturating_sub(1)));
        }
        // White space alone, and more than fits, parts the head from the body.
        let blank = aim.ties.iter().any(|tie| (tie.before..tie.place).contains(&aim.at));
        let place = self.between_characters(aim.at, reach).filter(|_| blank);
        place.unwrap_or(aim.at + self.first_character(aim.at))
    }

    /// Returns the bytes of the character at a place, a carriage return and line feed being one.
    pub(super) fn first_character(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        if rest.starts_with("\r\n") {
            return 2;
        }
        rest.chars().next().map_or(0, char::len_utf8)
    }

    /// Returns the next item and the next line behind a place that are coarser than it and not
    /// behind some reach.
    pub(super) fn next_coarser(&self, at: usize, reach: usize) -> [Option<usize>; 2] {
        let index = self.items.partition_point(|item| *item < at);
        let item = self.items.get(index).copied().filter(|item| *item != at && *item <= reach);
        let is_item = self.items.get(index) == Some(&at);
        let line = if is_item || self.line_begins(at) {
            None
        } else {
            let ends = memchr::memchr2_iter(b'\n', b'\r', &self.text.as_bytes()[at..reach.max(at)]);
            ends.map(|end| at + end + 1).find(|place| self.line_begins(*place))
        };
        [item.filter(|_| !is_item), line]
    }

    /// Returns the best place behind `from` and up to `reach`, coarse ones first.
    fn best(&self, from: usize, reach: usize, aim: Aim) -> Option<usize> {
        if from >= reach {
            return None;
        }
        let bytes = self.text.as_bytes();
        let first = self.items.partition_point(|item| *item <= from);
        let items = self.items[first..].iter().take_while(|item| **item <= reach);
        let items = items.map(|item| Place { at: *item, rank: 0 });
        nearest(items, aim)
            .or_else(|| {
                let ends = memchr::memchr2_iter(b'\n', b'\r', &bytes[from..reach]);
                nearest(ends.filter_map(|end| self.line(from + end + 1)), aim)
            })
            .or_else(|| nearest(self.words(from.max(aim.enough() - 1), reach), aim))
            .or_else(|| nearest(self.words(from, reach), aim))
    }

    /// Returns the place behind the end of a line, unless a blank line follows: these stay with
    /// what is before them. A line of nothing but quote marks is blank.
    fn line(&self, at: usize) -> Option<Place> {
        let bytes = self.text.as_bytes();
        if at >= bytes.len()
            || matches!(bytes[at..].iter().find(|byte| is_inked(**byte)), Some(b'\n' | b'\r'))
        {
            return None;
        }
        let before = self.text[..at].strip_suffix('\n').unwrap_or(&self.text[..at]);
        let before = before.strip_suffix('\r').unwrap_or(before).as_bytes();
        let rank = match before.iter().rfind(|byte| is_inked(**byte)) {
            Some(b'\n' | b'\r') => 2,
            _ => u8::from(ends_sentence(before)),
        };
        Some(Place { at, rank })
    }

    /// Returns the places between words behind `from` and up to `reach`.
    fn words(&self, from: usize, reach: usize) -> impl Iterator<Item = Place> {
        let bytes = self.text.as_bytes();
        let from = from.min(reach);
        let spaces = memchr::memchr2_iter(b' ', b'\t', &bytes[from..reach]);
        let narrow = spaces.filter_map(move |space| self.word(from + space + 1));
        // The ideographic space, full stop, exclamation and question marks: scripts that use them
        // write no other spaces.
        let leads = memchr::memchr2_iter(0xE3, 0xEF, &bytes[from..reach]);
        let wide = leads.filter_map(move |lead| {
            let at = from + lead + 3;
            let rank = match bytes.get(at - 3..at)? {
                b"\xE3\x80\x80" => 0,
                b"\xE3\x80\x82" | b"\xEF\xBC\x81" | b"\xEF\xBC\x9F" => 1,
                _ => return None,
            };
            (at <= reach && at < bytes.len()).then_some(Place { at, rank })
        });
        narrow.chain(wide)
    }

    /// Returns the place behind a space or tab, unless it goes on or ends the line.
    fn word(&self, at: usize) -> Option<Place> {
        let bytes = self.text.as_bytes();
        let next = *bytes.get(at)?;
        if matches!(next, b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        let sentence = !next.is_ascii_lowercase() && ends_sentence(&bytes[..at]);
        Some(Place { at, rank: u8::from(sentence) })
    }

    /// Tells whether a line begins at a place that is not the beginning of the text.
    fn line_begins(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        match bytes[at - 1] {
            b'\n' => true,
            b'\r' => bytes.get(at) != Some(&b'\n'),
            _ => false,
        }
    }

    /// Returns the last place up to `reach` that is between two characters as readers see them,
    /// or at least between two code points, if it is behind the first.
    fn between_characters(&self, at: usize, reach: usize) -> Option<usize> {
        if reach <= at {
            return None;
        }
        // Beyond its reach the text matters only by the character that might belong to the last.
        let seen = self.text.ceil_char_boundary((reach + 4).min(self.text.len()));
        let text = &self.text[at..seen];
        let mut cursor = GraphemeCursor::new(reach - at, text.len(), true);
        let whole = match cursor.is_boundary(text, 0) {
            Ok(true) => Some(reach),
            _ => cursor.prev_boundary(text, 0).ok().flatten().map(|place| at + place),
        };
        let place = whole.filter(|place| *place > at).unwrap_or(reach);
        (place >= at + self.first_character(at)).then_some(place)
    }
}

/// Returns the place of the highest rank, or the nearest to the goal of several; what would make a
/// piece of less than half the goal counts only if there is nothing else.
fn nearest(places: impl Iterator<Item = Place>, aim: Aim) -> Option<usize> {
    let best = places.max_by_key(|place| {
        if place.at >= aim.enough() {
            (1, place.rank, usize::MAX - place.at.abs_diff(aim.goal))
        } else {
            (0, 0, place.at)
        }
    });
    best.map(|place| place.at)
}

/// Tells whether a byte is more than space or the mark of a quote; line ends are.
fn is_inked(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'>')
}

/// Tells whether a sentence ends where a text ends, closing quotes and brackets aside.
fn ends_sentence(text: &[u8]) -> bool {
    // More marks than these end no sentence, and a line may consist of nothing else.
    let end = text
        .iter()
        .rev()
        .take(16)
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b')' | b']' | b'*' | b'_'));
    matches!(end, Some(b'.' | b'!' | b'?' | b':'))
}
