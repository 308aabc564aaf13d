//! Prints the Markdown of documents, or the error of each, with the time that it takes. Form feeds separate pages.

use passage_office::{Converted, Format, Limits, convert};
use passage_split::Place;
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
                let seconds = started.elapsed().as_secs_f64();
                print_pages(&converted);
                let (pages, title) = (converted.marks.len(), converted.title);
                eprintln!("{path}: {pages} pages, title {title:?}, {seconds:.6} seconds");
            }
            Err(error) => eprintln!("{path} {error}"),
        }
    }
}

/// Prints a form feed before each page but the first, as pdftotext does, also before a page without text.
fn print_pages(converted: &Converted) {
    let (mut page, mut start) = (1, 0);
    for mark in &converted.marks {
        if let Place::Page(number) = mark.place {
            print!("{}", &converted.text[start..mark.start]);
            print!("{}", "\u{c}\n".repeat(number.saturating_sub(page)));
            (page, start) = (number, mark.start);
        }
    }
    println!("{}", &converted.text[start..]);
}
