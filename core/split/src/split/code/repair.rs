/*!
Repairs: parses a text again with stand-ins if its syntax tree has errors.

Most files have no errors, and cost nothing more. A language that knows why its grammar fails returns
stand-ins for these places. The tree with fewer unreadable bytes is used.
*/

use super::{
    language::Language,
    stand_ins::{self, StandIn},
    syntax,
};
use crate::{SyntaxError, interrupt};
use std::{iter, ops::Range};
use tree_sitter::Tree;

/// Returns the syntax tree of a text, and the stand-ins that the parser read.
///
/// # Errors
///
/// Returns the offset at which the parser stopped.
pub(super) fn tree(text: &str, language: &Language) -> Result<(Tree, Vec<StandIn>), SyntaxError> {
    let first = syntax::tree(text, language, None);
    let as_written = |tree| (tree, Vec::new());
    let Some(find) = language.stand_ins else { return first.map(as_written) };
    let errors = match &first {
        Ok(tree) => errors(tree),
        Err(_) => iter::once(0..text.len()).collect(),
    };
    let found = if errors.is_empty() { Vec::new() } else { find(text, &errors) };
    let found = stand_ins::in_order(found);
    if found.is_empty() {
        return first.map(as_written);
    }
    let edited = first.as_ref().ok().map(|tree| stand_ins::edited(tree, text, &found));
    match syntax::tree(&stand_ins::replaced(text, &found), language, edited.as_ref()) {
        Ok(tree) if first.is_err() || unread(&self::errors(&tree)) < unread(&errors) => {
            Ok((tree, found))
        }
        _ => first.map(as_written),
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

#[cfg(all(test, feature = "grammar-c"))]
mod tests {
    use super::*;
    use crate::split::code;
    use proptest::prelude::*;

    /// Code of which the grammar reads only the last two without stand-ins.
    const ITEMS: [&str; 6] = [
        "API int sum(int a) NOEXCEPT;",
        "TEST_CASE(\"queue keeps order\") {\n    run(1);\n}",
        "#ifdef WIDE\nint add(long a) {\n#else\nint add(int a) {\n#endif\n    return a;\n}",
        "struct API Basket {\n    int size;\n};",
        "/* \u{e9} */\nint plain(void) {\n    return 1;\n}\n",
        "typedef int Size;",
    ];

    proptest! {
        /// The parser reads only the stand-ins again, which must not change a tree without errors.
        #[test]
        fn a_repaired_tree_is_that_of_the_whole_text(
            items in proptest::collection::vec(proptest::sample::select(&ITEMS[..]), 0..600)
        ) {
            let text = items.join("\n");
            let language = code::language("text/x-c").expect("C has a grammar");
            let first = syntax::tree(&text, language, None).expect("the text has few brackets");
            let found = language.stand_ins.expect("C has stand-ins")(&text, &errors(&first));
            let found = stand_ins::in_order(found);
            let replaced = stand_ins::replaced(&text, &found);
            let edited = stand_ins::edited(&first, &text, &found);
            let [fast, whole] = [Some(&edited), None].map(|earlier| {
                syntax::tree(&replaced, language, earlier).expect("a stand-in opens no bracket")
            });
            prop_assert_eq!(unread(&errors(&whole)), 0);
            prop_assert_eq!(fast.root_node().to_sexp(), whole.root_node().to_sexp());
        }
    }
}
