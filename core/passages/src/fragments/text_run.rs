/*!
Text runs: chunks whose spans touch, as one text with lines.

A chunk may begin within a line, and only its neighbour has the rest of that line. So callers read neighbours too,
and chunks whose spans touch form one text run. Line numbers come from the chunk in which a line begins. A chunk
without a span is a text run of its own.

Its twin in SQL is `sql/edition/fragments/lines.sql`.
*/

use std::borrow::Cow;
use std::ops::Range;

/// A chunk of the store, as input of text runs.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceChunk<'a> {
    /// A number that identifies its document.
    pub document: usize,
    /// Its ordinal in the document.
    pub ordinal: Option<i32>,
    /// Its content.
    pub content: Cow<'a, str>,
    /// Its byte span in the source, if known.
    pub span: Option<Range<i32>>,
    /// The line in which it begins, from 1.
    pub first_line: Option<i32>,
    /// Its tokens.
    pub tokens: u32,
    /// A key of its section.
    pub section: Option<i64>,
    /// Whether chunks that were not read precede it and follow it.
    pub continues: [bool; 2],
}

/// Chunks whose spans touch, as one text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    /// The number of the document.
    pub document: usize,
    /// The text.
    pub text: String,
    /// The lines of the text. Each has at least its line end.
    pub lines: Vec<TextLine>,
    /// The indexes of the chunks in the input, with their byte ranges in the text.
    pub chunks: Vec<(usize, Range<usize>)>,
}

/// A line of a text run.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// Its byte range in the text, including the line end.
    pub bytes: Range<usize>,
    /// Its number in the source, from 1, if known.
    pub number: Option<i32>,
    /// Its share of the tokens of its chunks.
    pub tokens: f64,
    /// Whether the whole line was read.
    pub is_complete: bool,
    /// The line range of its fenced block, or the line itself.
    pub block: Range<usize>,
}

impl TextRun {
    /// Returns the text of a line without its line end.
    pub fn line(&self, line: usize) -> &str {
        self.text[self.lines[line].bytes.clone()].trim_end_matches(['\n', '\r'])
    }

    /// Returns the text of a range of lines, without the last line end.
    pub fn text(&self, lines: Range<usize>) -> &str {
        if lines.is_empty() {
            return "";
        }
        let last = &self.lines[lines.end - 1].bytes;
        let end = last.start + self.line(lines.end - 1).len();
        &self.text[self.lines[lines.start].bytes.start..end]
    }

    /// Returns the tokens of a range of lines.
    pub fn tokens(&self, lines: Range<usize>) -> f64 {
        self.lines[lines].iter().map(|line| line.tokens).sum()
    }

    /// Returns whether a line has only white space.
    pub fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    /// Returns the lines that a byte range touches, without blank lines at the ends.
    pub fn lines_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let end = self.lines.partition_point(|line| line.bytes.start < bytes.end);
        self.trimmed(first..end.max(first))
    }

    /// Returns a range of lines without blank lines at the ends; empty if all are blank.
    pub fn trimmed(&self, lines: Range<usize>) -> Range<usize> {
        let mut filled = lines.clone().filter(|line| !self.is_blank(*line));
        let Some(first) = filled.next() else { return lines.start..lines.start };
        first..filled.next_back().unwrap_or(first) + 1
    }

    /// Returns whether only blank lines separate two ranges of lines.
    pub fn are_adjacent(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
        (one.end..other.start).all(|line| self.is_blank(line))
    }

    /// Returns the tokens of a byte range.
    pub fn tokens_in(&self, bytes: &Range<usize>) -> f64 {
        let first = self.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let lines = self.lines[first..].iter().take_while(|line| line.bytes.start < bytes.end);
        let part = lines.map(|line| {
            let part = bytes.end.min(line.bytes.end) - bytes.start.max(line.bytes.start);
            line.tokens * part as f64 / line.bytes.len() as f64
        });
        part.sum()
    }
}
