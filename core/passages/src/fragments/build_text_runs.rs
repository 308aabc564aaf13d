//! Building text runs: chunks whose spans touch become one text of lines.
//!
//! Its twin in SQL is `sql/edition/fragments/lines.sql`.

use super::fences;
use super::text_run::{SourceChunk, TextLine, TextRun};
use passage_split::interrupt;
use std::ops::Range;

/// Joins chunks in document order to text runs.
///
/// `fenced` returns whether a document has fenced blocks.
///
/// ```
/// use passage_core::fragments::{SourceChunk, text_runs};
///
/// let chunk = |ordinal, content: &'static str, start| SourceChunk {
///     document: 0, ordinal: Some(ordinal), content: content.into(), span: Some(start..start + 4),
///     first_line: Some(1), tokens: 1, section: None, continues: [false; 2],
/// };
/// let runs = text_runs(&[chunk(0, "One ", 0), chunk(1, "two\n", 4)], |_| false);
/// assert_eq!((runs.len(), runs[0].line(0)), (1, "One two"));
/// ```
pub fn text_runs(pieces: &[SourceChunk], fenced: impl Fn(usize) -> bool) -> Vec<TextRun> {
    let mut text_runs: Vec<TextRun> = Vec::new();
    let mut end = None;
    for (index, piece) in pieces.iter().enumerate() {
        let shared = shared(index.checked_sub(1).map(|before| &pieces[before]), piece, end);
        let content = &piece.content[shared.unwrap_or(0)..];
        let chunks = if let (Some(_), Some(last)) = (shared, text_runs.last_mut()) {
            last.text.push_str(content);
            let bytes = last.text.len() - content.len()..last.text.len();
            last.chunks.push((index, bytes));
            end = end.max(piece.span.as_ref().map(|span| span.end));
            continue;
        } else {
            vec![(index, 0..content.len())]
        };
        end = known(piece).map(|span| span.end);
        let document = piece.document;
        text_runs.push(TextRun { document, text: content.to_owned(), lines: Vec::new(), chunks });
    }
    for text_run in &mut text_runs {
        text_run.lines = lines(&text_run.text, &text_run.chunks, pieces);
        if fenced(text_run.document) {
            for block in fences::blocks(text_run, pieces) {
                text_run.lines[block.clone()]
                    .iter_mut()
                    .for_each(|line| line.block = block.clone());
            }
        }
    }
    text_runs
}

/// Returns the span of a chunk if it fits its content.
fn known<'p>(piece: &'p SourceChunk) -> Option<&'p Range<i32>> {
    piece.span.as_ref().filter(|span| {
        usize::try_from(span.end.saturating_sub(span.start)) == Ok(piece.content.len())
    })
}

/// Returns how many bytes of a chunk the previous text run already has, or `None` if they do not touch.
fn shared(before: Option<&SourceChunk>, piece: &SourceChunk, end: Option<i32>) -> Option<usize> {
    let (end, span) = (end?, known(piece)?);
    let begun = before.is_some_and(|before| before.document == piece.document);
    let shared = usize::try_from(end.min(span.end).checked_sub(span.start)?).ok()?;
    (begun && span.start <= end && piece.content.is_char_boundary(shared)).then_some(shared)
}

