//! Each class, implementation or other container of real code parses alone.
//!
//! The test reads the sources and fixtures of this project, and the folders in `PASSAGE_CODE`,
//! separated by colons. A container is the concatenation of the chunks whose section begins with the
//! container's. If its part of the syntax tree of the file has no error, it must parse without error
//! by the same grammar. A nested container may parse within the smallest text of its grammar
//! (`FRAMES`), because an indented class of Python or a static class of Java is invalid on the
//! outermost level. PHP gets its opening tag.

use crate::code::standalone::{Frame, folders, parser, parses_alone, walk};
use passage_core::assemble::Part;
use passage_core::expand::Selection;
use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, Unit, split};
use std::{collections::BTreeMap, path::Path};

/// The results of one language.
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
            // The last lines may close units around the container.
            let depth = chunk.section.len();
            let lines = depth.saturating_sub(part.level as usize);
            let outer_closings = (lines > 0).then_some((0, lines)).into_iter().collect();
            let selection = Selection { outer_closings, ..Selection::default() };
            let part = Part { content: part.content.into(), span: None };
            content.push_str(&selection.part(0, part).content);
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
fn the_chunks_of_each_container_parse_alone() {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for folder in folders() {
        walk(&folder, &mut |path, text, frame| {
            let tally = tallies.entry(frame.0).or_default();
            // The first limits keep most containers whole, and the second ones divide them.
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
