//! The languages, each in a file of its own.

mod javascript;
mod python;
mod rust;
mod typescript;

use super::language::Language;

/// Every language that is split by its syntax.
pub(super) static ALL: [Language; 6] = [
    Language::new("text/x-rust", || tree_sitter_rust::LANGUAGE.into(), &[rust::TABLE]),
    Language::new(
        "text/x-typescript",
        || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        &[javascript::TABLE, typescript::TABLE],
    ),
    Language::new(
        "text/x-tsx",
        || tree_sitter_typescript::LANGUAGE_TSX.into(),
        &[javascript::TABLE, typescript::TABLE],
    ),
    Language::new(
        "text/javascript",
        || tree_sitter_javascript::LANGUAGE.into(),
        &[javascript::TABLE],
    ),
    Language::new("text/x-jsx", || tree_sitter_javascript::LANGUAGE.into(), &[javascript::TABLE]),
    Language::new("text/x-python", || tree_sitter_python::LANGUAGE.into(), &[python::TABLE]),
];
