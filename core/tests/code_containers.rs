//! Every class, implementation and the like, taken by its section, parses on its own.
//!
//! What is checked are this project's own sources and fixtures, and the folders that
//! `PASSAGE_CODE` names, parted by colons. A container is the chunks whose section begins with its
//! own, joined. Where its part of the file's own syntax tree has no error, it has to parse without
//! one by the same grammar: as it stands or, being inside of something in the file, inside of the
//! least of its kind (`FRAMES`), since an indented class of Python or a static class of Java is
//! nothing on the outermost level. PHP gets its opening tag.

#![cfg(feature = "code")]

#[path = "code/alone.rs"]
mod alone;

use alone::{Frame, folders, parser, parses_alone, walk};
use passage_core::{Characters, ChunkLimits, MediaType, SplitOptions, Unit, split};
use std::{collections::BTreeMap, path::Path};

/// What was found of one language.
#[derive(Default)]
struct Tally {
    files: usize,
    containers: usize,
    failed: Vec<String>,
}

fn check(path: &Path, text: &str, frame: &Frame, limits: ChunkLimits, tally: &mut Tally) {
    let (mut parser, errors) = parser(text, frame);
    let options = SplitOptions::new(limits);
    let chunks = split(text, &MediaType::new(frame.0), &options, &Characters).unwrap().chunks;
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
        if !parses_alone(&mut parser, &content, frame) {
            tally.failed.push(format!("{}: {}", path.display(), chunk.section.join(" / ")));
        }
    }
}

#[test]
fn the_chunks_of_every_container_parse_on_their_own() {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for folder in folders() {
        walk(&folder, &mut |path, text, frame| {
            let tally = tallies.entry(frame.0).or_default();
            // Most containers are whole by the first and divided by the second.
            let narrow = ChunkLimits { min: 20, preferred: 80, max: 160, window: 500 };
            check(path, text, frame, ChunkLimits::CHARACTERS, tally);
            check(path, text, frame, narrow, tally);
        });
    }
    for (name, Tally { files, containers, failed }) in &tallies {
        println!("{name}: {} files, {containers} containers, {} failed", files / 2, failed.len());
    }
    let failed: Vec<_> = tallies.values().flat_map(|tally| &tally.failed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(tallies["text/x-rust"].containers > 50);
}
