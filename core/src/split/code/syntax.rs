/*!
Syntax trees, at a bounded cost.

What is not of the language at all may cost a parser the square of its length, or more, in time or in
memory. Three things are counted, and the document is taken for plain text if there are too many:
the parser's steps and the bytes that it reads, which a few kinds of garbage make it read again and
again, in proportion to the document; and brackets like `a<a<a<` that open and never close, of which
some grammars keep every reading. They are counts and no clock, so that the same document is always
split the same. A document with a NUL byte is no source code.
*/

use super::{language::Language, lines};
use crate::SyntaxError;
use std::{cell::RefCell, ops::ControlFlow};
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

thread_local! {
    /// Kept, because a parser's memory is worth reusing from document to document.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The bytes for each hundred steps of the parser. Real code has no fewer than 35 (3,000 files of
/// ten languages), most of it 300.
const BYTES_A_REPORT: usize = 8;

/// How many bytes are handed to the parser at once, and how often it may read each. It reads what
/// it has in hand for free, so real code is read little more than once.
const BLOCK: usize = 1 << 14;
const READINGS: usize = 40;

/// What is granted to any document on top, so that small ones need no proportion.
const FREE_BYTES: usize = 1 << 16;

/// How many angle brackets may be open at once within a statement.
const MOST_ANGLES: usize = 500;

/// Returns the syntax tree of a text.
///
/// # Errors
///
/// Returns the place where the parser was when it gave up.
pub(super) fn tree(text: &str, language: &Language) -> Result<Tree, SyntaxError> {
    let bytes = text.as_bytes();
    if let Some(place) = memchr::memchr(0, bytes).or_else(|| too_many_angles(bytes)) {
        return Err(error_at(text, place));
    }
    let granted = bytes.len() + FREE_BYTES;
    let mut reports = granted / BYTES_A_REPORT;
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
            reports = reports.saturating_sub(1);
            if reports == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut report);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    });
    tree.filter(|_| readable > 0).ok_or_else(|| error_at(text, place))
}

/// Looks for angle brackets that open like those of types and do not close before the statement
/// ends.
fn too_many_angles(bytes: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    memchr::memchr3_iter(b'<', b'>', b';', bytes).find(|at| {
        match bytes[*at] {
            b'<' => {
                let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
                open += usize::from(before.is_ascii_alphanumeric() || before == b'_');
            }
            b'>' => open = open.saturating_sub(1),
            _ => open = 0,
        }
        open > MOST_ANGLES
    })
}

/// Returns a place in a text by line and column.
pub(super) fn error_at(text: &str, place: usize) -> SyntaxError {
    let before = &text.as_bytes()[..place.min(text.len())];
    SyntaxError { line: lines::count(before), column: lines::column(before) }
}
