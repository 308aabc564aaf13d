/*!
Syntax trees, at a bounded cost.

What is not of the language at all may cost a parser the square of its length, or more, to make sense
of. So its steps are counted, in proportion to the bytes of the document: a count and no clock, so
that the same document is always split the same.
*/

use super::{language::Language, lines};
use crate::SyntaxError;
use std::{cell::RefCell, ops::ControlFlow};
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

thread_local! {
    /// Kept, because a parser's memory is worth reusing from document to document.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The steps that are granted to any document, and to each of its bytes: a hundred in each report
/// of the parser.
const REPORTS: usize = 10_000;
const REPORTS_A_BYTE: usize = 1;

/// Returns the syntax tree of a text.
///
/// # Errors
///
/// Returns the place where the parser was when it gave up, and at the beginning if it cannot read
/// such a document at all.
pub(super) fn tree(text: &str, language: &Language) -> Result<Tree, SyntaxError> {
    let bytes = text.as_bytes();
    let mut left = REPORTS.saturating_add(bytes.len().saturating_mul(REPORTS_A_BYTE));
    let mut place = 0;
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&(language.grammar)()).ok()?;
        let mut read = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
        let mut report = |state: &ParseState| {
            place = state.current_byte_offset();
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut report);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    });
    tree.ok_or_else(|| error_at(text, place))
}

/// Returns a place in a text by line and column.
pub(super) fn error_at(text: &str, place: usize) -> SyntaxError {
    let before = &text.as_bytes()[..place.min(text.len())];
    SyntaxError { line: lines::count(before), column: lines::column(before) }
}
