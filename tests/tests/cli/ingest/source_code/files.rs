//! Real source code of every language: the fixtures of core, and files of the packages that cargo has downloaded.

#[path = "../../../../../core/split/tests/corpus/files.rs"]
#[expect(dead_code, reason = "core reads other types, too")]
mod corpus;
#[path = "../../../../../core/split/tests/invariants/languages.rs"]
mod languages;

use corpus::{registry, walk};
pub use languages::LANGUAGES;
use passage_split::MediaType;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The maximum number of files of a language, and bytes of a file.
const FILES: usize = 12;
const BYTES: u64 = 100_000;

/// A file of source code.
pub struct File {
    /// A name that no other file has, with the extension of the file.
    pub name: String,
    pub media_type: String,
    pub text: String,
}

/// Returns files of every language, at least one for each.
pub fn files() -> Vec<File> {
    let mut by_type: HashMap<String, Vec<PathBuf>> = HashMap::new();
    let mut add = |path: PathBuf| {
        let media_type = path.to_str().and_then(MediaType::from_path);
        let Some(media_type) = media_type else { return };
        if LANGUAGES.contains(&media_type.name()) {
            by_type.entry(media_type.name().to_owned()).or_default().push(path);
        }
    };
    walk(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/split/tests/fixtures/code")),
        &mut add,
    );
    walk(&registry(), &mut add);
    let mut files = Vec::new();
    for media_type in LANGUAGES {
        let paths = by_type.remove(media_type).unwrap_or_default();
        // The first is a fixture; the others are evenly spaced.
        let every = paths.len().div_ceil(FILES).max(1);
        for path in paths.iter().step_by(every) {
            if path.metadata().map_or(true, |metadata| metadata.len() > BYTES) {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            // The client removes a byte order mark.
            if text.contains('\0') || text.is_empty() || text.starts_with('\u{feff}') {
                continue;
            }
            let name = path.file_name().unwrap().to_str().unwrap();
            let name = format!("{:03}-{name}", files.len());
            // A name like `Vagrantfile` tells its language only as a whole.
            if MediaType::from_path(&name).is_none_or(|detected| detected.name() != media_type) {
                continue;
            }
            files.push(File { name, media_type: media_type.to_owned(), text });
        }
        assert!(files.iter().any(|file| file.media_type == media_type), "no file of {media_type}");
    }
    files
}
