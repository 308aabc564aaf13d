//! Scopes: what the content of braces is.

use super::token_reader::TokenReader;

/// The content of braces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The members of a class or a namespace.
    Members,
    /// The statements of a function.
    Statements,
    /// Values or constants.
    Values,
}

/// Returns what the brace at an index begins, in a statement that begins at `start` within another scope.
pub(super) fn scope(
    reader: &TokenReader<'_>,
    around: Option<Scope>,
    start: usize,
    at: usize,
) -> Scope {
    let has = |known: &[&str]| {
        (start..at).any(|index| reader.is_word(index) && known.contains(&reader.text_at(index)))
    };
    let before = at.checked_sub(1).map_or("", |before| reader.text_at(before));
    let is_function = matches!(before, ")" | "const" | "override" | "noexcept");
    if has(&["enum"]) || matches!(before, "=" | "," | "(" | "return" | "]") {
        Scope::Values
    } else if !is_function && has(&["class", "struct", "union", "namespace", "extern"]) {
        Scope::Members
    } else if around == Some(Scope::Values) {
        Scope::Values
    } else {
        Scope::Statements
    }
}

/// Returns whether the colon at an index ends a label such as `public:`.
pub(super) fn is_access(reader: &TokenReader<'_>, start: usize, at: usize) -> bool {
    at - start <= 2
        && matches!(reader.text_at(start), "public" | "private" | "protected" | "signals")
}
