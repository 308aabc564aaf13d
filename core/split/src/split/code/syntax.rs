/*!
Syntax trees: parses source code at a bounded cost.

Text in another language may cost a parser the square of its length, or more, in time or in memory.
So four counts are limited, and a document that exceeds one of them is split as plain text:

- the parser's steps, in proportion to the document;
- the bytes that the parser reads, in proportion to the document, because some garbage makes it read
  the same bytes again and again;
- the memory that the parser requests, because a server must not run out of it;
- the brackets and operators that are open at once, because some grammars keep every interpretation
  of unclosed ones (20 KB of `a<` need a gigabyte as Java).

These are counts and not times, so that a document is always split in the same way. A document with a
NUL byte is not source code.
*/

use super::language::Language;
use super::memory;
use crate::{SyntaxError, interrupt};
use std::{
    cell::{Cell, RefCell},
    ops::ControlFlow,
    panic,
};
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

/// The least number of bytes per report, that is, per hundred steps of the parser. Real code has at
/// least 35 (3,000 files of ten languages), and mostly 300.
const BYTES_A_REPORT: usize = 8;

/// The number of reports after which the parser stops for a poll and then resumes. C code must not
/// unwind, so it cannot poll inside.
const REPORTS_A_POLL: usize = 500;

/// The number of bytes that the parser gets at once.
const BLOCK: usize = 1 << 14;

/// The number of blocks after which the parser polls between two reports, such as in a comment of megabytes.
const BLOCKS_A_POLL: usize = 64;

/// The maximum number of times that the parser may read a byte, on average. Reading the current block
/// again does not count, so real code is read little more than once.
const READINGS: usize = 40;

/// The number of bytes that is added to the size of each document, so that small ones have no limit.
const FREE_BYTES: usize = 1 << 16;

/// The maximum number of bytes that the parser requests for a document. Code requests 35 to 105 times its
/// size, so a document has 1.2 to 3.8 MB. A tree is freed without a poll, which takes a second for a gigabyte.
const MAX_MEMORY: usize = 1 << 27;

/// The maximum number of open brackets.
const MAX_BRACKETS: usize = 2_000;

/// The maximum number of open angle brackets within a statement.
const MAX_ANGLES: usize = 500;

/// The maximum number of operator characters in a row with only words between.
const MAX_OPERATORS: usize = 1_000;

/// Returns the syntax tree of a text. An earlier tree of a similar text, with its edits, makes it faster.
///
/// # Errors
///
/// Returns the offset at which the parser stopped.
pub(super) fn tree(
    text: &str,
    language: &Language,
    earlier: Option<&Tree>,
) -> Result<Tree, SyntaxError> {
    let bytes = text.as_bytes();
    if let Some(offset) = memchr::memchr(0, bytes).or_else(|| too_deep(bytes)) {
        return Err(error_at(text, offset));
    }
    let granted = bytes.len() + FREE_BYTES;
    let reports = Cell::new(granted / BYTES_A_REPORT);
    let mut readable = granted * READINGS;
    let (mut offset, mut blocks) = (0, 0);
    let stopped = RefCell::new(None);
    memory::count();
    let before = memory::requested();
    // A parser that is used again requests less memory, so the limit would depend on earlier documents.
    let mut parser = Parser::new();
    parser.set_language(&(language.grammar)()).expect("the grammar has a supported version");
    let mut read = |at: usize, _: Point| {
        let block = bytes.get(at..bytes.len().min(at + BLOCK)).unwrap_or_default();
        blocks += 1;
        if stopped.borrow().is_none() && blocks % BLOCKS_A_POLL == 0 {
            stopped.replace(panic::catch_unwind(interrupt::poll).err());
        }
        // An empty block ends the text early. The parser finishes, and its tree is discarded.
        let left = readable.checked_sub(block.len()).filter(|_| stopped.borrow().is_none());
        readable = left.unwrap_or(0);
        if left.is_some() { block } else { &[] }
    };
    let mut report = |state: &ParseState| {
        offset = state.current_byte_offset();
        let is_full = memory::requested().wrapping_sub(before) > MAX_MEMORY;
        reports.set(if is_full { 0 } else { reports.get().saturating_sub(1) });
        let stops = reports.get().is_multiple_of(REPORTS_A_POLL);
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let tree = loop {
        let options = ParseOptions::new().progress_callback(&mut report);
        let tree = parser.parse_with_options(&mut read, earlier, Some(options));
        if let Some(panic) = stopped.take() {
            panic::resume_unwind(panic);
        }
        if tree.is_some() || reports.get() == 0 {
            break tree;
        }
        interrupt::poll();
    };
    tree.filter(|_| readable > 0).ok_or_else(|| error_at(text, offset))
}

/// Returns the offset at which too many brackets are open, ignoring strings and characters.
fn too_deep(bytes: &[u8]) -> Option<usize> {
    let (mut brackets, mut angles, mut operators, mut at) = (0_usize, 0_usize, 0_usize, 0);
    // A line of quotes without an end would be read once for each of them.
    let mut unclosed_before = 0;
    while let Some(byte) = bytes.get(at) {
        interrupt::poll_periodically(at);
        // Most bytes are in words and blanks.
        if byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_') {
            at += 1;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' | b')' | b']' | b'}' | b';' | b',' | b'"' | b'\n' => operators = 0,
            b'<' | b'>' | b'=' | b'?' | b':' | b'&' | b'|' | b'!' | b'@' | b'%' | b'^' | b'~' => {
                operators += 1;
            }
            _ => {}
        }
        match byte {
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            // Of types; a less-than sign mostly follows a space.
            b'<' if at > 0 && matches!(bytes[at - 1], b'_' | b':' | b'0'..=b'9' | b'A'..=b'z') => {
                angles += 1;
            }
            b'>' => angles = angles.saturating_sub(1),
            b';' => angles = 0,
            b'"' if at >= unclosed_before => match end_of_string(bytes, at) {
                Ok(end) => at = end,
                Err(line) => unclosed_before = line,
            },
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            _ => {}
        }
        if brackets > MAX_BRACKETS || angles > MAX_ANGLES || operators > MAX_OPERATORS {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the end of the string at an offset, or the end of its line as an error if it does not end on it.
fn end_of_string(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let marks = memchr::memchr3_iter(b'"', b'\\', b'\n', &bytes[start + 1..]);
    let mut escaped = None;
    for at in marks.map(|at| start + 1 + at) {
        match bytes[at] {
            _ if escaped == Some(at) => {}
            b'"' => return Ok(at),
            b'\\' => escaped = Some(at + 1),
            _ => return Err(at),
        }
    }
    Err(bytes.len())
}

/// Returns the line and column of an offset, which may be after the end of the text.
pub(super) fn error_at(text: &str, offset: usize) -> SyntaxError {
    SyntaxError::at(text, offset.min(text.len()))
}
