//! Whole lines of a document, cut out of its chunks.

use crate::store::DocumentChunk;

/// The maximum number of chunks that a request reads.
pub(super) const MAX_CHUNKS: u32 = 2_000;

/// Adjacent lines of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// The text, with the line breaks of the document.
    pub(super) content: String,
    /// The first line, from 1; 0 if there are no lines.
    pub(super) first_line: i64,
    /// The last line.
    pub(super) last_line: i64,
    /// The number of tokens, from the tokens of the chunks in proportion to their bytes.
    pub(super) tokens: i64,
    /// Whether lines after the last one were left out because of the limit.
    pub(super) is_cut: bool,
}

impl Lines {
    /// Cuts the lines `first` to `last` out of chunks that contain them, and keeps as many as have at most
    /// `max_tokens` tokens, but at least one line.
    pub(super) fn of(chunks: &[DocumentChunk], first: i32, last: i32, max_tokens: u32) -> Self {
        let (first, last) = (i64::from(first), i64::from(last));
        let mut lines = Self::default();
        let (mut line, mut tokens) = (None, 0.0);
        // A line that two chunks share is complete only with the second one.
        let mut pending = (String::new(), 0.0);
        'chunks: for chunk in chunks {
            let mut number = line.unwrap_or_else(|| chunk.first_line.unwrap_or(1));
            let per_byte = chunk.tokens.unwrap_or(0) as f64 / chunk.content.len().max(1) as f64;
            for part in chunk.content.split_inclusive('\n') {
                if number > last {
                    break 'chunks;
                }
                if number >= first {
                    pending.0.push_str(part);
                    pending.1 += part.len() as f64 * per_byte;
                }
                if part.ends_with('\n') {
                    if number >= first && !lines.add(&mut pending, number, &mut tokens, max_tokens)
                    {
                        break 'chunks;
                    }
                    number += 1;
                }
            }
            line = Some(number);
        }
        if let Some(number) =
            line.filter(|number| !pending.0.is_empty() && (first..=last).contains(number))
        {
            lines.add(&mut pending, number, &mut tokens, max_tokens);
        }
        lines.tokens = tokens.round() as i64;
        lines
    }

    /// Adds a line; returns false and marks the lines as cut if it exceeds the limit.
    fn add(
        &mut self,
        pending: &mut (String, f64),
        number: i64,
        tokens: &mut f64,
        max_tokens: u32,
    ) -> bool {
        let (text, more) = std::mem::take(pending);
        if self.first_line > 0 && *tokens + more > f64::from(max_tokens) {
            self.is_cut = true;
            return false;
        }
        if self.first_line == 0 {
            self.first_line = number;
        }
        *tokens += more;
        self.last_line = number;
        self.content.push_str(&text);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn chunk(first_line: i64, content: &str) -> DocumentChunk {
        DocumentChunk {
            id: Uuid::nil(),
            ordinal: 0,
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
    fn lines_end_before_the_limit_of_tokens_but_with_at_least_one_line() {
        let chunks = [chunk(1, "aaaa\nbbbb\n"), chunk(3, "cccc\n")];
        let lines = Lines::of(&chunks, 1, 3, 12);
        assert_eq!(
            (lines.content.as_str(), lines.last_line, lines.is_cut),
            ("aaaa\nbbbb\n", 2, true)
        );
        let lines = Lines::of(&chunks, 1, 3, 1);
        assert_eq!((lines.content.as_str(), lines.last_line, lines.is_cut), ("aaaa\n", 1, true));
        assert!(!Lines::of(&chunks, 1, 3, 15).is_cut);
    }
}
