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
                let seconds = started.elapsed().as_secs_f64();
                let (pages, title) = (converted.marks.len(), converted.title);
                eprintln!("{path}: {pages} pages, title {title:?}, {seconds:.6} seconds");
            }
            Err(error) => eprintln!("{path} {error}"),
        }
    }
}
