/*!
Fenced blocks: code between two fences, which is worth nothing in halves.

What was read may begin inside a block whose opening stands further up, and a bare fence looks the
same at both ends. So both are tried, and what is certain decides: a document begins outside, and a
section that begins with its heading does; a fence that names a language opens a block.
*/

use super::text_run::{SourceChunk, TextRun};
use std::ops::Range;

/// A line that opens or closes a block.
#[derive(Clone, Copy)]
struct Fence {
    line: usize,
    mark: char,
    length: usize,
    /// Whether something stands behind it, so that it can only open.
    named: bool,
}

/// Returns the lines of each fenced block, fences included; where one of them was not read, as far
/// as it was.
pub(super) fn blocks(text_run: &TextRun, pieces: &[SourceChunk]) -> Vec<Range<usize>> {
    let fences: Vec<_> =
        (0..text_run.lines.len()).filter_map(|line| fence(text_run.line(line), line)).collect();
    let outside = outside(text_run, pieces);
    let from_outside = FenceScan::new(&fences, &outside, text_run.lines.len(), false);
    if outside.first() == Some(&0) || fences.is_empty() {
        return from_outside.blocks;
    }
    let from_inside = FenceScan::new(&fences, &outside, text_run.lines.len(), true);
    if from_inside.contradictions < from_outside.contradictions {
        from_inside.blocks
    } else {
        from_outside.blocks
    }
}

/// Returns the lines that certainly do not stand in a block: the first of the document, and headings
/// with which a section begins.
fn outside(text_run: &TextRun, pieces: &[SourceChunk]) -> Vec<usize> {
    let begins = |place: usize, bytes: &Range<usize>| {
        let piece = &pieces[place];
        let first =
            piece.ordinal == Some(0) || piece.span.as_ref().is_some_and(|span| span.start == 0);
        let before = place.checked_sub(1).map(|before| &pieces[before]);
        let other = bytes.start > 0
            && before
                .is_some_and(|before| before.section.is_some() && before.section != piece.section);
        first || other && text_run.text[bytes.clone()].starts_with('#')
    };
    let line = |start: usize| text_run.lines.partition_point(|line| line.bytes.start < start);
    let chunks = text_run.chunks.iter().filter(|(place, bytes)| begins(*place, bytes));
    chunks.map(|(_, bytes)| line(bytes.start)).collect()
}

/// Reads a line as a fence; it may be indented in a list or stand in a quote.
fn fence(text: &str, line: usize) -> Option<Fence> {
    let text = text.trim_start_matches([' ', '\t', '>']);
    let mark = text.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let rest = text.trim_start_matches(mark);
    let length = text.len() - rest.len();
    let rest = rest.trim();
    // Code within a line begins with backticks, too.
    let fence = length >= 3 && !(mark == '`' && rest.contains('`'));
    fence.then_some(Fence { line, mark, length, named: !rest.is_empty() })
}

/// The blocks of a stretch, if it begins as supposed.
struct FenceScan {
    blocks: Vec<Range<usize>>,
    contradictions: usize,
}

impl FenceScan {
    fn new(fences: &[Fence], outside: &[usize], lines: usize, inside: bool) -> Self {
        let mut reading = Self { blocks: Vec::new(), contradictions: 0 };
        let mut outside = outside.iter().copied().peekable();
        // What opened the block that is open, and the line that it begins in.
        let mut open: Option<(Option<Fence>, usize)> = inside.then_some((None, 0));
        for fence in fences {
            while let Some(line) = outside.next_if(|line| *line <= fence.line) {
                if let Some((_, start)) = open.take() {
                    reading.contradictions += 1;
                    reading.blocks.push(start..line);
                }
            }
            match open {
                None => open = Some((Some(*fence), fence.line)),
                Some((opening, start)) => {
                    let closes = !fence.named
                        && opening.is_none_or(|opening| {
                            opening.mark == fence.mark && opening.length <= fence.length
                        });
                    if closes {
                        reading.blocks.push(start..fence.line + 1);
                        open = None;
                    } else if fence.named {
                        // It is allowed, but nobody writes it where it is not meant to open.
                        reading.contradictions += 1;
                    }
                }
            }
        }
        if let Some((_, start)) = open {
            let line = outside.next();
            reading.contradictions += usize::from(line.is_some());
            reading.blocks.push(start..line.unwrap_or(lines));
        }
        reading.blocks.retain(|block| !block.is_empty());
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::super::build_text_runs::text_runs;
    use super::*;

    /// Each chunk with its ordinal and something that stands for its section.
    fn fenced(chunks: &[(i32, i64, &str)]) -> Vec<Range<usize>> {
        let mut at = 0;
        let pieces: Vec<_> = chunks
            .iter()
            .map(|(ordinal, section, content)| {
                let start = at;
                at += content.len() as i32;
                SourceChunk {
                    document: 0,
                    ordinal: Some(*ordinal),
                    content: (*content).into(),
                    span: Some(start + 100..at + 100),
                    first_line: None,
                    tokens: 1,
                    section: Some(*section),
                    continues: [false; 2],
                }
            })
            .collect();
        let text_run = &text_runs(&pieces, |_| false)[0];
        blocks(text_run, &pieces)
    }

    #[test]
    fn a_block_runs_from_fence_to_fence() {
        let text = "a\n```rust\n# b\n~~~\n```\nc\n  ~~~~\n~~~\n~~~~~ \nd\n";
        assert_eq!(fenced(&[(0, 0, text)]), [1..5, 6..9]);
        assert_eq!(
            fenced(&[(0, 0, "- a\n      ```\n      b\n      ```\n> ```\n> c\n> ```\n")]),
            [1..4, 4..7]
        );
        assert_eq!(
            fenced(&[(0, 0, "``` is `code`\n```\na\n")]),
            [std::ops::Range { start: 1, end: 3 }]
        );
        assert!(fenced(&[(0, 0, "plain\n")]).is_empty());
    }

    #[test]
    fn what_was_read_may_begin_inside_a_block() {
        // By a fence that can only open.
        assert_eq!(fenced(&[(5, 0, "a\n```\nb\n```sh\nc\n```\n")]), [0..2, 3..6]);
        // By a section that begins behind it.
        assert_eq!(
            fenced(&[(5, 0, "a\n```\nb\n"), (6, 1, "# B\n")]),
            [std::ops::Range { start: 0, end: 2 }]
        );
        // A comment that looks like a heading is none while the section goes on.
        assert_eq!(
            fenced(&[(5, 0, "```\na\n"), (6, 0, "# b\n```\n"), (7, 1, "# C\n")]),
            [std::ops::Range { start: 0, end: 4 }]
        );
        // Where nothing tells, it begins outside.
        assert_eq!(fenced(&[(5, 0, "a\n```\nb\n")]), [std::ops::Range { start: 1, end: 3 }]);
    }

    #[test]
    fn a_block_that_is_never_closed_ends_with_what_was_read() {
        assert_eq!(fenced(&[(0, 0, "a\n```\nb\nc\n")]), [std::ops::Range { start: 1, end: 4 }]);
    }
}
