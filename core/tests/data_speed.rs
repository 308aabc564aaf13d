/*!
How fast data is split, against its parser alone over the same bytes.

Run with `PASSAGE_DATA` naming files or folders, one a line:
`cargo test --release -p passage-core --test data_speed -- --ignored --nocapture`.
*/

#[path = "data/alone.rs"]
#[allow(dead_code)]
mod alone;

use passage_core::{Characters, Limits, MediaType, Options, split};
use saphyr_parser::Parser;
use std::{borrow::Cow, fs, hint::black_box, path::Path, time::Instant};
use toml_parser::{
    ParseError, Raw, Source,
    parser::{Event, EventKind, parse_document},
};

fn texts(path: &Path, extensions: &[&str], found: &mut Vec<String>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| texts(&entry.path(), extensions, found));
    } else if path.extension().is_some_and(|end| extensions.iter().any(|known| end == *known))
        && let Ok(text) = fs::read_to_string(path)
    {
        found.push(text);
    }
}

/// Prints the speed of both, the best of alternating rounds, and the ratio.
fn measure(extensions: &[&str], media_type: &str, parse: impl Fn(&str) -> bool) {
    let folders = std::env::var("PASSAGE_DATA").expect("PASSAGE_DATA names folders");
    let mut all = Vec::new();
    folders.lines().for_each(|folder| texts(Path::new(folder), extensions, &mut all));
    all.retain(|text| parse(text));
    let bytes: usize = all.iter().map(String::len).sum();
    let options = Options::new(Limits::CHARACTERS);
    let media_type = MediaType::new(media_type);
    let time = |work: &dyn Fn(&str)| {
        let begun = Instant::now();
        for text in &all {
            work(text);
        }
        begun.elapsed().as_secs_f64()
    };
    let (mut theirs, mut ours) = (f64::MAX, f64::MAX);
    for _ in 0..9 {
        theirs = theirs.min(time(&|text| {
            black_box(parse(text));
        }));
        ours = ours.min(time(&|text| {
            black_box(split(text, &media_type, &options, &Characters).unwrap());
        }));
    }
    let speed = |time: f64| bytes as f64 / 1e6 / time;
    println!(
        "{media_type}: {} files, {:.1} MB, parser {:.0} MB/s, split {:.0} MB/s, ratio {:.2}",
        all.len(),
        bytes as f64 / 1e6,
        speed(theirs),
        speed(ours),
        theirs / ours
    );
}

#[test]
#[ignore = "measures the folders that PASSAGE_DATA names"]
fn json_against_serde_json() {
    measure(&["json"], "application/json", |text| {
        serde_json::from_str::<serde_json::Value>(text).is_ok()
    });
}

#[test]
#[ignore = "measures the folders that PASSAGE_DATA names"]
fn yaml_against_its_event_parser() {
    measure(&["yaml", "yml"], "text/x-yaml", |text| {
        Parser::new_from_str(text).all(|event| event.is_ok())
    });
}

/// The parser takes any word for a value and any escape: without decoding it cannot tell what is
/// TOML. Both are measured, and the first one is the bar.
#[test]
#[ignore = "measures the folders that PASSAGE_DATA names"]
fn toml_against_its_event_parser() {
    measure(&["toml", "lock"], "text/x-toml", decodes_as_toml);
    println!("the same without decoding:");
    measure(&["toml", "lock"], "text/x-toml", alone::parses_as_toml);
}

fn decodes_as_toml(text: &str) -> bool {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let (mut error, mut wrong) = (None::<ParseError>, None::<ParseError>);
    let mut decode = |event: Event| {
        let Some(raw) = source.get(event.span()) else { return };
        let raw = Raw::new_unchecked(raw.as_str(), event.encoding(), event.span());
        let mut value = Cow::Borrowed("");
        match event.kind() {
            EventKind::SimpleKey => raw.decode_key(&mut value, &mut wrong),
            EventKind::Scalar => {
                black_box(raw.decode_scalar(&mut value, &mut wrong));
            }
            _ => {}
        }
    };
    parse_document(&tokens, &mut decode, &mut error);
    error.or(wrong).is_none()
}
