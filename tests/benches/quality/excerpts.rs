/*!
The quality of fragments: excerpts of whole lines with their line numbers.

A plausible excerpt can be wrong in two ways: its text may not be in the document, and its line numbers may not be
those of its text. So recall is counted twice: by the text, at any place of the document, and by the claimed
lines.
*/

use std::ops::{Range, RangeInclusive};

use super::score::{Answer, ReturnedPassage, recall};

/// A returned excerpt.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The number of its document in the set.
    pub document: usize,
    pub content: String,
    /// The claimed lines, from 1.
    pub lines: RangeInclusive<usize>,
    pub tokens: usize,
}

/// The figures of the excerpts for one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExcerptScore {
    /// The share of the bytes of the answer in their texts.
    pub text: f64,
    /// The share of the lines of the answer that they claim.
    pub lines: f64,
    /// The number of excerpts.
    pub count: usize,
    /// The number of excerpts that equal their lines.
    pub verbatim: usize,
    /// The tokens of all excerpts.
    pub tokens: usize,
}

/// Computes the figures, given the texts of all documents.
pub fn score_excerpts(answer: &Answer, texts: &[&str], excerpts: &[Excerpt]) -> ExcerptScore {
    let text = texts[answer.document];
    let starts = starts(text);
    let own = |excerpt: &&Excerpt| excerpt.document == answer.document;
    let part = |excerpt: &Excerpt| {
        let at = location(text, &starts, excerpt)?;
        Some(ReturnedPassage { document: answer.document, spans: vec![at], tokens: 0 })
    };
    let parts: Vec<_> = excerpts.iter().filter(own).filter_map(part).collect();
    let claimed = |line: usize| excerpts.iter().filter(own).any(|one| one.lines.contains(&line));
    let share = |span: &Range<usize>| {
        let lines: Vec<_> = lines(&starts, span).collect();
        lines.iter().filter(|line| claimed(**line)).count() as f64 / lines.len() as f64
    };
    let verbatim = |excerpt: &&Excerpt| {
        let text = texts[excerpt.document];
        same(excerpt, text, &self::starts(text))
    };
    ExcerptScore {
        text: recall(answer, &parts),
        lines: answer.spans.iter().map(share).fold(0.0, f64::max),
        count: excerpts.len(),
        verbatim: excerpts.iter().filter(verbatim).count(),
        tokens: excerpts.iter().map(|excerpt| excerpt.tokens).sum(),
    }
}

/// Returns the begins of the lines of a text.
fn starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

/// Returns the lines that a span touches, from 1.
fn lines(starts: &[usize], span: &Range<usize>) -> RangeInclusive<usize> {
    let line = |at: usize| starts.partition_point(|start| *start <= at);
    line(span.start)..=line(span.end - 1)
}

/// Returns the bytes of whole lines, with the end of the last one, or `None` if the lines do not exist.
fn bytes(text: &str, starts: &[usize], lines: &RangeInclusive<usize>) -> Option<Range<usize>> {
    let first = *starts.get(lines.start().checked_sub(1)?)?;
    let end = starts.get(*lines.end()).copied().unwrap_or(text.len());
    (*lines.end() <= starts.len() && first <= end).then_some(first..end)
}

/// Returns whether an excerpt equals its claimed lines; the last line end may be missing.
fn same(excerpt: &Excerpt, text: &str, starts: &[usize]) -> bool {
    let Some(at) = bytes(text, starts, &excerpt.lines) else { return false };
    without_end(&text[at]) == without_end(&excerpt.content)
}

/// Returns the location of an excerpt's text: in its lines, or else the first one in the document.
fn location(text: &str, starts: &[usize], excerpt: &Excerpt) -> Option<Range<usize>> {
    if same(excerpt, text, starts) {
        return bytes(text, starts, &excerpt.lines);
    }
    let content = without_end(&excerpt.content);
    let at = text.find(content).filter(|_| !content.is_empty())?;
    Some(at..at + content.len())
}

fn without_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
