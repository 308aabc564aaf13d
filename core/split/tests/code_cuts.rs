/*!
Cuts in source code of real files: at line ends, at statements, and never before a closing bracket.

The test reads the sources of this project, a sample of the unpacked crates, and the folders in
`PASSAGE_CODE`, separated by colons. It prints the counts of each language, and checks that hardly any
cut has a better one nearby. `PASSAGE_CUTS` is a file for the list of these.
*/

#![cfg(feature = "code")]

use crate::code::cuts::{Counts, count};
use crate::code::standalone::code_files;
use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use std::collections::BTreeMap;

/// Limits at which most functions are cut.
const NARROW: ChunkLimits = ChunkLimits { min: 60, preferred: 180, max: 300, window: 500 };

#[test]
fn cuts_in_real_code_are_at_line_ends() {
    let mut tallies: BTreeMap<(&str, usize), Counts> = BTreeMap::new();
    let (mut found, mut blanks) = (Vec::new(), 0);
    code_files(&mut |path, text, frame| {
        for limits in [ChunkLimits::CHARACTERS, NARROW] {
            let media_type = MediaType::new(frame.0);
            let document =
                split(text, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
            if document.syntax_error.is_some() {
                continue;
            }
            let chunks = document.chunks.iter().map(|chunk| chunk.content);
            blanks += chunks.filter(|content| content.trim().is_empty()).count();
            let counts = tallies.entry((frame.0, limits.max)).or_default();
            count(text, &document.chunks, limits, counts, |what, at| {
                let line = 1 + text[..at].matches('\n').count();
                found.push(format!("{what}: {}:{line} ({})", path.display(), limits.max));
            });
        }
    });
    println!("{:20} {}", "", Counts::HEADER);
    for ((name, max), counts) in &tallies {
        println!("{:16}{max:5} {counts}", name.trim_start_matches("text/"));
    }
    let chunks: usize = tallies.values().map(|counts| counts.chunks).sum();
    assert!(blanks <= chunks / 5_000, "{blanks} of {chunks} chunks are blank");
    if let Ok(path) = std::env::var("PASSAGE_CUTS") {
        std::fs::write(path, found.join("\n")).unwrap();
    }
    for (name, counts) in &tallies {
        // Macros and lines of several units leave a few.
        let max = 2 + counts.chunks / 100;
        let max_closing = 2 + counts.chunks / 200;
        assert!(counts.avoidable <= max, "{name:?}: {} cuts within a line", counts.avoidable);
        assert!(counts.heads <= max, "{name:?}: {} heads without their bracket", counts.heads);
        assert!(counts.lone <= max_closing, "{name:?}: {} lone brackets", counts.lone);
    }
}
