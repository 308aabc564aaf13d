/*!
Splitting by characters against the parser that it uses, over the same bytes.

The floor of each kind is the work that every program needs for the structure: for Markdown the events of the
parser, for code a parse with one parser for all files, for HTML the conversion by the library alone, for JSON
the parse into a value, for YAML and TOML the events. The documents are real files (see `corpus`).
*/

mod code;
mod growth;
mod memory;
mod parsers;

use std::hint::black_box;
use std::time::Instant;

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, convert, split};

use crate::corpus;
use crate::rounds::turns;
use crate::table::{Bar, Table};

pub use memory::is_worker;

/// The sample of each kind in bytes.
const BYTES: usize = 4_000_000;

/// A kind of document, its floor, and its bar.
struct SplitBenchmark {
    media_type: &'static str,
    name: &'static str,
    least: f64,
    /// Parses a text. Returns whether it was valid.
    floor: fn(&str) -> bool,
}

const AGAINST: [SplitBenchmark; 5] = [
    SplitBenchmark {
        media_type: "text/markdown",
        name: "Markdown",
        least: 0.5,
        floor: parsers::markdown,
    },
    SplitBenchmark { media_type: "text/html", name: "HTML", least: 0.5, floor: parsers::html },
    SplitBenchmark {
        media_type: "application/json",
        name: "JSON",
        least: 0.3,
        floor: parsers::json,
    },
    SplitBenchmark { media_type: "text/x-yaml", name: "YAML", least: 0.5, floor: parsers::yaml },
    SplitBenchmark { media_type: "text/x-toml", name: "TOML", least: 0.5, floor: parsers::toml },
];

/// Measures speed in bytes per second, then the growth of time, and memory.
pub async fn measure(table: &mut Table) {
    for against in &AGAINST {
        of_kind(table, against).await;
    }
    code::measure(table).await;
    growth::measure(table).await;
    memory::measure(table).await;
}

async fn of_kind(table: &mut Table, against: &SplitBenchmark) {
    let SplitBenchmark { media_type, name, least, floor } = against;
    let mut texts = match *media_type {
        "text/markdown" => corpus::markdown(),
        _ => corpus::sample(media_type, BYTES),
    };
    // A text that is not valid is split as plain text, which no parser is a floor of.
    texts.retain(|text| floor(text));
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes < BYTES / 16 {
        return table.note(format!("{name} is left out: `make corpus` fetches it"));
    }
    let media_type = MediaType::new(media_type);
    let speed = |work: &dyn Fn(&str)| {
        let begun = Instant::now();
        for text in &texts {
            work(text);
        }
        bytes as f64 / begun.elapsed().as_secs_f64()
    };
    let floor = |text: &str| {
        black_box(floor(text));
    };
    let ours = |text: &str| stored_and_split(text, &media_type);
    let figures = turns(async |_| speed(&floor), async |_| speed(&ours)).await;
    let what = format!("split {:.1} MB of {name} by characters, speed", bytes as f64 / 1_000_000.0);
    let (floor, ours) = (written(figures.floor), written(figures.ours));
    table.row(&what, floor, ours, figures, Bar::AtLeast(*least));
}

/// Does the work of an ingest except for embedding.
fn stored_and_split(text: &str, media_type: &MediaType) {
    let options =
        SplitOptions { title: Some("Title"), ..SplitOptions::new(ChunkLimits::CHARACTERS) };
    let run = |text, media_type| {
        let split = split(text, media_type, &options, &Characters);
        black_box(split.expect("the limits are in order"));
    };
    match convert(text, media_type, None).expect("only notebooks are refused") {
        Some(converted) => run(&converted.text, &converted.media_type),
        None => run(text, media_type),
    }
}

fn written(speed: f64) -> String {
    if speed < 1e7 {
        format!("{:.1} MB/s", speed / 1e6)
    } else {
        format!("{:.0} MB/s", speed / 1e6)
    }
}
