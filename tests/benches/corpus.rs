//! Real Markdown: what the crates that this project builds with bring along.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Fewer bytes than this say little.
const ENOUGH: usize = 5_000_000;

/// The texts of all Markdown files in cargo's registry, in the order of their paths.
///
/// # Panics
///
/// Panics if they are fewer than five megabytes.
pub fn markdown() -> Vec<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let registry = home.expect("cargo has a home").join("registry/src");
    let mut texts = Vec::new();
    // What is not UTF-8 is not Markdown.
    let is_markdown =
        |path: &Path| path.extension().is_some_and(|is| is.eq_ignore_ascii_case("md"));
    collect(&registry, is_markdown, &mut texts);
    let bytes: usize = texts.iter().map(String::len).sum();
    assert!(bytes >= ENOUGH, "{}: only {bytes} bytes of Markdown", registry.display());
    texts
}

/// The texts of the files that are wanted and are UTF-8, in the order of their paths.
pub fn collect(folder: &Path, wanted: fn(&Path) -> bool, texts: &mut Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, wanted, texts);
        } else if wanted(&path) {
            texts.extend(fs::read_to_string(path));
        }
    }
}
