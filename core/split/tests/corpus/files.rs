//! Real files: finds them and converts them as ingest does.

use passage_split::{DecodedText, MediaType, convert, decode, media_type::is_binary};
use std::{
    env,
    path::{Path, PathBuf},
};

/// A file that was read.
pub enum Found {
    /// A document: its stored text, its media type and its stored media type.
    Document { text: String, source: MediaType, stored: MediaType },
    /// A skipped file, with the reason.
    Skipped(&'static str),
}

/// Returns the folders in an environment variable, or `None` if it is not set.
pub fn folders(variable: &str) -> Option<Vec<PathBuf>> {
    Some(env::split_paths(&env::var_os(variable)?).collect())
}

/// Returns the folder of the unpacked crates.
pub fn registry() -> PathBuf {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    home.unwrap_or_default().join("registry/src")
}

/// Calls a function with each file below a folder, in order, without symbolic links.
pub fn walk(folder: &Path, visit: &mut dyn FnMut(PathBuf)) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), visit),
            Ok(kind) if kind.is_file() => visit(entry.path()),
            _ => {}
        }
    }
}

/// Returns evenly spaced files of a list, with about so many bytes in total.
pub fn sample(paths: Vec<PathBuf>, bytes: u64) -> Vec<PathBuf> {
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let all: u64 = paths.iter().map(size).sum();
    paths.into_iter().step_by(1 + (all / bytes) as usize).collect()
}

/// Reads a file as ingest does.
pub fn read(path: &Path) -> Found {
    let Some(source) = path.to_str().and_then(MediaType::from_path) else {
        return Found::Skipped("of no known type");
    };
    let Ok(bytes) = std::fs::read(path) else { return Found::Skipped("unreadable") };
    if is_binary(&bytes) {
        return Found::Skipped("binary");
    }
    let Ok(DecodedText { text, .. }) = decode(&bytes, &source, None) else {
        return Found::Skipped("not UTF-8");
    };
    match convert(&text, &source, None) {
        Ok(Some(it)) => Found::Document { text: it.text, source, stored: it.media_type },
        Ok(None) => Found::Document { text: text.into_owned(), stored: source.clone(), source },
        Err(_) => Found::Skipped("not to be converted"),
    }
}
