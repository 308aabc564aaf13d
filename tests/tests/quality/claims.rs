//! The figures of excerpts, by their text and by the lines that they claim.

use passage_tests::cases;
use std::ops::{Range, RangeInclusive};

use crate::excerpts::{Excerpt, ExcerptScore, score_excerpts};
use crate::score::Answer;

/// Five lines; the fourth is long, and the last has no line end.
const TEXT: &str = "# Title\n\nfirst line\nthe second and longer line\nlast";

/// Another document, which has one line of the first.
const OTHER: &str = "first line\n";

fn excerpt(document: usize, content: &str, lines: RangeInclusive<usize>) -> Excerpt {
    Excerpt { document, content: content.into(), lines, tokens: 7 }
}

fn score_of(spans: &[Range<usize>], excerpts: &[Excerpt]) -> ExcerptScore {
    let answer = Answer { document: 0, spans: spans.to_vec() };
    score_excerpts(&answer, &[TEXT, OTHER], excerpts)
}

/// Returns the bytes of the third and the fourth line.
fn gold() -> Range<usize> {
    9..46
}

/// Returns the bytes of the last line.
fn last() -> Range<usize> {
    47..51
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} for {b}");
}

#[test]
fn the_answer_is_two_lines() {
    assert_eq!(&TEXT[gold()], "first line\nthe second and longer line");
}

#[test]
fn a_whole_excerpt_recalls_everything() {
    for end in ["", "\n"] {
        let content = format!("first line\nthe second and longer line{end}");
        let score = score_of(&[gold()], &[excerpt(0, &content, 3..=4)]);
        assert_eq!(score, ExcerptScore { text: 1.0, lines: 1.0, count: 1, verbatim: 1, tokens: 7 });
    }
    let last = score_of(&[last()], &[excerpt(0, "last", 5..=5)]);
    assert_eq!(last, ExcerptScore { text: 1.0, lines: 1.0, count: 1, verbatim: 1, tokens: 7 });
}

#[test]
fn a_partial_excerpt_is_counted_by_bytes_and_by_lines() {
    let score = score_of(&[gold()], &[excerpt(0, "first line\n", 3..=3)]);
    close(score.text, 11.0 / 37.0);
    close(score.lines, 0.5);
    let nothing = score_of(&[gold()], &[]);
    assert_eq!(nothing, ExcerptScore { text: 0.0, lines: 0.0, count: 0, verbatim: 0, tokens: 0 });
}

#[test]
fn text_counts_at_any_place_and_lines_where_they_are_claimed() {
    // The right text, one line too high.
    let score = score_of(&[gold()], &[excerpt(0, "first line", 2..=2)]);
    close(score.text, 10.0 / 37.0);
    assert_eq!((score.lines, score.verbatim), (0.0, 0));
    // The right lines with another text.
    let score = score_of(&[gold()], &[excerpt(0, "first line ...", 3..=4)]);
    assert_eq!((score.text, score.lines, score.verbatim), (0.0, 1.0, 0));
    // Lines that do not exist.
    for lines in cases([0..=3, 5..=6, 6..=9]) {
        assert_eq!(score_of(&[gold()], &[excerpt(0, "nowhere", lines)]).verbatim, 0);
    }
}

#[test]
fn an_excerpt_of_another_document_recalls_nothing_and_costs_the_same() {
    let score =
        score_of(&[gold()], &[excerpt(1, "first line\n", 1..=1), excerpt(0, "last", 5..=5)]);
    assert_eq!(score, ExcerptScore { text: 0.0, lines: 0.0, count: 2, verbatim: 2, tokens: 14 });
}

#[test]
fn the_best_of_several_answers_counts() {
    let score = score_of(&[gold(), last()], &[excerpt(0, "last", 5..=5)]);
    assert_eq!((score.text, score.lines), (1.0, 1.0));
}
