/*!
Real files: checks the invariants of splitting on each of them.

`PASSAGE_CORPUS` is a list of folders, separated by `:`. The test converts and splits each file below
them whose media type is known. `PASSAGE_CORPUS_LEAST` is the minimum number of files. Without
`PASSAGE_CORPUS`, the test reads a sample of the unpacked crates of this build, which takes a few
seconds. `PASSAGE_NODE_DOCS` is a folder with the same pages as Markdown and as HTML, such as
`doc/api` of Node.js.
*/

pub mod files;
mod tally;

use crate::invariants::splitting::{find_repeated_section, find_violation};
use files::{Found, folders, read, registry, sample, walk};
use passage_split::split::MARKDOWN_OPTIONS;
use passage_split::{Characters, Chunk, ChunkLimits, Kind, MediaType, SplitOptions, Unit, split};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::{
    collections::{BTreeMap, HashSet},
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};
use tally::Tally;

/// The maximum number of bytes of a sample.
const SAMPLE: u64 = 8_000_000;

/// The media types whose members may be outside of their container.
const APART: [&str; 2] = ["text/x-c", "text/x-c++"];

/// Returns the first container in code with a member before its head, if any. `check_store` relies on it.
fn find_member_before_head(chunks: &[Chunk<'_>]) -> Option<String> {
    let mut opened: HashSet<&[String]> = HashSet::new();
    let mut with_head: HashSet<&[String]> = HashSet::new();
    for chunk in chunks {
        let section = &chunk.section[..];
        let is_late = opened.contains(section) && !with_head.contains(section);
        if chunk.unit == Unit::Container && with_head.insert(section) && is_late {
            return Some(format!("a member before the head at byte {}", chunk.bytes.start));
        }
        opened.extend((1..section.len()).map(|length| &section[..length]));
    }
    None
}

/// Splits a file twice, and adds the result to a tally.
fn try_file(path: &Path, tally: &mut Tally) {
    let (text, source, stored) = match read(path) {
        Found::Document { text, source, stored } => (text, source, stored),
        Found::Skipped(why) => return tally.skip(why),
    };
    let limits = ChunkLimits::CHARACTERS;
    let options = SplitOptions { title: Some("Title"), ..SplitOptions::new(limits) };
    let begun = Instant::now();
    let document = split(&text, &stored, &options, &Characters).expect("the limits are in order");
    let time = begun.elapsed();
    let violation = find_violation(&text, &document.chunks, limits, &Characters);
    let violation = violation
        .or_else(|| find_repeated_section(&stored, &document.chunks))
        .or_else(|| {
            let is_checked = stored.kind() == Kind::Code && !APART.contains(&stored.structure());
            find_member_before_head(&document.chunks).filter(|_| is_checked)
        })
        .or_else(|| {
            let again = split(&text, &stored, &options, &Characters);
            (again.as_ref() != Ok(&document)).then(|| "different chunks the second time".to_owned())
        });
    tally.add(&source, &text, &document, time);
    if let Some(violation) = violation {
        tally.lose(&source, format!("{}: {violation}", path.display()));
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
        let tallies =
            workers.into_iter().map(|worker| worker.join().expect("splitting does not panic"));
        tallies.reduce(Tally::and).unwrap_or_default()
    });
    println!("{tally}");
    assert!(tally.losses().is_empty(), "{}", tally.losses().join("\n"));
    let least = std::env::var("PASSAGE_CORPUS_LEAST").map_or(1, |least| least.parse().unwrap());
    assert!(tally.files() >= least, "fewer than {least} files");
}

/// Returns the length of the front matter of a document, whose last line would make it a heading.
fn front_matter(markdown: &str) -> usize {
    let body = markdown.trim_start_matches('\u{feff}');
    let end = ["---", "+++"].iter().find_map(|mark| {
        let rest = body.strip_prefix(mark)?.trim_start_matches([' ', '\r']).strip_prefix('\n')?;
        let is_blank = rest.lines().next().is_none_or(|line| line.trim().is_empty());
        let end = rest.find(&format!("\n{mark}")).filter(|_| !is_blank)?;
        Some(markdown.len() - rest.len() + end + 1 + mark.len())
    });
    end.unwrap_or_default()
}

/// Returns the offset and the text of each heading of level 1 and 2 outside of lists and quotes.
fn main_headings(markdown: &str) -> Vec<(usize, String)> {
    let start = front_matter(markdown);
    let mut headings = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut depth = 0;
    for (event, bytes) in Parser::new_ext(&markdown[start..], MARKDOWN_OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. })
                if depth == 0 =>
            {
                open = Some((start + bytes.start, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            Event::Start(Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => {
                depth += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => {
                depth -= 1;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    headings
}

#[test]
fn each_heading_of_level_1_and_2_is_in_the_section_of_its_chunk() {
    let mut paths = Vec::new();
    let mut find = |path: PathBuf| {
        if path.extension().is_some_and(|extension| extension == "md" || extension == "mdx") {
            paths.push(path);
        }
    };
    match folders("PASSAGE_CORPUS") {
        Some(named) => named.iter().for_each(|folder| walk(folder, &mut find)),
        None => walk(&registry(), &mut find),
    }
    if std::env::var_os("PASSAGE_CORPUS").is_none() {
        paths = sample(paths, SAMPLE);
    }
    // The files and headings of each file name extension.
    let mut counts = BTreeMap::<&OsStr, [usize; 2]>::new();
    let mut missing = Vec::new();
    for path in &paths {
        let Found::Document { text, .. } = read(path) else {
            continue;
        };
        let headings = main_headings(&text);
        let [files, count] = counts.entry(path.extension().unwrap_or_default()).or_default();
        (*files, *count) = (*files + 1, *count + headings.len());
        for limits in [ChunkLimits::CHARACTERS, ChunkLimits::WORDPIECES] {
            let options = SplitOptions::new(limits);
            let document = split(&text, &MediaType::MARKDOWN, &options, &Characters).unwrap();
            for (offset, title) in &headings {
                let chunk = document.chunks.iter().find(|chunk| chunk.bytes.contains(offset));
                let section = &chunk.expect("the chunks cover the text").section;
                // A title may have a number, and a long one is cut.
                let start: String = title.trim().chars().take(400).collect();
                if !section.iter().any(|title| title.starts_with(&start)) {
                    missing.push(format!("{}: {title:?} in {section:?}", path.display()));
                }
            }
        }
    }
    println!("files and headings: {counts:?}; {} in no section", missing.len());
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Returns the titles in the sections of a document's chunks, each once and in order, with their depth.
#[cfg(feature = "html")]
fn headings(markdown: &str) -> Vec<(usize, String)> {
    // These limits merge nothing, so that each section has a chunk of its own.
    let limits = ChunkLimits { min: 0, preferred: 1, max: 1_000_000, window: 1_000_000 };
    let document =
        split(markdown, &MediaType::MARKDOWN, &SplitOptions::new(limits), &Characters).unwrap();
    let mut headings = Vec::new();
    let mut seen = HashSet::new();
    for chunk in &document.chunks {
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
fn a_page_and_its_markdown_have_the_same_headings() {
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
            // The template may have added a heading to a page without one.
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
