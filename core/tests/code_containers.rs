//! Every class, implementation and the like, taken by its section, parses on its own.
//!
//! What is checked are this project's own sources and fixtures, and the folders that
//! `PASSAGE_CODE` names, parted by colons. A container is the chunks whose section begins with its
//! own, joined. Where its part of the file's own syntax tree has no error, it has to parse without
//! one by the same grammar: as it stands or, being inside of something in the file, inside of the
//! least of its kind (`FRAMES`), since an indented class of Python or a static class of Java is
//! nothing on the outermost level. PHP gets its opening tag.

#![cfg(feature = "code")]

use passage_core::{Characters, Limits, MediaType, Options, Unit, split};
use std::{collections::BTreeMap, fs, path::Path};
use tree_sitter::{Language, Node, Parser};

/// A media type, its grammar, and the least that a container may stand inside of.
type Frame = (&'static str, fn() -> Language, &'static [(&'static str, &'static str)]);

const FRAMES: [Frame; 14] = [
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
    ("text/x-python", || tree_sitter_python::LANGUAGE.into(), &[("if x:\n", "")]),
    ("text/x-go", || tree_sitter_go::LANGUAGE.into(), &[("type (", ")")]),
    ("text/x-java", || tree_sitter_java::LANGUAGE.into(), &[("class X {", "}")]),
    ("text/x-c", || tree_sitter_c::LANGUAGE.into(), &[("struct X {", "};")]),
    ("text/x-c++", || tree_sitter_cpp::LANGUAGE.into(), &[("struct X {", "};")]),
    ("text/x-csharp", || tree_sitter_c_sharp::LANGUAGE.into(), &[("class X {", "}")]),
    ("text/x-ruby", || tree_sitter_ruby::LANGUAGE.into(), &[]),
    ("text/x-php", || tree_sitter_php::LANGUAGE_PHP.into(), &[("<?php ", "")]),
    ("text/x-sql", || tree_sitter_sequel::LANGUAGE.into(), &[]),
    ("text/css", || tree_sitter_css::LANGUAGE.into(), &[]),
];

/// What was found of one language.
#[derive(Default)]
struct Tally {
    files: usize,
    containers: usize,
    failed: Vec<String>,
}

/// Where a tree has errors, in order.
fn errors(root: Node<'_>) -> Vec<usize> {
    let (mut found, mut cursor) = (Vec::new(), root.walk());
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            found.push(node.start_byte());
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn parses(parser: &mut Parser, text: &str) -> bool {
    !parser.parse(text, None).unwrap().root_node().has_error()
}

fn check(path: &Path, text: &str, frame: &Frame, limits: Limits, tally: &mut Tally) {
    let (name, grammar, around) = frame;
    let mut parser = Parser::new();
    let mut errors_as = |grammar: Language| {
        parser.set_language(&grammar).unwrap();
        errors(parser.parse(text, None).unwrap().root_node())
    };
    let mut errors = errors_as(grammar());
    if *name == "text/x-c" && !errors.is_empty() {
        // A header may be one of C++.
        let as_cpp = errors_as(tree_sitter_cpp::LANGUAGE.into());
        if as_cpp.len() < errors.len() {
            errors = as_cpp;
        } else {
            parser.set_language(&grammar()).unwrap();
        }
    }
    let options = Options::new(limits);
    let chunks = split(text, &MediaType::new(name), &options, &Characters).unwrap().chunks;
    tally.files += 1;
    let mut seen: Vec<&[String]> = Vec::new();
    for chunk in &chunks {
        if chunk.unit != Unit::Container || seen.contains(&chunk.section.as_slice()) {
            continue;
        }
        seen.push(&chunk.section);
        let own = chunks.iter().filter(|other| other.section.starts_with(&chunk.section));
        let (mut start, mut end, mut content) = (usize::MAX, 0, String::new());
        for part in own {
            start = start.min(part.bytes.start);
            end = end.max(part.bytes.end);
            content.push_str(part.content);
        }
        if errors.iter().any(|at| (start..=end).contains(at)) {
            continue;
        }
        tally.containers += 1;
        let framed = |(before, after): &(&str, &str)| format!("{before}{content}\n{after}\n");
        if !parses(&mut parser, &content)
            && !around.iter().any(|frame| parses(&mut parser, &framed(frame)))
        {
            tally.failed.push(format!("{}: {}", path.display(), chunk.section.join(" / ")));
        }
    }
}

fn walk(folder: &Path, tallies: &mut BTreeMap<&'static str, Tally>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            walk(&path, tallies);
        } else if kind.is_file()
            && let Some(media_type) = MediaType::of_file(&path.to_string_lossy())
            && let Some(frame) = FRAMES.iter().find(|(name, ..)| *name == media_type.name())
            && let Ok(text) = fs::read_to_string(&path)
        {
            let tally = tallies.entry(frame.0).or_default();
            // Most containers are whole by the first and divided by the second.
            let narrow = Limits { min: 20, preferred: 80, max: 160, window: 500 };
            check(&path, &text, frame, Limits::CHARACTERS, tally);
            check(&path, &text, frame, narrow, tally);
        }
    }
}

#[test]
fn the_chunks_of_every_container_parse_on_their_own() {
    let mut tallies = BTreeMap::new();
    walk(Path::new(env!("CARGO_MANIFEST_DIR")), &mut tallies);
    for folder in std::env::var("PASSAGE_CODE").iter().flat_map(|folders| folders.split(':')) {
        walk(Path::new(folder), &mut tallies);
    }
    for (name, Tally { files, containers, failed }) in &tallies {
        println!("{name}: {} files, {containers} containers, {} failed", files / 2, failed.len());
    }
    let failed: Vec<_> = tallies.values().flat_map(|tally| &tally.failed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(tallies["text/x-rust"].containers > 50);
}
