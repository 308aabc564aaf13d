//! Plain text, and every type without a splitter: paragraphs separated by blank lines.
//!
//! Its twin in SQL is `sql/edition/split/blocks.sql`.

use super::blocks::{Block, Blocks, Form, Sections};
use crate::interrupt;
use crate::links::Links;

/// Finds the paragraphs; all of them are in the root section.
pub(super) fn blocks(text: &str) -> Blocks {
    let mut blocks = Vec::new();
    // The first paragraph includes the blank lines before it; every other one begins after some.
    let mut parted = !text.is_empty();
    let mut begun = false;
    let mut start = 0;
    for line in lines(text) {
        let blank = line.trim().is_empty();
        if !blank && parted {
            blocks.push(Block {
                start: if begun { start } else { 0 },
                section: 0,
                level: 0,
                form: Form::Body,
            });
            begun = true;
        }
        parted = blank || !begun;
        start += line.len();
    }
    if !begun && !text.is_empty() {
        blocks.push(Block { start: 0, section: 0, level: 0, form: Form::Body });
    }
    Blocks {
        list: blocks,
        sections: Sections::new(),
        items: Vec::new(),
        headers: Vec::new(),
        links: Links::default(),
    }
}

/// Returns the lines of a text with their ends: a line feed, a carriage return, or both.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        interrupt::poll();
        let end = match memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
            Some(end) if rest[end..].starts_with("\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<usize> {
        blocks(text).list.iter().map(|block| block.start).collect()
    }

    #[test]
    fn paragraphs_begin_after_blank_lines() {
        assert_eq!(starts("one\ntwo\n\nthree\n"), [0, 9]);
        assert_eq!(starts("one\r\n \t\r\ntwo"), [0, 9]);
        assert_eq!(starts("one\r\rtwo"), [0, 5]);
    }

    #[test]
    fn leading_blank_lines_belong_to_the_first_paragraph() {
        assert_eq!(starts("\n\n  one\n\ntwo"), [0, 9]);
        assert_eq!(starts(" \n\n"), [0]);
        assert_eq!(starts(""), [0; 0]);
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let lines: Vec<&str> = lines("a\r\nb\rc\n\nd").collect();
        assert_eq!(lines, ["a\r\n", "b\r", "c\n", "\n", "d"]);
    }
}
