/*!
Assembly: one text of several chunks of a document.

Chunks are slices of their source, so those whose spans touch are joined with nothing between, and
those that overlap lose what they share. Across a gap, or where spans are unknown, prose gets
exactly one blank line, and code and data nothing. Beyond that nothing is added.
*/

use crate::interrupt;
use std::borrow::Cow;
use std::ops::Range;

/// A chunk to be joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// Its text.
    pub content: Cow<'a, str>,
    /// The bytes of the source that it holds, where they are known.
    pub span: Option<Range<i32>>,
}

/// What stands between chunks that do not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator<'a> {
    /// Exactly one blank line, whatever line ends the chunks have there.
    BlankLine,
    /// This text, beside the chunks as they are.
    Text(&'a str),
}

/// Chunks that became one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// For each part, in order, the bytes of the text that come from it; empty where it added none.
    pub part_ranges: Vec<Range<usize>>,
    /// The bytes of the source that the text holds, in order, those that touch as one.
    pub spans: Vec<Range<i32>>,
}

/// Joins chunks that come in the order of their document.
///
/// A span that is not as long as its content is taken as unknown.
pub fn assemble(parts: &[Part], separator: Separator) -> Assembly {
    assemble_with_separators(parts, |_| separator)
}

/// Joins chunks as [`assemble`] does, each with a separator of its own before it.
pub fn assemble_with_separators<'s>(
    parts: &[Part],
    separator: impl Fn(usize) -> Separator<'s>,
) -> Assembly {
    let mut out = Assembly::default();
    // Where the source has been told up to, or `None` behind a part without a span.
    let mut end: Option<i32> = None;
    for (i, part) in parts.iter().enumerate() {
        interrupt::poll();
        let span = part.span.clone().filter(|span| is_true(span, &part.content));
        let mut content = &*part.content;
        let shared = match (&span, end) {
            (Some(span), Some(end)) if span.start <= end => shared(span, end, content),
            _ => None,
        };
        match shared {
            Some(shared) => content = &content[shared..],
            None if i > 0 => content = separate(&mut out, content, separator(i)),
            None => {}
        }
        out.part_ranges.push(out.text.len()..out.text.len() + content.len());
        out.text.push_str(content);
        if let Some(span) = &span {
            match out.spans.last_mut() {
                Some(last) if shared.is_some() => last.end = last.end.max(span.end),
                _ => out.spans.push(span.clone()),
            }
        }
        end = match (span, shared) {
            (Some(span), Some(_)) => end.max(Some(span.end)),
            (span, _) => span.map(|span| span.end),
        };
    }
    out
}

/// Tells whether a span can be the content's own.
fn is_true(span: &Range<i32>, content: &str) -> bool {
    usize::try_from(span.end.saturating_sub(span.start)) == Ok(content.len()) && span.start >= 0
}

/// How many bytes of the content the text already holds, if that falls between two characters.
fn shared(span: &Range<i32>, end: i32, content: &str) -> Option<usize> {
    let shared = (end.min(span.end) - span.start) as usize;
    content.is_char_boundary(shared).then_some(shared)
}

