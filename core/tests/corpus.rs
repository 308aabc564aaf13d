/*!
Real files, split and put together again.

`PASSAGE_CORPUS` names folders, parted by `:`. Every file below them whose type is known is converted
if its type is, split, and checked for what every splitting owes; `PASSAGE_CORPUS_LEAST` says how many
files that have to be. Without it a sample of what cargo unpacked to build this is taken, a few
seconds' worth. `PASSAGE_NODE_DOCS` names a folder that has the same pages as Markdown and as HTML,
such as `doc/api` of Node.js.
*/

#[path = "corpus/files.rs"]
mod files;
#[path = "promises/splitting.rs"]
mod promises;
#[path = "corpus/tally.rs"]
mod tally;

use files::{Found, folders, read, registry, sample, walk};
use passage_core::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use promises::{fault, section_again};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};
use tally::Tally;

/// How many bytes of files a sample has at most.
const SAMPLE: u64 = 8_000_000;

/// Splits a file twice, and adds what came of it.
fn try_file(path: &Path, tally: &mut Tally) {
    let (text, source, stored) = match read(path) {
        Found::Document { text, source, stored } => (text, source, stored),
        Found::Skipped(why) => return tally.skip(why),
    };
    let limits = ChunkLimits::CHARACTERS;
    let options = SplitOptions { title: Some("Title"), ..SplitOptions::new(limits) };
    let begun = Instant::now();
    let found = split(&text, &stored, &options, &Characters).expect("the limits are in order");
    let time = begun.elapsed();
    let fault = fault(&text, &found.chunks, limits, &Characters);
    let fault = fault.or_else(|| section_again(&stored, &found.chunks)).or_else(|| {
        let again = split(&text, &stored, &options, &Characters);
        (again.as_ref() != Ok(&found)).then(|| "split otherwise the second time".to_owned())
    });
    tally.add(&source, &text, &found, time);
    if let Some(fault) = fault {
        tally.lose(&source, format!("{}: {fault}", path.display()));
    }
}

#[test]
fn no_byte_of_any_file_is_lost() {
    let mut paths = Vec::new();
    let mut find = |path: PathBuf| {
        if MediaType::from_path(&path.to_string_lossy()).is_some() {
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
        if paths.is_empty() {
            return eprintln!("skipped: cargo unpacked nothing in {}", registry().display());
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            try_file(path, &mut tally);
        }
        tally
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let tally = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let tallies = workers.into_iter().map(|worker| worker.join().expect("no file panics"));
        tallies.reduce(Tally::and).unwrap_or_default()
    });
    println!("{tally}");
    assert!(tally.losses().is_empty(), "{}", tally.losses().join("\n"));
    let least = std::env::var("PASSAGE_CORPUS_LEAST").map_or(1, |least| least.parse().unwrap());
    assert!(tally.files() >= least, "fewer than {least} files");
}

/// The titles that a document's chunks stand under, each once and in order, with their depth.
#[cfg(feature = "html")]
fn headings(markdown: &str) -> Vec<(usize, String)> {
    // Nothing is merged, so that each section has a chunk of its own.
    let limits = ChunkLimits { min: 0, preferred: 1, max: 1_000_000, window: 1_000_000 };
    let found =
        split(markdown, &MediaType::MARKDOWN, &SplitOptions::new(limits), &Characters).unwrap();
    let mut headings = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for chunk in &found.chunks {
        for length in 1..=chunk.section.len() {
            if seen.insert(chunk.section[..length].to_vec()) {
                headings.push((length, chunk.section[length - 1].clone()));
            }
        }
    }
    headings
}

#[cfg(feature = "html")]
#[test]
fn the_headings_of_a_page_are_those_of_its_markdown() {
    let (mut pages, mut agreed) = (0, 0);
    let mut differences = Vec::new();
    let Some(folders) = folders("PASSAGE_NODE_DOCS") else {
        return eprintln!("skipped: PASSAGE_NODE_DOCS names no folder");
    };
    for folder in folders {
        walk(&folder, &mut |path| {
            if path.extension().is_none_or(|extension| extension != "md") {
                return;
            }
            let Found::Document { text: page, .. } = read(&path.with_extension("html")) else {
                return;
            };
            let source = std::fs::read_to_string(&path).unwrap();
            let (ours, theirs) = (headings(&page), headings(&source));
            // A page without a heading may have one that its template made.
            if theirs.is_empty() {
                return;
            }
            pages += 1;
            agreed += ours.iter().zip(&theirs).filter(|(one, other)| one == other).count();
            if ours != theirs {
                let at = ours.iter().zip(&theirs).position(|(one, other)| one != other);
                let at = at.unwrap_or(ours.len().min(theirs.len()));
                let (one, other) = (ours.get(at), theirs.get(at));
                differences.push(format!("{}: {one:?} for {other:?}", path.display()));
            }
        });
    }
    println!("{pages} pages, {agreed} headings agree, {} pages differ", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
