/*!
Repairs: parses a text again with stand-ins if its syntax tree has errors.

Most files have no errors, and cost nothing more. A language that knows why its grammar fails returns
stand-ins for these places. The tree with fewer unreadable bytes is used.
*/

use super::{language::Language, stand_ins, syntax};
use crate::{SyntaxError, interrupt};
use std::{iter, ops::Range};
use tree_sitter::Tree;

/// Returns the syntax tree of a text.
///
/// # Errors
///
/// Returns the offset at which the parser stopped.
pub(super) fn tree(text: &str, language: &Language) -> Result<Tree, SyntaxError> {
    let first = syntax::tree(text, language);
    let Some(find) = language.stand_ins else { return first };
    let errors = match &first {
        Ok(tree) => errors(tree),
        Err(_) => iter::once(0..text.len()).collect(),
    };
    let found = if errors.is_empty() { Vec::new() } else { find(text, &errors) };
    if found.is_empty() {
        return first;
    }
    match syntax::tree(&stand_ins::replaced(text, &found), language) {
        Ok(tree) if first.is_err() || unread(&self::errors(&tree)) < unread(&errors) => Ok(tree),
        _ => first,
    }
}

/// Returns the unreadable places in a tree, in order. A missing token is an empty place.
fn errors(tree: &Tree) -> Vec<Range<usize>> {
    let mut errors = Vec::new();
    let mut cursor = tree.walk();
    loop {
        interrupt::poll();
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if is_error {
            errors.push(node.byte_range());
        }
        if !is_error && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// Returns the number of bytes in some places, and one for each.
fn unread(errors: &[Range<usize>]) -> usize {
    errors.iter().map(|error| error.len() + 1).sum()
}