/// Ends what is there and returns the part of the content that comes behind the separator.
fn separate<'c>(out: &mut Assembly, content: &'c str, separator: Separator) -> &'c str {
    match separator {
        Separator::Text(text) => {
            out.text.push_str(text);
            content
        }
        Separator::BlankLine => {
            let kept = out.text.trim_end_matches(['\n', '\r']).len();
            out.text.truncate(kept);
            // Only the last parts can have ended in what is gone.
            let shortened = out.part_ranges.iter_mut().rev().take_while(|placed| placed.end > kept);
            for placed in shortened {
                *placed = placed.start.min(kept)..kept;
            }
            let content = content.trim_start_matches(['\n', '\r']);
            if kept > 0 && !content.is_empty() {
                out.text.push_str("\n\n");
            }
            content
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(content: &str, span: Option<Range<i32>>) -> Part<'_> {
        Part { content: content.into(), span }
    }

    fn text(parts: &[Part], separator: Separator) -> String {
        assemble(parts, separator).text
    }

    #[test]
    fn chunks_that_touch_are_joined_with_nothing_between() {
        let parts = [part("# A\n", Some(0..4)), part("text", Some(4..8))];
        let assembly = assemble(&parts, Separator::BlankLine);
        assert_eq!(assembly.text, "# A\ntext");
        assert_eq!(assembly.part_ranges, [0..4, 4..8]);
        assert_eq!((assembly.spans.len(), &assembly.spans[0]), (1, &(0..8)));
    }

    #[test]
    fn prose_gets_exactly_one_blank_line_across_a_gap() {
        for (a, b) in [("one", "two"), ("one\n", "two"), ("one\r\n\r\n\r\n", "\ntwo")] {
            let after = a.len() as i32 + 10;
            let parts =
                [part(a, Some(0..a.len() as i32)), part(b, Some(after..after + b.len() as i32))];
            let assembly = assemble(&parts, Separator::BlankLine);
            assert_eq!(assembly.text, "one\n\ntwo");
            assert_eq!(assembly.part_ranges, [0..3, 5..8]);
            assert_eq!(assembly.spans.len(), 2);
        }
    }

    #[test]
    fn without_spans_the_separator_stands_between() {
        let parts = [part("one\n", None), part("two", None)];
        assert_eq!(text(&parts, Separator::BlankLine), "one\n\ntwo");
        assert_eq!(text(&parts, Separator::Text("")), "one\ntwo");
        assert_eq!(text(&parts, Separator::Text(" … ")), "one\n … two");
    }

    #[test]
    fn overlaps_are_said_once() {
        let parts = [part("abcdef", Some(0..6)), part("defg", Some(3..7)), part("ef", Some(4..6))];
        let assembly = assemble(&parts, Separator::Text("-"));
        assert_eq!(assembly.text, "abcdefg");
        assert_eq!(assembly.part_ranges, [0..6, 6..7, 7..7]);
        assert_eq!((assembly.spans.len(), &assembly.spans[0]), (1, &(0..7)));
    }

    #[test]
    fn a_span_that_is_not_the_contents_is_taken_as_unknown() {
        let parts = [part("abc", Some(0..3)), part("def", Some(3..9)), part("g", Some(9..10))];
        assert_eq!(text(&parts, Separator::Text("|")), "abc|def|g");
    }

    #[test]
    fn an_overlap_inside_a_character_is_no_overlap() {
        let parts = [part("aü", Some(0..3)), part("üb", Some(2..5))];
        assert_eq!(text(&parts, Separator::Text("|")), "aü|üb");
    }

    proptest! {
        #[test]
        fn any_windows_over_a_text_that_leave_no_gap_give_it_back(
            source in "\\PC{1,40}",
            cuts in prop::collection::vec((0usize..40, 0usize..6), 0..8),
        ) {
            let bound = |at: usize| (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap();
            let mut starts: Vec<usize> = cuts.iter().map(|(at, _)| bound(*at)).collect();
            starts.push(0);
            starts.sort_unstable();
            let parts: Vec<Part> = starts
                .iter()
                .enumerate()
                .map(|(i, start)| {
                    let more = cuts.get(i).map_or(0, |(_, more)| *more);
                    let next = starts.get(i + 1).map_or(source.len(), |next| bound(next + more));
                    part(&source[*start..next.max(*start)], Some(*start as i32..next.max(*start) as i32))
                })
                .collect();
            prop_assert_eq!(text(&parts, Separator::Text("|")), source);
        }

        #[test]
        fn what_is_placed_is_where_it_says(
            parts in prop::collection::vec(("[a\n\u{e9}]{0,6}", prop::option::of(0i32..20)), 0..6),
            blank in any::<bool>(),
        ) {
            let parts: Vec<Part> = parts
                .iter()
                .map(|(content, start)| part(content, start.map(|start| start..start + content.len() as i32)))
                .collect();
            let separator = if blank { Separator::BlankLine } else { Separator::Text("|") };
            let assembly = assemble(&parts, separator);
            prop_assert_eq!(assembly.part_ranges.len(), parts.len());
            for (part, placed) in parts.iter().zip(&assembly.part_ranges) {
                prop_assert!(part.content.contains(&assembly.text[placed.clone()]));
            }
        }
    }
}
