/*!
Segments: divides a long document into parts that are parsed one after the other.

The parser reads its whole input before it returns the first event, and stores 64 bytes for each
character that may be markup: 50 MB of `[` take seconds and gigabytes. So a document of more than one
megabyte is parsed in segments. A segment ends before an unindented heading after a blank line, where
every paragraph, list and quote ends. Fences and HTML continue there, so their beginnings and ends are
tracked. Without such a heading, a segment ends at a line, and the rest of a fence is not parsed.

A heading may refer to a link that another segment defines. So the labels of all definitions are
collected first.
*/

use crate::interrupt;
use crate::split::plain::lines;
use pulldown_cmark::{BrokenLink, CowStr, Event, OffsetIter, Options, Parser};
use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

/// The extensions of `CommonMark` that the parser accepts.
///
/// The parser's own front matter is disabled: it may begin at any rule, and hides the headings up to
/// the next one.
pub const DIALECT: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_STRIKETHROUGH);

/// The limits of a segment.
#[derive(Clone, Copy)]
pub(super) struct SegmentLimits {
    /// The number of bytes after which it ends as soon as possible.
    soft: usize,
    /// The maximum number of bytes.
    hard: usize,
    /// The maximum number of lines and of bytes that may be markup.
    marks: usize,
}

impl SegmentLimits {
    /// About 50 ms of parsing at most.
    pub(super) const DEFAULT: Self = Self { soft: 1 << 20, hard: 8 << 20, marks: 1 << 19 };
}

/// The maximum number of bytes of a line that are read at once.
const MAX_LINE: usize = 1 << 16;

/// A part of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) bytes: Range<usize>,
    /// Whether it is inside a fence.
    pub(super) is_code: bool,
}

/// The segments of a document, and the labels that it defines.
pub(super) struct Segments {
    pub(super) list: Vec<Segment>,
    labels: HashSet<u64>,
}

impl Segments {
    pub(super) fn of(text: &str, length: SegmentLimits) -> Self {
        let mut segments = Self { list: Vec::new(), labels: HashSet::new() };
        if text.len() <= length.soft {
            segments.list.push(Segment { bytes: 0..text.len(), is_code: false });
        } else {
            segments.find(text, length);
        }
        segments
    }

    /// Parses a segment and returns its events with their ranges in the text.
    pub(super) fn events<'t>(
        &'t self,
        text: &'t str,
        segment: &Segment,
    ) -> impl Iterator<Item = (Event<'t>, Range<usize>)> {
        // A segment of blank lines has no events that poll.
        interrupt::poll();
        let base = segment.bytes.start;
        let resolve = |link: BrokenLink<'t>| {
            // Most documents have one segment, which collects no labels.
            let labels = &self.labels;
            let is_known = !labels.is_empty() && labels.contains(&label(&link.reference));
            is_known.then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
        };
        let text = &text[segment.bytes.clone()];
        let parser = Parser::new_with_broken_link_callback(text, DIALECT, Some(resolve));
        let events: OffsetIter<'t, _> = parser.into_offset_iter();
        events.map(move |(event, range)| {
            interrupt::poll();
            (event, base + range.start..base + range.end)
        })
    }

    fn find(&mut self, text: &str, length: SegmentLimits) {
        let (mut start, mut at, mut marks) = (0, 0, 0);
        let mut state = LineContext::Text;
        let mut is_code = false;
        // Whether no paragraph continues here: a definition cannot interrupt a paragraph.
        let (mut behind_blank, mut behind_definition) = (true, false);
        for line in lines(text).flat_map(pieces) {
            interrupt::poll();
            let was_fence = matches!(state, LineContext::Fence(..));
            let is_heading = state == LineContext::Text && behind_blank && line.starts_with('#');
            let is_full = at - start >= length.hard || marks >= length.marks;
            let ends = if is_code {
                // The rest of a fence ends with the fence.
                !was_fence
            } else {
                is_full || (is_heading && at - start >= length.soft)
            };
            if ends && at > start {
                self.list.push(Segment { bytes: start..at, is_code });
                (start, marks, is_code) = (at, 0, was_fence);
                if state == LineContext::Unknown {
                    state = LineContext::Text;
                }
            }
            state.read(line);
            let is_text = !matches!(state, LineContext::Fence(..) | LineContext::Html(_));
            let may_define = is_text && (behind_blank || behind_definition);
            behind_definition = may_define && self.defines(line);
            // The parser needs as much time for a blank line as for a mark.
            marks += 1 + line.bytes().filter(|byte| is_mark(*byte)).count();
            behind_blank = line.trim_ascii().is_empty();
            at += line.len();
        }
        self.list.push(Segment { bytes: start..at, is_code });
    }

    /// Records the label of a definition, and returns whether the line is one.
    fn defines(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let rest = text.strip_prefix('[').filter(|_| line.len() - text.len() <= 3);
        let name = rest.and_then(|rest| rest.split_once("]:")).map(|(name, _)| name);
        self.labels.extend(name.map(label));
        name.is_some()
    }
}

