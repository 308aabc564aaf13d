/*!
Assembly: one text from several chunks of a document.

Chunks are slices of their source. Those whose spans touch are joined directly, and overlaps appear once.
Across a gap, or without spans, prose gets exactly one blank line, and code and data nothing. Nothing else is
added.

Its twin in SQL is `sql/edition/assembly.sql`.
*/

use passage_split::{Family, interrupt};
use std::borrow::Cow;
use std::ops::Range;

/// A chunk to join.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// Its content.
    pub content: Cow<'a, str>,
    /// Its byte span in the source, if known.
    pub span: Option<Range<i32>>,
}

/// The separator of chunks that do not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator<'a> {
    /// Exactly one blank line, independent of the line ends of the chunks.
    BlankLine,
    /// A paragraph of its own, between blank lines.
    Paragraph(&'a str),
    /// A fixed text between the unchanged chunks.
    Text(&'a str),
}

impl From<Family> for Separator<'static> {
    /// Returns the separator of two chunks that do not touch (decision 5).
    ///
    /// ```
    /// use passage_core::assemble::Separator;
    /// use passage_split::Family;
    ///
    /// assert_eq!(Separator::from(Family::Prose), Separator::BlankLine);
    /// assert_eq!(Separator::from(Family::Code), Separator::Text(""));
    /// ```
    fn from(family: Family) -> Self {
        match family {
            Family::Prose => Self::BlankLine,
            Family::Code | Family::Data => Self::Text(""),
        }
    }
}

/// The joined text of several chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The text.
    pub text: String,
    /// The range of each part in the text; empty if the part added nothing.
    pub part_ranges: Vec<Range<usize>>,
    /// The byte spans of the source in the text, in order, with touching spans merged.
    pub spans: Vec<Range<i32>>,
}

/// Joins chunks that are in document order.
///
/// A span whose length differs from its content counts as unknown.
///
/// ```
/// use passage_core::assemble::{Part, Separator, assemble};
///
/// let parts = [
///     Part { content: "One. ".into(), span: Some(0..5) },
///     Part { content: "Two.".into(), span: Some(5..9) },
///     Part { content: "Nine.".into(), span: Some(40..45) },
/// ];
/// let assembly = assemble(&parts, Separator::BlankLine);
/// assert_eq!(assembly.text, "One. Two.\n\nNine.");
/// assert_eq!(assembly.spans, [0..9, 40..45]);
/// ```
pub fn assemble(parts: &[Part], separator: Separator) -> Assembly {
    assemble_with_separators(parts, |_| separator)
}

/// Joins chunks like [`assemble`], with a separate separator before each part.
///
/// `separator` receives the index of the part behind it.
pub fn assemble_with_separators<'s>(
    parts: &[Part],
    separator: impl Fn(usize) -> Separator<'s>,
) -> Assembly {
    let bytes = parts.iter().map(|part| part.content.len()).sum();
    let mut out = Assembly { text: String::with_capacity(bytes), ..Assembly::default() };
    // The end of the source covered so far; `None` behind a part without a span.
    let mut end: Option<i32> = None;
    for (i, part) in parts.iter().enumerate() {
        interrupt::poll();
        let span = part.span.clone().filter(|span| is_valid(span, &part.content));
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

/// Returns whether a span fits its content.
fn is_valid(span: &Range<i32>, content: &str) -> bool {
    usize::try_from(span.end.saturating_sub(span.start)) == Ok(content.len()) && span.start >= 0
}

/// Returns how many bytes of the content the text already has, if that is a character boundary.
fn shared(span: &Range<i32>, end: i32, content: &str) -> Option<usize> {
    let shared = (end.min(span.end) - span.start) as usize;
    content.is_char_boundary(shared).then_some(shared)
}

/// Appends a separator and returns the part of the content behind it.
fn separate<'c>(out: &mut Assembly, content: &'c str, separator: Separator) -> &'c str {
    match separator {
        Separator::Text(text) => {
            out.text.push_str(text);
            content
        }
        Separator::BlankLine | Separator::Paragraph(_) => {
            let kept = out.text.trim_end_matches(['\n', '\r']).len();
            out.text.truncate(kept);
            // Only the last parts can extend into the removed line ends.
            let shortened = out.part_ranges.iter_mut().rev().take_while(|placed| placed.end > kept);
            for placed in shortened {
                *placed = placed.start.min(kept)..kept;
            }
            let content = content.trim_start_matches(['\n', '\r']);
            if kept > 0 && !content.is_empty() {
                out.text.push_str("\n\n");
                if let Separator::Paragraph(text) = separator {
                    out.text.push_str(text);
                    out.text.push_str("\n\n");
                }
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
    fn chunks_that_touch_are_joined_directly() {
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
    fn without_spans_the_separator_is_used() {
        let parts = [part("one\n", None), part("two", None)];
        assert_eq!(text(&parts, Separator::BlankLine), "one\n\ntwo");
        assert_eq!(text(&parts, Separator::Text("")), "one\ntwo");
        assert_eq!(text(&parts, Separator::Text(" … ")), "one\n … two");
    }

    #[test]
    fn overlaps_appear_once() {
        let parts = [part("abcdef", Some(0..6)), part("defg", Some(3..7)), part("ef", Some(4..6))];
        let assembly = assemble(&parts, Separator::Text("-"));
        assert_eq!(assembly.text, "abcdefg");
        assert_eq!(assembly.part_ranges, [0..6, 6..7, 7..7]);
        assert_eq!((assembly.spans.len(), &assembly.spans[0]), (1, &(0..7)));
    }

    #[test]
    fn a_span_of_another_length_counts_as_unknown() {
        let parts = [part("abc", Some(0..3)), part("def", Some(3..9)), part("g", Some(9..10))];
        assert_eq!(text(&parts, Separator::Text("|")), "abc|def|g");
    }

    #[test]
    fn an_overlap_inside_a_character_is_ignored() {
        let parts = [part("aü", Some(0..3)), part("üb", Some(2..5))];
        assert_eq!(text(&parts, Separator::Text("|")), "aü|üb");
    }

    proptest! {
        #[test]
        fn windows_without_gaps_assemble_to_the_text(
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
        fn part_ranges_point_to_their_parts(
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
