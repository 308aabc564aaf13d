/*!
Stretches: chunks that touch, as one text of lines.

Chunks begin where they were cut, which may be in the middle of a line, and only their neighbours
hold the rest of it. So neighbours are read along with what was found, and those whose spans touch
are put together. Line numbers are those that the store has for the chunk a line begins in. A chunk
without a span is a stretch by itself, for nothing is known of what is beside it.
*/

use std::borrow::Cow;
use std::ops::Range;

/// A chunk as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceChunk<'a> {
    /// Which document it belongs to.
    pub document: usize,
    /// Its position in the document.
    pub ordinal: Option<i32>,
    /// Its text.
    pub content: Cow<'a, str>,
    /// The bytes of the source that it holds.
    pub span: Option<Range<i32>>,
    /// The line that it begins in, from 1.
    pub first_line: Option<i32>,
    /// The size of its text.
    pub tokens: u32,
    /// Something that tells its section from others.
    pub section: Option<i64>,
    /// Whether the source goes on before it and after it in chunks that were not read.
    pub continues: [bool; 2],
}

/// Chunks that touch.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    /// Which document they belong to.
    pub document: usize,
    /// Their text.
    pub text: String,
    /// The lines of the text; none is empty, for each has at least its end.
    pub lines: Vec<TextLine>,
    /// The chunks, by their places among the pieces, and where in the text each stands.
    pub chunks: Vec<(usize, Range<usize>)>,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// Where it stands in the text, its end included.
    pub bytes: Range<usize>,
    /// Its number in the source.
    pub number: Option<i32>,
    /// Its share of the tokens of the chunks it stands in.
    pub tokens: f64,
    /// Whether all of it was read.
    pub is_complete: bool,
    /// The lines of the fenced block that it belongs to, or itself.
    pub block: Range<usize>,
}

impl TextRun {
    /// Returns the text of a line without its end.
    pub fn line(&self, line: usize) -> &str {
        self.text[self.lines[line].bytes.clone()].trim_end_matches(['\n', '\r'])
    }

    /// Returns the text of lines, without the end of the last one.
    pub fn text(&self, lines: Range<usize>) -> &str {
        if lines.is_empty() {
            return "";
        }
        let last = &self.lines[lines.end - 1].bytes;
        let end = last.start + self.line(lines.end - 1).len();
        &self.text[self.lines[lines.start].bytes.start..end]
    }

    /// Returns the tokens of lines.
    pub fn tokens(&self, lines: Range<usize>) -> f64 {
        self.lines[lines].iter().map(|line| line.tokens).sum()
    }

    /// Tells whether nothing stands in a line.
    pub fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    /// Returns the lines that bytes of the text touch, without blank ones at either end.
    pub fn lines_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.bytes.end <= bytes.start);
        let end = self.lines.partition_point(|line| line.bytes.start < bytes.end);
        self.trimmed(first..end.max(first))
    }

    /// Returns lines without blank ones at either end; none if there are no others.
    pub fn trimmed(&self, lines: Range<usize>) -> Range<usize> {
        let mut filled = lines.clone().filter(|line| !self.is_blank(*line));
        let Some(first) = filled.next() else { return lines.start..lines.start };
        first..filled.next_back().unwrap_or(first) + 1
    }

    /// Tells whether no more than blank lines lie between two runs of lines.
    pub fn are_adjacent(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
        (one.end..other.start).all(|line| self.is_blank(line))
    }

    /// Returns the tokens of some bytes of the text.
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
