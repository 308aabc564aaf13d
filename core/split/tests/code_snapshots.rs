//! Snapshots of the chunks of a short document in each language.
//!
//! `INSTA_UPDATE=always cargo nextest run -p passage-core --features code code_snapshots` updates the
//! snapshots.

#![cfg(feature = "code")]

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use std::fmt::Write;

const DOCUMENTS: [&str; 16] = [
    "UserService.cs",
    "UserService.java",
    "user_service.cpp",
    "user_service.go",
    "user_service.h",
    "user_service.js",
    "user_service.php",
    "user_service.py",
    "user_service.rb",
    "user_service.rs",
    "user_service.ts",
    "users.css",
    "users.sh",
    "users.sql",
    "view.jsx",
    "view.tsx",
];

#[test]
fn the_chunks_of_each_language_match_its_snapshot() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/code/");
    let limits = ChunkLimits { min: 10, preferred: 120, max: 300, window: 1_000 };
    for name in DOCUMENTS {
        let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
        let media_type = MediaType::from_path(name).unwrap();
        let options = SplitOptions::new(limits);
        let split = split(&text, &media_type, &options, &Characters).unwrap();
        assert_eq!(split.syntax_error, None, "{name}");
        let mut shown = String::new();
        for chunk in &split.chunks {
            let section = chunk.section.join(" / ");
            let (first, last) = (chunk.lines.start(), chunk.lines.end());
            write!(shown, "--- [{section}] {} {}", chunk.level, chunk.unit.name()).unwrap();
            write!(shown, ", lines {first} to {last}").unwrap();
            if !chunk.imports.is_empty() {
                write!(shown, ", imports {}", chunk.imports.join(", ")).unwrap();
            }
            if !chunk.preamble.is_empty() {
                write!(shown, ", preamble {:?}", chunk.preamble).unwrap();
            }
            writeln!(shown, "\n{}", chunk.content).unwrap();
        }
        insta::assert_snapshot!(name, shown);
    }
}
