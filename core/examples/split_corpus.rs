//! Splits every file below some folders and prints what is lost, how large the chunks are, and
//! how long it takes beside a bare pass of the parser over the same bytes.
//!
//! `cargo run --release -p passage-core --example split_corpus -- FOLDER...`

use passage_core::{Characters, Limits, MediaType, Options, Sizer, split};
use std::{path::Path, process::ExitCode, time::Instant};

fn collect(path: &Path, texts: &mut Vec<(String, String)>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            collect(&entry.path(), texts);
        }
    } else if MediaType::of_file(&path.to_string_lossy()) == Some(MediaType::MARKDOWN)
        && let Ok(text) = std::fs::read_to_string(path)
    {
        texts.push((path.display().to_string(), text));
    }
}

/// Returns how long something takes, in milliseconds.
fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn main() -> ExitCode {
    let mut texts = Vec::new();
    for folder in std::env::args().skip(1) {
        collect(Path::new(&folder), &mut texts);
    }
    let options = Options { limits: Limits::CHARACTERS, title: Some("Title") };
    let (mut bytes, mut chunks, mut losses, mut over, mut small) = (0, 0, 0, 0, 0);
    for (name, text) in &texts {
        let split = split(text, &MediaType::MARKDOWN, &options, &Characters).expect("in order");
        let joined: String = split.iter().map(|chunk| chunk.content).collect();
        if joined != *text {
            eprintln!("lost: {name}");
            losses += 1;
        }
        let sizes = split.iter().map(|chunk| Characters.size(chunk.content));
        for size in sizes {
            over += usize::from(size > options.limits.max);
            small += usize::from(size < options.limits.min);
        }
        bytes += text.len();
        chunks += split.len();
    }
    println!("{} files, {bytes} bytes, {chunks} chunks, {losses} losses", texts.len());
    println!("{over} chunks above the maximum, {small} below the minimum");

    let dialect = passage_core::split::MARKDOWN_DIALECT;
    // In turns, and the best of each, so that a busy machine harms both or none.
    let (mut bare, mut ours) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..25 {
        bare = bare.min(time(|| {
            for (_, text) in &texts {
                std::hint::black_box(pulldown_cmark::Parser::new_ext(text, dialect).count());
            }
        }));
        ours = ours.min(time(|| {
            for (_, text) in &texts {
                let chunks = split(text, &MediaType::MARKDOWN, &options, &Characters);
                std::hint::black_box(chunks.expect("in order"));
            }
        }));
    }
    let speed = |milliseconds: f64| bytes as f64 / 1e3 / milliseconds;
    println!("bare parser {bare:.2} ms ({:.0} MB/s)", speed(bare));
    println!("split       {ours:.2} ms ({:.0} MB/s), {:.2} times", speed(ours), ours / bare);
    if losses + over > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
