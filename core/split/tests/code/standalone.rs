//! Parts of source files, parsed alone.

use std::path::Path;
use tree_sitter::{Language, Node, Parser};

/// A media type, its grammar, and the smallest texts around a nested container.
pub type Frame = (&'static str, fn() -> Language, &'static [(&'static str, &'static str)]);

pub const FRAMES: [Frame; 16] = [
    ("text/x-rust", || tree_sitter_rust::LANGUAGE.into(), &[]),
    (
        "text/x-typescript",
        || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        &[("class X {", "}"), ("x = {", "}")],
    ),
    (
        "text/x-tsx",
        || tree_sitter_typescript::LANGUAGE_TSX.into(),
        &[("class X {", "}"), ("x = {", "}")],
    ),
    (
        "text/javascript",
        || tree_sitter_javascript::LANGUAGE.into(),
        &[("class X {", "}"), ("x = {", "}")],
    ),
    (
        "text/x-jsx",
        || tree_sitter_javascript::LANGUAGE.into(),
        &[("class X {", "}"), ("x = {", "}")],
    ),
    ("text/x-python", || tree_sitter_python::LANGUAGE.into(), &[("if x:\n", "")]),
    ("text/x-go", || tree_sitter_go::LANGUAGE.into(), &[("type (", ")")]),
    ("text/x-java", || tree_sitter_java::LANGUAGE.into(), &[("class X {", "}")]),
    ("text/x-c", || tree_sitter_c::LANGUAGE.into(), &[("struct X {", "};")]),
    ("text/x-c++", || tree_sitter_cpp::LANGUAGE.into(), &[("struct X {", "};")]),
    ("text/x-csharp", || tree_sitter_c_sharp::LANGUAGE.into(), &[("class X {", "}")]),
    ("text/x-ruby", || tree_sitter_ruby::LANGUAGE.into(), &[]),
    ("text/x-php", || tree_sitter_php::LANGUAGE_PHP.into(), &[("<?php ", "")]),
    ("text/x-shellscript", || tree_sitter_bash::LANGUAGE.into(), &[]),
    ("text/x-sql", || tree_sitter_sequel::LANGUAGE.into(), &[]),
    ("text/css", || tree_sitter_css::LANGUAGE.into(), &[]),
];

/// Returns the offsets of the errors of a tree, in order.
fn errors(root: Node<'_>) -> Vec<usize> {
    let (mut offsets, mut cursor) = (Vec::new(), root.walk());
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            offsets.push(node.start_byte());
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return offsets;
            }
        }
    }
}

pub fn parses(parser: &mut Parser, text: &str) -> bool {
    !parser.parse(text, None).unwrap().root_node().has_error()
}

/// Returns a parser for a text, and the offsets of the errors of that text.
pub fn parser(text: &str, (name, grammar, _): &Frame) -> (Parser, Vec<usize>) {
    let mut parser = Parser::new();
    let mut errors_as = |grammar: Language| {
        parser.set_language(&grammar).unwrap();
        errors(parser.parse(text, None).unwrap().root_node())
    };
    let mut errors = errors_as(grammar());
    if *name == "text/x-c" && !errors.is_empty() {
        // The header may be C++.
        let as_cpp = errors_as(tree_sitter_cpp::LANGUAGE.into());
        if as_cpp.len() < errors.len() {
            errors = as_cpp;
        } else {
            parser.set_language(&grammar()).unwrap();
        }
    }
    (parser, errors)
}

/// Returns whether a part of a file parses: alone, or in one of the smallest texts of its grammar.
pub fn parses_alone(parser: &mut Parser, content: &str, (_, _, around): &Frame) -> bool {
    let framed = |(before, after): &(&str, &str)| format!("{before}{content}\n{after}\n");
    parses(parser, content) || around.iter().any(|frame| parses(parser, &framed(frame)))
}

/// The maximum number of bytes of the sample of crates.
const SAMPLE: u64 = 1_000_000;

/// Calls a function with each file of this project, of the folders in `PASSAGE_CODE`, and of a sample
/// of the unpacked crates, if its language is known.
#[allow(dead_code)] // Other tests read the folders alone.
pub fn code_files(visit: &mut impl FnMut(&Path, &str, &Frame)) {
    for folder in folders() {
        walk(&folder, visit);
    }
    let mut paths = Vec::new();
    crate::corpus::files::walk(&crate::corpus::files::registry(), &mut |path| {
        paths.extend(Some(path).filter(|path| frame(path).is_some()));
    });
    for path in crate::corpus::files::sample(paths, SAMPLE) {
        if let (Some(frame), Ok(text)) = (frame(&path), std::fs::read_to_string(&path)) {
            visit(&path, &text, frame);
        }
    }
}

/// Returns the frame of a file, if its language is known.
fn frame(path: &Path) -> Option<&'static Frame> {
    let media_type = passage_split::MediaType::from_path(path.to_str()?)?;
    FRAMES.iter().find(|(name, ..)| *name == media_type.name())
}

/// Calls a function with each file below a folder whose language is known.
pub fn walk(folder: &Path, visit: &mut impl FnMut(&Path, &str, &Frame)) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            walk(&path, visit);
        } else if kind.is_file()
            && let Some(frame) = frame(&path)
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            visit(&path, &text, frame);
        }
    }
}

/// Returns the folders with sources: this project and those in `PASSAGE_CODE`, separated by colons.
pub fn folders() -> Vec<std::path::PathBuf> {
    let named = std::env::var("PASSAGE_CODE").unwrap_or_default();
    let named = named.split(':').filter(|folder| !folder.is_empty()).map(Into::into);
    [concat!(env!("CARGO_MANIFEST_DIR"), "/..").into()].into_iter().chain(named).collect()
}
