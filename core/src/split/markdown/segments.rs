/*!
Segments: a long document in parts that the parser reads one after the other.

The parser reads all that it is given before it returns the first event, and keeps 64 bytes for each
character that may be markup: 50 MB of `[` take seconds and gigabytes. So a document of more than a
megabyte is parsed in segments. A segment ends before a heading at the margin, behind a blank
line, where every paragraph, list and quote ends; fences and HTML, which go on there, are watched
for. Where no such heading follows, the segment ends at a line, and what is left of a fence is not
parsed at all.

A heading may name a link that another segment defines. So the labels of all definitions are
collected first.
*/

use crate::interrupt;
use crate::split::plain::lines;
use pulldown_cmark::{BrokenLink, CowStr, Event, OffsetIter, Parser};
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

/// How long a segment is.
#[derive(Clone, Copy)]
pub(super) struct Length {
    /// From so many bytes on it ends where it can.
    soft: usize,
    /// So many bytes it has at most, and so many lines and bytes that may be markup.
    hard: usize,
    marks: usize,
}

impl Length {
    /// Some 50 ms of parsing at most.
    pub(super) const USUAL: Self = Self { soft: 1 << 20, hard: 8 << 20, marks: 1 << 19 };
}

/// The longest piece of a line that is taken at once.
const MOST_LINE: usize = 1 << 16;

/// A part of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) bytes: Range<usize>,
    /// Whether it lies within a fence.
    pub(super) is_code: bool,
}

/// A document in segments, and the labels that it defines.
pub(super) struct Segments {
    pub(super) list: Vec<Segment>,
    labels: HashSet<u64>,
}

impl Segments {
    pub(super) fn of(text: &str, length: Length) -> Self {
        let mut segments = Self { list: Vec::new(), labels: HashSet::new() };
        if text.len() <= length.soft {
            segments.list.push(Segment { bytes: 0..text.len(), is_code: false });
        } else {
            segments.find(text, length);
        }
        segments
    }

    /// Parses a segment; ranges are those in the text.
    pub(super) fn events<'t>(
        &'t self,
        text: &'t str,
        segment: &Segment,
    ) -> impl Iterator<Item = (Event<'t>, Range<usize>)> {
        // A segment of blank lines has no event.
        interrupt::poll();
        let base = segment.bytes.start;
        let resolve = |link: BrokenLink<'t>| {
            let is_known = self.labels.contains(&label(&link.reference));
            is_known.then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
        };
        let text = &text[segment.bytes.clone()];
        let parser = Parser::new_with_broken_link_callback(text, super::DIALECT, Some(resolve));
        let events: OffsetIter<'t, _> = parser.into_offset_iter();
        events.map(move |(event, range)| {
            interrupt::poll();
            (event, base + range.start..base + range.end)
        })
    }

    fn find(&mut self, text: &str, length: Length) {
        let (mut start, mut at, mut marks) = (0, 0, 0);
        let mut state = State::Text;
        let mut is_code = false;
        // Whether nothing on the line before can go on here: a definition ends no paragraph.
        let (mut behind_blank, mut behind_definition) = (true, false);
        for line in lines(text).flat_map(pieces) {
            interrupt::poll();
            let was_fence = matches!(state, State::Fence(..));
            let is_heading = state == State::Text && behind_blank && line.starts_with('#');
            let is_full = at - start >= length.hard || marks >= length.marks;
            let ends = if is_code {
                // What is left of a fence ends with it.
                !was_fence
            } else {
                is_full || (is_heading && at - start >= length.soft)
            };
            if ends && at > start {
                self.list.push(Segment { bytes: start..at, is_code });
                (start, marks, is_code) = (at, 0, was_fence);
                if state == State::Unknown {
                    state = State::Text;
                }
            }
            state.read(line);
            let is_text = !matches!(state, State::Fence(..) | State::Html(_));
            let may_define = is_text && (behind_blank || behind_definition);
            behind_definition = may_define && self.defines(line);
            // A blank line takes the parser as long as a mark does.
            marks += 1 + line.bytes().filter(|byte| is_mark(*byte)).count();
            behind_blank = line.trim_ascii().is_empty();
            at += line.len();
        }
        self.list.push(Segment { bytes: start..at, is_code });
    }

    /// Takes the label of a line that defines one, and tells whether it does.
    fn defines(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let rest = text.strip_prefix('[').filter(|_| line.len() - text.len() <= 3);
        let name = rest.and_then(|rest| rest.split_once("]:")).map(|(name, _)| name);
        self.labels.extend(name.map(label));
        name.is_some()
    }
}

/// What a line stands in, as far as a blank line and a heading do not end it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// The character of the fence, and how often it stands there.
    Fence(u8, usize),
    /// What ends the HTML.
    Html(&'static str),
    /// A line of tags, which may go on up to a blank line and hide what opens there.
    Tag,
    /// Where only the parser knows what is open: no heading counts before the next segment.
    Unknown,
}

