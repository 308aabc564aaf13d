/*!
Fenced blocks: code between two fences, which is useless in halves.

A text run may begin inside a block, and a bare fence looks the same at both ends. So the scan tries both
assumptions and keeps the one with fewer contradictions. Certain evidence is: a document begins outside, a section
that begins with its heading does too, and a fence with a language opens a block.

Its twin in SQL is `sql/edition/fragments/lines.sql`.
*/

use super::text_run::{SourceChunk, TextRun};
use crate::fence::Fence;
use std::ops::Range;

/// A fence and its line.
#[derive(Clone, Copy)]
struct FenceLine {
    line: usize,
    fence: Fence,
}

/// Returns the line range of each fenced block, including its fences. A block that is not read completely
/// ends with the text run.
pub(super) fn blocks(text_run: &TextRun, pieces: &[SourceChunk]) -> Vec<Range<usize>> {
    let fences: Vec<_> = (0..text_run.lines.len())
        .filter_map(|line| fence_line(text_run.line(line), line))
        .collect();
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

/// Returns the lines that are certainly outside of blocks: the first of the document, and headings that
/// begin a section.
fn outside(text_run: &TextRun, pieces: &[SourceChunk]) -> Vec<usize> {
    let begins = |index: usize, bytes: &Range<usize>| {
        let piece = &pieces[index];
        let first =
            piece.ordinal == Some(0) || piece.span.as_ref().is_some_and(|span| span.start == 0);
        let before = index.checked_sub(1).map(|before| &pieces[before]);
        let other = bytes.start > 0
            && before
                .is_some_and(|before| before.section.is_some() && before.section != piece.section);
        first || other && text_run.text[bytes.clone()].starts_with('#')
    };
    let line = |start: usize| text_run.lines.partition_point(|line| line.bytes.start < start);
    let chunks = text_run.chunks.iter().filter(|(index, bytes)| begins(*index, bytes));
    chunks.map(|(_, bytes)| line(bytes.start)).collect()
}

/// Parses a line as a fence.
fn fence_line(text: &str, line: usize) -> Option<FenceLine> {
    Some(FenceLine { line, fence: Fence::parse(text)? })
}

/// The blocks of a text run under one assumption about its beginning.
struct FenceScan {
    blocks: Vec<Range<usize>>,
    contradictions: usize,
}

impl FenceScan {
    fn new(fences: &[FenceLine], outside: &[usize], lines: usize, inside: bool) -> Self {
        let mut scan = Self { blocks: Vec::new(), contradictions: 0 };
        let mut outside = outside.iter().copied().peekable();
        // The opening fence and the first line of the open block.
        let mut open: Option<(Option<Fence>, usize)> = inside.then_some((None, 0));
        for FenceLine { line: at, fence } in fences {
            while let Some(line) = outside.next_if(|line| line <= at) {
                if let Some((_, start)) = open.take() {
                    scan.contradictions += 1;
                    scan.blocks.push(start..line);
                }
            }
            match open {
                None => open = Some((Some(*fence), *at)),
                Some((opening, start)) => {
                    let closes =
                        opening.map_or(!fence.named, |opening| opening.is_closed_by(*fence));
                    if closes {
                        scan.blocks.push(start..at + 1);
                        open = None;
                    } else if fence.named {
                        // This is valid, but in practice such a fence opens a block.
                        scan.contradictions += 1;
                    }
                }
            }
        }
        if let Some((_, start)) = open {
            let line = outside.next();
            scan.contradictions += usize::from(line.is_some());
            scan.blocks.push(start..line.unwrap_or(lines));
        }
        scan.blocks.retain(|block| !block.is_empty());
        scan
    }
}

#[cfg(test)]
mod tests {
    use super::super::build_text_runs::text_runs;
    use super::*;

    /// Returns the blocks of chunks, given as ordinal, section key and content.
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
    fn a_text_run_may_begin_inside_a_block() {
        // A fence that can only open proves it.
        assert_eq!(fenced(&[(5, 0, "a\n```\nb\n```sh\nc\n```\n")]), [0..2, 3..6]);
        // A section that begins behind it proves it.
        assert_eq!(
            fenced(&[(5, 0, "a\n```\nb\n"), (6, 1, "# B\n")]),
            [std::ops::Range { start: 0, end: 2 }]
        );
        // Within a section, a comment that looks like a heading proves nothing.
        assert_eq!(
            fenced(&[(5, 0, "```\na\n"), (6, 0, "# b\n```\n"), (7, 1, "# C\n")]),
            [std::ops::Range { start: 0, end: 4 }]
        );
        // Without evidence the text run begins outside.
        assert_eq!(fenced(&[(5, 0, "a\n```\nb\n")]), [std::ops::Range { start: 1, end: 3 }]);
    }

    #[test]
    fn an_unclosed_block_ends_with_the_text_run() {
        assert_eq!(fenced(&[(0, 0, "a\n```\nb\nc\n")]), [std::ops::Range { start: 1, end: 4 }]);
    }
}
