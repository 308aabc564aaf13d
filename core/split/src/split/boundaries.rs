/*!
Boundaries: the offsets at which an author or a caller divides a document.

No chunk extends across a boundary. The splitters divide each part as they divide a document, so the chunks still
concatenate to the text and stay within their limits, and each has its section. There are three kinds:

```text
text                               boundary
<!-- passage: split -->            before the first line with text after this marker, a comment of its language
=== Part 2                         before each line that the pattern `^=== ` matches
(an offset)                        there, or after the character that it is inside of
```

A marker and the blank lines after it belong to the chunk before. A boundary is ignored if only white space and markers
are before or after it, as a chunk of these is worth nothing.

Markers and patterns divide prose and source code. In structured data a record is a unit, and a line may be a part of a
value: only offsets divide it. A marker in a fence of Markdown is an example and not a comment.

Its twin in SQL is `sql/edition/split/boundaries.sql`.
*/

use super::{
    plain::lines,
    split_at::{SplitAt, SplitPattern},
};
use crate::{Error, Family, MediaType, interrupt};
use std::ops::Range;

/// The text of a marker, in a comment of the language.
const MARKER: &str = "passage: split";

/// The comments of types of prose, which have no [`comment_syntax`](MediaType::comment_syntax).
const PROSE_COMMENTS: [(&str, &str, &str); 8] = [
    ("text/markdown", "<!--", "-->"),
    // MDX has no comments of HTML.
    ("text/markdown", "{/*", "*/}"),
    ("text/plain", "<!--", "-->"),
    ("text/x-changelog", "<!--", "-->"),
    ("text/x-rst", "..", ""),
    ("text/x-asciidoc", "//", ""),
    ("text/x-tex", "%", ""),
    ("text/troff", ".\\\"", ""),
];

/// The boundaries of one document.
#[derive(Default)]
pub(super) struct Boundaries {
    /// Their offsets, ascending: at the beginning of a line except for those of the caller.
    offsets: Vec<usize>,
    /// The lines that are markers, ascending.
    markers: Vec<Range<usize>>,
}

impl Boundaries {
    /// Finds the boundaries of a document. `is_example` returns whether a line is not read by its language, such as a
    /// line of a fence.
    ///
    /// # Errors
    ///
    /// Returns [`Error::OffsetBehindEnd`] for an offset behind the end of the text.
    pub(super) fn find(
        text: &str,
        media_type: &MediaType,
        split_at: SplitAt<'_>,
        is_example: impl Fn(usize) -> bool,
    ) -> Result<Self, Error> {
        let mut found = Self::default();
        let is_data = media_type.family() == Family::Data;
        let pattern = split_at.pattern.filter(|_| !is_data);
        let has_markers =
            !is_data && memchr::memmem::find(text.as_bytes(), MARKER.as_bytes()).is_some();
        if has_markers || pattern.is_some() {
            found.read_lines(text, pattern, |line, start| {
                has_markers && is_marker(line, media_type) && !is_example(start)
            });
        }
        found.add_offsets(text, split_at.offsets)?;
        Ok(found)
    }

    fn read_lines(
        &mut self,
        text: &str,
        pattern: Option<&SplitPattern>,
        is_marker: impl Fn(&str, usize) -> bool,
    ) {
        let (mut start, mut has_text, mut after_marker) = (0, false, false);
        for line in lines(text) {
            if is_marker(line, start) {
                self.markers.push(start..start + line.len());
                after_marker = true;
            } else if !line.trim_start_matches('\u{feff}').trim().is_empty() {
                let begins_part =
                    after_marker || pattern.is_some_and(|pattern| pattern.matches(line));
                if begins_part && has_text {
                    self.offsets.push(start);
                }
                (has_text, after_marker) = (true, false);
            }
            start += line.len();
        }
    }

