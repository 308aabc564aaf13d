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
    collect(&registry, &mut texts);
    let bytes: usize = texts.iter().map(String::len).sum();
    assert!(bytes >= ENOUGH, "{}: only {bytes} bytes of Markdown", registry.display());
    texts
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md")) {
            // What is not UTF-8 is not Markdown.
            texts.extend(fs::read_to_string(path));
        }
    }
}
