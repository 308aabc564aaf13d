//! The speed of splitting code against a bare parse of the same files, as a ratio.
//!
//! `PASSAGE_CODE=FOLDER:FOLDER cargo test --release -p passage-core --features code --test code_speed
//! -- --ignored --nocapture` prints one for each language. Both take turns over all files, each with
//! a parser that is used again, and of the rounds the fastest count.

#![cfg(feature = "code")]

use passage_core::{Characters, Limits, MediaType, Options, split};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};
use tree_sitter::{Language, Parser};

const ROUNDS: usize = 9;

/// The least that the ratio may be.
const BAR: f64 = 0.7;

/// A media type and its grammar.
type Grammar = (&'static str, fn() -> Language);

const GRAMMARS: [Grammar; 15] = [
    ("text/x-rust", || tree_sitter_rust::LANGUAGE.into()),
    ("text/x-typescript", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    ("text/x-tsx", || tree_sitter_typescript::LANGUAGE_TSX.into()),
    ("text/javascript", || tree_sitter_javascript::LANGUAGE.into()),
    ("text/x-python", || tree_sitter_python::LANGUAGE.into()),
    ("text/x-go", || tree_sitter_go::LANGUAGE.into()),
    ("text/x-java", || tree_sitter_java::LANGUAGE.into()),
    ("text/x-c", || tree_sitter_c::LANGUAGE.into()),
    ("text/x-c++", || tree_sitter_cpp::LANGUAGE.into()),
    ("text/x-csharp", || tree_sitter_c_sharp::LANGUAGE.into()),
    ("text/x-ruby", || tree_sitter_ruby::LANGUAGE.into()),
    ("text/x-php", || tree_sitter_php::LANGUAGE_PHP.into()),
    ("text/x-shellscript", || tree_sitter_bash::LANGUAGE.into()),
    ("text/x-sql", || tree_sitter_sequel::LANGUAGE.into()),
    ("text/css", || tree_sitter_css::LANGUAGE.into()),
];

fn gather(folder: &Path, texts: &mut BTreeMap<String, Vec<String>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() {
            gather(&path, texts);
        } else if kind.is_file()
            && let Some(media_type) = MediaType::of_file(&path.to_string_lossy())
            && let Ok(text) = fs::read_to_string(&path)
        {
            texts.entry(media_type.name().to_owned()).or_default().push(text);
        }
    }
}

fn timed(work: impl Fn()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

#[test]
#[ignore = "measures, and wants folders and minutes"]
fn splitting_takes_little_more_than_parsing() {
    let folders = std::env::var("PASSAGE_CODE").expect("PASSAGE_CODE names folders");
    let mut texts = BTreeMap::new();
    folders.split(':').for_each(|folder| gather(Path::new(folder), &mut texts));
    let options = Options::new(Limits::CHARACTERS);
    let mut slow = Vec::new();
    for (name, grammar) in GRAMMARS {
        let Some(texts) = texts.get(name) else { continue };
        let mut parser = Parser::new();
        parser.set_language(&grammar()).unwrap();
        let parser = std::cell::RefCell::new(parser);
        let media_type = MediaType::new(name);
        let [mut floor, mut ours] = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            floor = floor.min(timed(|| {
                for text in texts {
                    drop(parser.borrow_mut().parse(text, None));
                }
            }));
            ours = ours.min(timed(|| {
                for text in texts {
                    drop(split(text, &media_type, &options, &Characters));
                }
            }));
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        let ratio = floor.as_secs_f64() / ours.as_secs_f64();
        println!(
            "{name}: {} files, {:.1} MB; parse {:.1} MB/s, split {:.1} MB/s, ratio {ratio:.2}",
            texts.len(),
            bytes as f64 / 1e6,
            speed(floor),
            speed(ours),
        );
        if ratio < BAR {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "below {BAR}: {slow:?}");
}