    fn add_offsets(&mut self, text: &str, offsets: &[usize]) -> Result<(), Error> {
        for (round, offset) in offsets.iter().copied().enumerate() {
            interrupt::poll_periodically(round);
            if offset > text.len() {
                return Err(Error::OffsetBehindEnd { offset, length: text.len() });
            }
            self.offsets.push(between_characters(text, offset));
        }
        if offsets.is_empty() {
            return Ok(());
        }
        self.offsets.sort_unstable();
        let visible = text.trim_end().len();
        // The first character of the present part that is not white space.
        let mut begin = visible_from(text, 0);
        self.offsets.retain(|offset| {
            let is_kept = begin < *offset && *offset < visible;
            if is_kept {
                begin = visible_from(text, *offset);
            }
            is_kept
        });
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Returns whether a boundary is at an offset.
    pub(super) fn is_at(&self, offset: usize) -> bool {
        self.offsets.binary_search(&offset).is_ok()
    }

    /// Returns the boundaries inside of a range, without its beginning and its end.
    pub(super) fn inside(&self, bytes: &Range<usize>) -> &[usize] {
        let first = self.offsets.partition_point(|offset| *offset <= bytes.start);
        let rest = &self.offsets[first..];
        &rest[..rest.partition_point(|offset| *offset < bytes.end)]
    }

    /// Returns whether a range extends across a boundary.
    pub(super) fn divide(&self, bytes: &Range<usize>) -> bool {
        !self.inside(bytes).is_empty()
    }

    /// Returns the parts of a range between the boundaries in it.
    pub(super) fn parts(&self, bytes: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let inside = self.inside(&bytes).iter().copied();
        let mut start = bytes.start;
        inside.chain([bytes.end]).map(move |end| std::mem::replace(&mut start, end)..end)
    }

    /// Returns whether a range of the text has only white space and markers.
    pub(super) fn is_blank(&self, text: &str, bytes: Range<usize>) -> bool {
        let mut rest = bytes;
        loop {
            let text = &text[rest.clone()];
            rest.start += text.len() - text.trim_ascii_start().len();
            match self.marker(rest.start) {
                _ if rest.is_empty() => return true,
                Some(marker) => rest.start = marker.end.min(rest.end),
                None => return false,
            }
        }
    }

    /// Returns the marker that a comment at an offset is.
    pub(super) fn marker(&self, offset: usize) -> Option<&Range<usize>> {
        let after = self.markers.partition_point(|marker| marker.start <= offset);
        self.markers.get(after.checked_sub(1)?).filter(|marker| marker.contains(&offset))
    }
}

/// Returns whether a line has nothing but a comment that is a marker. Prose may indent it by three spaces, because
/// more make a line of code.
fn is_marker(line: &str, media_type: &MediaType) -> bool {
    let is_comment = |prefix: &str, suffix: &str| {
        let inside = line.trim().strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        inside.is_some_and(|inside| inside.trim() == MARKER)
    };
    if let Some(comment) = media_type.comment_syntax() {
        return is_comment(comment.prefix, comment.suffix);
    }
    let is_indented = line.len() - line.trim_start_matches(' ').len() > 3 || line.starts_with('\t');
    let name = media_type.structure();
    let mut comments = PROSE_COMMENTS.iter().filter(|(known, ..)| *known == name);
    !is_indented && comments.any(|(_, prefix, suffix)| is_comment(prefix, suffix))
}

/// Returns the next offset between two characters; `\r\n` is one.
pub(super) fn between_characters(text: &str, offset: usize) -> usize {
    let offset = text.ceil_char_boundary(offset.min(text.len()));
    let (before, after) = text.as_bytes().split_at(offset);
    offset + usize::from(after.first() == Some(&b'\n') && before.last() == Some(&b'\r'))
}

/// Returns the offset of the first character that is not white space.
fn visible_from(text: &str, offset: usize) -> usize {
    text.len()
        - text[offset..]
            .trim_start_matches(|char: char| char.is_whitespace() || char == '\u{feff}')
            .len()
}
