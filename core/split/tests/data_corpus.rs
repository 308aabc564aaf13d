/*!
Real data: nothing is lost, and the text of each section parses alone.

`PASSAGE_CORPUS` is a list of folders, separated by `:`. Without it, the test reads a sample, as
`corpus` does.
*/

use crate::corpus::files::{folders, registry, sample, walk};
use crate::data::standalone::{Counts, Language, check};
use passage_split::{ChunkLimits, MediaType};
use std::{collections::BTreeMap, fs};

const SMALL: ChunkLimits = ChunkLimits { min: 40, preferred: 120, max: 200, window: 300 };

/// The maximum number of bytes of a sample.
const SAMPLE: u64 = 2_000_000;

#[test]
fn each_container_of_real_files_parses_alone() {
    let mut paths = Vec::new();
    let mut find = |path: std::path::PathBuf| {
        let media_type = path.to_str().and_then(MediaType::from_path);
        if media_type.is_some_and(|media_type| Language::of(&media_type).is_some()) {
            paths.push(path);
        }
    };
    if let Some(named) = folders("PASSAGE_CORPUS") {
        for folder in named {
            walk(&folder, &mut find);
        }
    } else {
        walk(&registry(), &mut find);
        paths = sample(paths, SAMPLE);
    }
    let mut counts = BTreeMap::<String, Counts>::new();
    for path in &paths {
        let Some(media_type) = path.to_str().and_then(MediaType::from_path) else { continue };
        let Some(language) = Language::of(&media_type) else { continue };
        let Ok(text) = fs::read_to_string(path) else { continue };
        let counts = counts.entry(format!("{language:?}")).or_default();
        let invalid = counts.invalid;
        for limits in [ChunkLimits::CHARACTERS, SMALL] {
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
