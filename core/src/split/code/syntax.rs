/*!
Syntax trees, at a bounded cost.

What is not of the language at all may cost a parser the square of its length, or more, in time or in
memory. Three things are counted, and the document is taken for plain text if there are too many:
the parser's steps and the bytes that it reads, which a few kinds of garbage make it read again and
again, in proportion to the document; and the brackets and operators that are open at once, since at
the end of a text some grammars keep every reading of what was never closed (20 KB of `a<` take a
gigabyte as Java). They are counts and no clock, so that the same document is always split the same. A document
with a NUL byte is no source code.
*/

use super::{language::Language, lines};
use crate::{SyntaxError, interrupt};
use std::{
    cell::{Cell, RefCell},
    ops::ControlFlow,
};
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

thread_local! {
    /// Kept, because a parser's memory is worth reusing from document to document.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The bytes for each hundred steps of the parser. Real code has no fewer than 35 (3,000 files of
/// ten languages), most of it 300.
const BYTES_A_REPORT: usize = 8;

/// After so many reports the parser stops, and goes on where it was. C code must not unwind, so the
/// caller cannot be asked within.
const REPORTS_A_POLL: usize = 500;

/// How many bytes are handed to the parser at once, and how often it may read each. It reads what
/// it has in hand for free, so real code is read little more than once.
const BLOCK: usize = 1 << 14;
const READINGS: usize = 40;

/// What is granted to any document on top, so that small ones need no proportion.
const FREE_BYTES: usize = 1 << 16;

/// How many brackets may be open at once, how many angle brackets within a statement, and how many
/// signs of operators may follow each other with nothing but words between.
const MOST_BRACKETS: usize = 2_000;
const MOST_ANGLES: usize = 500;
const MOST_OPERATORS: usize = 1_000;

/// Returns the syntax tree of a text.
///
/// # Errors
///
/// Returns the place where the parser was when it gave up.
pub(super) fn tree(text: &str, language: &Language) -> Result<Tree, SyntaxError> {
    let bytes = text.as_bytes();
    if let Some(place) = memchr::memchr(0, bytes).or_else(|| too_deep(bytes)) {
        return Err(error_at(text, place));
    }
    let granted = bytes.len() + FREE_BYTES;
    let reports = Cell::new(granted / BYTES_A_REPORT);
    let mut readable = granted * READINGS;
    let mut place = 0;
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&(language.grammar)()).expect("the grammars are of this version");
        let mut read = |at: usize, _: Point| {
            let block = bytes.get(at..bytes.len().min(at + BLOCK)).unwrap_or_default();
            // What ends too soon is read to its end at once; the tree of it is thrown away.
            let left = readable.checked_sub(block.len());
            readable = left.unwrap_or(0);
            if left.is_some() { block } else { &[] }
        };
        let mut report = |state: &ParseState| {
            place = state.current_byte_offset();
            reports.set(reports.get().saturating_sub(1));
            let stops = reports.get().is_multiple_of(REPORTS_A_POLL);
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // An unwinding may have left a parse half done.
        parser.reset();
        loop {
            let options = ParseOptions::new().progress_callback(&mut report);
            let tree = parser.parse_with_options(&mut read, None, Some(options));
            if tree.is_some() || reports.get() == 0 {
                return tree;
            }
            interrupt::poll();
        }
    });
    tree.filter(|_| readable > 0).ok_or_else(|| error_at(text, place))
}

/// Looks for the place where too many brackets are open, strings and characters aside.
fn too_deep(bytes: &[u8]) -> Option<usize> {
    let (mut brackets, mut angles, mut operators, mut at) = (0_usize, 0_usize, 0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        interrupt::poll_periodically(at);
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
            // Of types, not of numbers: those have a space before them.
            b'<' if at > 0 && matches!(bytes[at - 1], b'_' | b':' | b'0'..=b'9' | b'A'..=b'z') => {
                angles += 1;
            }
            b'>' => angles = angles.saturating_sub(1),
            b';' => angles = 0,
            b'"' => at = end_of_string(bytes, at),
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            _ => {}
        }
        if brackets > MOST_BRACKETS || angles > MOST_ANGLES || operators > MOST_OPERATORS {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns where a string ends that begins at a place, or the place if it does not on its line.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let marks = memchr::memchr3_iter(b'"', b'\\', b'\n', &bytes[start + 1..]);
    let mut escaped = None;
    for at in marks.map(|at| start + 1 + at) {
        match bytes[at] {
            _ if escaped == Some(at) => {}
            b'"' => return at,
            b'\\' => escaped = Some(at + 1),
            _ => return start,
        }
    }
    start
}

/// Returns a place in a text by line and column.
pub(super) fn error_at(text: &str, place: usize) -> SyntaxError {
    let before = &text.as_bytes()[..place.min(text.len())];
    SyntaxError { line: lines::count(before), column: lines::column(before) }
}