/// The construct around a line that a blank line and a heading do not end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineContext {
    Text,
    /// A fence, by its character and the number of its characters.
    Fence(u8, usize),
    /// HTML, by its end.
    Html(&'static str),
    /// A line of tags, which may continue up to a blank line and hide constructs that open there.
    Tag,
    /// A construct that only the parser knows: no heading ends the segment.
    Unknown,
}

/// The beginnings and ends of HTML that continues after a blank line.
const HTML: [(&str, &str); 7] = [
    ("<!--", "-->"),
    ("<script", "</script>"),
    ("<pre", "</pre>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("<![CDATA[", "]]>"),
    ("<?", "?>"),
];

impl LineContext {
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

/// Cuts a line into pieces of at most [`MAX_LINE`] bytes.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_LINE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns whether the parser stores an item for a character.
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

/// Returns the hash of a normalized label.
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
        blocks::{Blocks, Form},
        markdown::blocks_of,
    };
    use proptest::prelude::*;

    fn describe(blocks: &Blocks) -> Vec<String> {
        let list = blocks.list.iter();
        let lines = list.map(|block| {
            // Titles are tested below, because text that looks like a definition affects them.
            format!("{} {} {} {:?}", block.start, block.level, block.section, block.form)
        });
        lines.chain([format!("{:?}", blocks.items)]).collect()
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
            let whole = SegmentLimits { soft: usize::MAX, ..SegmentLimits::DEFAULT };
            let short = SegmentLimits { soft: 1, ..SegmentLimits::DEFAULT };
            prop_assert_eq!(describe(&blocks_of(&text, short)), describe(&blocks_of(&text, whole)), "{}", text);
        }

        #[test]
        fn segments_cover_any_document_in_order(
            parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..40),
            soft in 1_usize..50, hard in 1_usize..50, marks in 1_usize..20,
        ) {
            let text = parts.concat();
            let segments = Segments::of(&text, SegmentLimits { soft, hard, marks });
            let mut at = 0;
            for segment in &segments.list {
                prop_assert_eq!(segment.bytes.start, at);
                at = segment.bytes.end;
            }
            prop_assert_eq!(at, text.len());
            let blocks = blocks_of(&text, SegmentLimits { soft, hard, marks });
            prop_assert!(blocks.list.is_sorted_by(|a, b| a.start < b.start));
        }
    }

    #[test]
    fn a_heading_refers_to_a_link_of_another_segment() {
        let text =
            "## [1.0] - now\n\n## [Text][B c]\n\n## [x]\n\n[1.0]: http://a\n[b  C]: http://a\n";
        let blocks = blocks_of(text, SegmentLimits { soft: 1, ..SegmentLimits::DEFAULT });
        let titles = headings(&blocks);
        assert_eq!(titles, ["1.0 - now", "Text", "[x]"]);
    }

    #[test]
    fn a_segment_without_events_polls() {
        let segments = Segments::of("\n\n", SegmentLimits::DEFAULT);
        let polls = polls_of(|| assert_eq!(segments.events("\n\n", &segments.list[0]).count(), 0));
        assert_eq!(polls, 1);
    }

    #[test]
    fn the_rest_of_a_fence_has_no_sections() {
        let text = format!("# A\n\n```\n{}```\n\n# B\n", "# none\n".repeat(100));
        let blocks = blocks_of(&text, SegmentLimits { soft: 50, hard: 100, marks: 1_000 });
        assert_eq!(headings(&blocks), ["A", "B"]);
    }
}