/// The HTML that goes on behind a blank line, by how it begins and ends.
const HTML: [(&str, &str); 7] = [
    ("<!--", "-->"),
    ("<script", "</script>"),
    ("<pre", "</pre>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
];

impl State {
    fn read(&mut self, line: &str) {
        let text = line.trim_start_matches(' ');
        let first = text.bytes().next().unwrap_or(b' ');
        let run = text.bytes().take_while(|byte| *byte == first).count();
        let rest = &text[if first.is_ascii() { run } else { 0 }..];
        let marks = ["```", "~~~"].into_iter().chain(HTML.map(|(begin, _)| begin));
        let may_open = marks.into_iter().any(|mark| text.contains(mark));
        match *self {
            Self::Tag if text.trim_ascii().is_empty() => *self = Self::Text,
            Self::Tag if may_open => *self = Self::Unknown,
            Self::Text if line.len() - text.len() > 3 => {}
            // In a list or a quote.
            Self::Text if may_open && matches!(first, b'-' | b'*' | b'+' | b'>' | b'0'..=b'9') => {
                *self = Self::Unknown;
            }
            Self::Text if matches!(first, b'`' | b'~') && run >= 3 => {
                if first == b'~' || !rest.contains('`') {
                    *self = Self::Fence(first, run);
                }
            }
            Self::Text if first == b'<' => {
                let begun =
                    HTML.iter().find_map(|(begin, end)| Some((text.strip_prefix(begin)?, end)));
                if let Some((_, end)) = begun.filter(|(rest, end)| !rest.contains(**end)) {
                    *self = Self::Html(end);
                } else if begun.is_none() {
                    *self = Self::Tag;
                }
            }
            Self::Unknown | Self::Tag | Self::Text => {}
            Self::Fence(mark, length) => {
                if first == mark && run >= length && rest.trim_ascii().is_empty() {
                    *self = Self::Text;
                }
            }
            Self::Html(end) => {
                if text.contains(end) {
                    *self = Self::Text;
                }
            }
        }
    }
}

/// Cuts a line that is too long to be one.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(MOST_LINE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Tells whether the parser keeps something for a character.
fn is_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'*' | b'_'
            | b'~'
            | b'`'
            | b'['
            | b']'
            | b'!'
            | b'<'
            | b'&'
            | b'\\'
            | b'|'
            | b'\n'
            | b'\r'
            | b'>'
    )
}

/// Returns the hash of a label, by which labels that mean the same are the same.
fn label(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in name.split_whitespace() {
        word.to_lowercase().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::tests::polls_of;
    use crate::split::{
        block::{Blocks, Form},
        markdown::blocks_of,
    };
    use proptest::prelude::*;

    fn told(blocks: &Blocks) -> Vec<String> {
        let list = blocks.list.iter();
        let told = list.map(|block| {
            // Titles are tried below: what is no definition may be taken for one.
            format!("{} {} {} {:?}", block.start, block.level, block.section, block.form)
        });
        told.chain([format!("{:?}", blocks.items)]).collect()
    }

    fn headings(blocks: &Blocks) -> Vec<&str> {
        let headings = blocks.list.iter().filter(|block| block.form == Form::Heading);
        headings.map(|block| blocks.sections.title(block.section)).collect()
    }

    const PARTS: [&str; 26] = [
        "- ```\n  # none\n\n  # none\n  ```\n",
        "<span>a</span>\n",
        "# Part\n",
        "## [1.0] - now\n",
        "## [Text][B c]\n",
        "words\n",
        "words\n\n",
        "\n",
        "- one\n",
        "- one\n\n  two\n\n",
        "> quote\n",
        "```sh\n# none\n\n# none\n```\n",
        "~~~~\n\n# none\n~~~\n\n# none\n~~~~\n",
        "<!-- a\n\n# none\n\n-->\n",
        "<pre>\n\n# none\n</pre>\n",
        "<div>\n\n# some\n\n</div>\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "\n[1.0]: http://a\n",
        "\n[b  C]: http://a\n",
        "    code\n\n    # none\n",
        "Title\n=====\n",
        "---\n",
        "``` `x` ```\n",
        "#none\n",
        "[^1]: note\n\n",
        "\u{e9}\r\n\r\n",
    ];

    proptest! {
        #[test]
        fn segments_give_what_the_whole_document_gives(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..40),
        ) {
            let text = parts.concat();
            let whole = Length { soft: usize::MAX, ..Length::USUAL };
            let short = Length { soft: 1, ..Length::USUAL };
            prop_assert_eq!(told(&blocks_of(&text, short)), told(&blocks_of(&text, whole)), "{}", text);
        }

        #[test]
        fn segments_cover_any_document_in_order(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..40),
            soft in 1_usize..50, hard in 1_usize..50, marks in 1_usize..20,
        ) {
            let text = parts.concat();
            let segments = Segments::of(&text, Length { soft, hard, marks });
            let mut at = 0;
            for segment in &segments.list {
                prop_assert_eq!(segment.bytes.start, at);
                at = segment.bytes.end;
            }
            prop_assert_eq!(at, text.len());
            let blocks = blocks_of(&text, Length { soft, hard, marks });
            prop_assert!(blocks.list.is_sorted_by(|a, b| a.start < b.start));
        }
    }

    #[test]
    fn a_heading_names_a_link_of_another_segment() {
        let text =
            "## [1.0] - now\n\n## [Text][B c]\n\n## [x]\n\n[1.0]: http://a\n[b  C]: http://a\n";
        let blocks = blocks_of(text, Length { soft: 1, ..Length::USUAL });
        let titles = headings(&blocks);
        assert_eq!(titles, ["1.0 - now", "Text", "[x]"]);
    }

    #[test]
    fn a_segment_without_events_is_polled_for() {
        let segments = Segments::of("\n\n", Length::USUAL);
        let polls = polls_of(|| assert_eq!(segments.events("\n\n", &segments.list[0]).count(), 0));
        assert_eq!(polls, 1);
    }

    #[test]
    fn what_is_left_of_a_fence_opens_no_section() {
        let text = format!("# A\n\n```\n{}```\n\n# B\n", "# none\n".repeat(100));
        let blocks = blocks_of(&text, Length { soft: 50, hard: 100, marks: 1_000 });
        assert_eq!(headings(&blocks), ["A", "B"]);
    }
}
