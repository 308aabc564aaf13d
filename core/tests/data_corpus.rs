/*!
Real data: nothing is lost, and what every section holds parses alone.

Run with `PASSAGE_DATA` naming folders, one a line:
`cargo test --release -p passage-core --test data_corpus -- --ignored --nocapture`.
*/

#[path = "data/alone.rs"]
mod alone;

use alone::{Counts, Language, check};
use passage_core::{Limits, MediaType};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const SMALL: Limits = Limits { min: 40, preferred: 120, max: 200, window: 300 };

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

#[test]
#[ignore = "reads the folders that PASSAGE_DATA names"]
fn every_container_of_real_files_parses_alone() {
    let folders = std::env::var("PASSAGE_DATA").expect("PASSAGE_DATA names folders");
    let mut paths = Vec::new();
    for folder in folders.lines() {
        files(Path::new(folder), &mut paths);
    }
    paths.sort();
    let mut counts = BTreeMap::<String, Counts>::new();
    for path in &paths {
        let Some(media_type) = path.to_str().and_then(MediaType::of_file) else { continue };
        let Some(language) = Language::of(&media_type) else { continue };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let counts = counts.entry(format!("{language:?}")).or_default();
        let invalid = counts.invalid;
        for limits in [Limits::CHARACTERS, SMALL] {
            for failure in check(&text, language, &media_type, limits, counts) {
                println!("{}: {failure}", path.display());
            }
        }
        if counts.invalid > invalid {
            println!("{} is not what its name says", path.display());
        }
    }
    println!("{counts:#?}");
    assert!(counts.values().all(|counts| counts.failed == 0));
}