fn lines(text: &str, chunks: &[(usize, Range<usize>)], pieces: &[SourceChunk]) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut chunk = 0;
    let mut start = 0;
    while start < text.len() {
        interrupt::poll_periodically(lines.len());
        let end = line_end(text, start);
        while chunks[chunk].1.end <= start {
            chunk += 1;
        }
        let (index, bytes) = &chunks[chunk];
        let before = lines.last().and_then(|line| line.number);
        // An overlapping chunk does not begin its first line.
        let begins = bytes.start == start && bytes.len() == pieces[*index].content.len();
        let number = if begins { pieces[*index].first_line } else { None };
        let mut tokens = 0.0;
        for (index, bytes) in chunks[chunk..].iter().take_while(|(_, bytes)| bytes.start < end) {
            let piece = &pieces[*index];
            let part = bytes.end.min(end) - bytes.start.max(start);
            tokens += part as f64 * f64::from(piece.tokens) / piece.content.len().max(1) as f64;
        }
        lines.push(TextLine {
            bytes: start..end,
            number: number.or_else(|| before.and_then(|before| before.checked_add(1))),
            tokens,
            is_complete: true,
            block: lines.len()..lines.len() + 1,
        });
        start = end;
    }
    let [before, _] = chunks.first().map_or([false; 2], |(index, _)| pieces[*index].continues);
    let [_, after] = chunks.last().map_or([false; 2], |(index, _)| pieces[*index].continues);
    if let Some(first) = lines.first_mut() {
        first.is_complete &= !before;
    }
    if let Some(last) = lines.last_mut() {
        last.is_complete &= !after || text.ends_with(['\n', '\r']);
    }
    lines
}

/// Returns the end of the line that begins at `start`. A lone carriage return ends a line too.
fn line_end(text: &str, start: usize) -> usize {
    let bytes = &text.as_bytes()[start..];
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(at) if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') => start + at + 2,
        Some(at) => start + at + 1,
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(content: &str, start: i32, line: i32) -> SourceChunk<'_> {
        SourceChunk {
            document: 0,
            ordinal: Some(0),
            content: content.into(),
            span: Some(start..start + content.len() as i32),
            first_line: Some(line),
            tokens: content.len() as u32,
            section: None,
            continues: [false; 2],
        }
    }

    fn numbered(text_run: &TextRun) -> Vec<(Option<i32>, &str)> {
        (0..text_run.lines.len())
            .map(|line| (text_run.lines[line].number, text_run.line(line)))
            .collect()
    }

    #[test]
    fn a_line_across_two_chunks_is_joined() {
        let pieces = [piece("one\ntw", 10, 7), piece("o\nthr", 16, 8), piece("ee\r\n", 21, 9)];
        let text_runs = text_runs(&pieces, |_| false);
        assert_eq!(text_runs.len(), 1);
        assert_eq!(
            numbered(&text_runs[0]),
            [(Some(7), "one"), (Some(8), "two"), (Some(9), "three")]
        );
        assert_eq!(text_runs[0].lines_of(&(6..8)), 1..2);
        assert_eq!(text_runs[0].text(0..3), "one\ntwo\nthree");
        assert!((text_runs[0].tokens(0..3) - 15.0).abs() < 1e-9);
    }

    #[test]
    fn lines_at_the_ends_of_a_text_run_may_be_incomplete() {
        let mut pieces = [piece("a\nb\nc", 10, 7)];
        pieces[0].continues = [true, true];
        let whole = |pieces: &[SourceChunk]| -> Vec<bool> {
            text_runs(pieces, |_| false)[0].lines.iter().map(|line| line.is_complete).collect()
        };
        assert_eq!(whole(&pieces), [false, true, false]);
        pieces[0].content = "a\nb\n\n".into();
        assert_eq!(whole(&pieces), [false, true, true]);
    }

    #[test]
    fn separate_chunks_stay_apart_and_overlaps_appear_once() {
        let mut pieces = [piece("abc\n", 0, 1), piece("c\nd\n", 2, 1), piece("f\n", 9, 5)];
        let texts = |pieces: &[SourceChunk]| -> Vec<String> {
            text_runs(pieces, |_| false).into_iter().map(|text_run| text_run.text).collect()
        };
        assert_eq!(texts(&pieces), ["abc\nd\n", "f\n"]);
        let all = text_runs(&pieces, |_| false);
        assert_eq!(numbered(&all[0]), [(Some(1), "abc"), (Some(2), "d")]);
        assert_eq!(numbered(&all[1]), [(Some(5), "f")]);
        pieces[1].document = 1;
        assert_eq!(texts(&pieces), ["abc\n", "c\nd\n", "f\n"]);
        pieces[1].document = 0;
        pieces[0].span = None;
        assert_eq!(texts(&pieces), ["abc\n", "c\nd\n", "f\n"]);
    }
}
