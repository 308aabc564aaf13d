//! Prints the Markdown of documents, or the error of each, with the time that it takes.

use passage_office::{Format, Limits, convert};
use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let started = Instant::now();
        let Some(format) = Format::recognize(&path, &bytes) else {
            eprintln!("{path}: text");
            continue;
        };
        match convert(format, &bytes, Limits::default()) {
            Ok(converted) => {
                println!("{}", converted.text);
                let (places, title) = (converted.marks.len(), converted.title);
                eprintln!("{path}: {places} places, title {title:?}, {:.2?}", started.elapsed());
            }
            Err(error) => eprintln!("{path} {error}"),
        }
    }
}
