//! Whole lines of a document, cut out of its chunks.

use passage_store::DocumentChunk;

/// The maximum number of chunks that a request reads.
pub(crate) const MAX_CHUNKS: u32 = 2_000;

/// Adjacent lines of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The text, with the line breaks of the document.
    pub(crate) content: String,
    /// The first line, from 1; 0 if there are no lines.
    pub(crate) first_line: i64,
    /// The last line.
    pub(crate) last_line: i64,
    /// The number of tokens, from the tokens of the chunks in proportion to their bytes.
    pub(crate) tokens: i64,
    /// The tokens of the line that is cut because it alone exceeds the limit.
    pub(crate) cut_line: Option<i64>,
    /// The first line that follows, if some were left out.
    pub(crate) next_line: Option<i64>,
}

impl Lines {
    /// Cuts the lines `first` to `last` out of chunks that contain them, and keeps as many as have at most
    /// `max_tokens` tokens, but at least a part of one line. They end before lines that no chunk has.
    pub(crate) fn of(chunks: &[DocumentChunk], first: i32, last: i32, max_tokens: u32) -> Self {
        let (first, last) = (i64::from(first), i64::from(last));
        let (mut lines, mut tokens, max_tokens) = (Self::default(), 0.0, f64::from(max_tokens));
        let requested = complete_lines(chunks).into_iter();
        for mut line in requested.filter(|line| (first..=last).contains(&line.number)) {
            if lines.first_line == 0 {
                lines.first_line = line.number;
                lines.cut_line = line.cut(max_tokens);
            } else if line.number > lines.last_line + 1 || tokens + line.tokens > max_tokens {
                lines.next_line = Some(line.number);
                break;
            }
            tokens += line.tokens;
            lines.last_line = line.number;
            lines.content.push_str(&line.text);
        }
        lines.tokens = tokens.round() as i64;
        if chunks.len() == MAX_CHUNKS as usize && lines.last_line < last {
            lines.next_line = lines.next_line.or(Some(lines.last_line + 1));
        }
        lines
    }
}

/// A line with its line break.
struct Line {
    number: i64,
    text: String,
    tokens: f64,
}

impl Line {
    /// Shortens the line to a number of tokens, and returns how many it had if it was longer.
    fn cut(&mut self, max_tokens: f64) -> Option<i64> {
        if self.tokens <= max_tokens {
            return None;
        }
        let tokens = self.tokens;
        let bytes = prefix(&self.text, self.text.len() as f64 * max_tokens / tokens).len();
        self.text.truncate(bytes);
        self.tokens = max_tokens;
        Some(tokens.ceil() as i64)
    }
}

/// Returns the beginning of a text with at most a number of bytes, but at least one character.
pub(crate) fn prefix(text: &str, bytes: f64) -> &str {
    let one = text.chars().next().map_or(0, char::len_utf8);
    &text[..text.floor_char_boundary((bytes as usize).max(one))]
}

/// Joins the parts of lines that chunks share.
fn complete_lines(chunks: &[DocumentChunk]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut number, mut continues) = (1, false);
    for chunk in chunks {
        // The chunks between may be missing, or not visible to the role.
        if let Some(first) = chunk.first_line.filter(|first| *first > number) {
            (number, continues) = (first, false);
        }
        let bytes = chunk.content.len().max(1) as f64;
        // The extension estimates unknown tokens in the same way.
        let estimate = || chunk.content.chars().count().div_ceil(4) as i64;
        let per_byte = chunk.tokens.unwrap_or_else(estimate) as f64 / bytes;
        for part in chunk.content.split_inclusive('\n') {
            let tokens = part.len() as f64 * per_byte;
            match lines.last_mut().filter(|_| continues) {
                Some(line) => {
                    line.text.push_str(part);
                    line.tokens += tokens;
                }
                None => lines.push(Line { number, text: part.to_owned(), tokens }),
            }
            continues = !part.ends_with('\n');
            number += i64::from(!continues);
        }
    }
    // The rest of the last line may be in a chunk that was not read.
    if continues && chunks.len() == MAX_CHUNKS as usize && lines.len() > 1 {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn chunk(first_line: i64, content: &str) -> DocumentChunk {
        DocumentChunk {
            id: Uuid::nil(),
            ordinal: None,
            section: Vec::new(),
            level: None,
            kind: None,
            unit: None,
            tokens: Some(content.len() as i64),
            first_line: Some(first_line),
            last_line: None,
            content: content.into(),
        }
    }

    #[test]
    fn lines_are_cut_out_of_chunks_that_end_within_a_line() {
        let chunks = [chunk(3, "three\nfo"), chunk(4, "ur\nfive\n"), chunk(6, "six")];
        let lines = |first, last| Lines::of(&chunks, first, last, 1_000);
        assert_eq!(lines(4, 5).content, "four\nfive\n");
        assert_eq!((lines(4, 5).first_line, lines(4, 5).last_line, lines(4, 5).tokens), (4, 5, 10));
        assert_eq!(lines(1, 9).content, "three\nfour\nfive\nsix");
        assert_eq!(lines(6, 6).content, "six");
        assert_eq!(lines(7, 9), Lines::default());
    }

    #[test]
    fn lines_end_before_the_limit_of_tokens() {
        let chunks = [chunk(1, "aaaa\nbbbb\n"), chunk(3, "cccc\n")];
        let lines = Lines::of(&chunks, 1, 3, 12);
        assert_eq!(
            (lines.content.as_str(), lines.last_line, lines.next_line),
            ("aaaa\nbbbb\n", 2, Some(3))
        );
        assert_eq!(Lines::of(&chunks, 1, 3, 15).next_line, None);
    }

    #[test]
    fn a_line_longer_than_the_limit_is_cut() {
        let lines = Lines::of(&[chunk(1, "aäaaaaaa\nb\n")], 1, 2, 2);
        assert_eq!((lines.content.as_str(), lines.last_line, lines.tokens), ("a", 1, 2));
        assert_eq!((lines.cut_line, lines.next_line), (Some(10), Some(2)));
    }

    #[test]
    fn tokens_are_estimated_if_the_store_has_none() {
        let with_content = |content: &str| DocumentChunk { tokens: None, ..chunk(1, content) };
        let lines = Lines::of(&[with_content("aaaaaaa\nbbbbbbb\n")], 1, 2, 3);
        assert_eq!((lines.content.as_str(), lines.tokens), ("aaaaaaa\n", 2));
    }

    #[test]
    fn lines_end_before_a_gap_and_the_numbers_after_it_are_those_of_the_document() {
        let chunks = [chunk(1, "one\ntw"), chunk(7, "seven\n")];
        let lines = Lines::of(&chunks, 1, 9, 1_000);
        assert_eq!((lines.content.as_str(), lines.last_line), ("one\ntw", 2));
        assert_eq!(lines.next_line, Some(7));
        let lines = Lines::of(&chunks, 3, 9, 1_000);
        assert_eq!((lines.content.as_str(), lines.first_line), ("seven\n", 7));
    }
}
