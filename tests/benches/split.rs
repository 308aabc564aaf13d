//! Splitting Markdown against the parser that it stands on, over the same bytes.

use std::hint::black_box;
use std::time::Instant;

use passage_core::split::MARKDOWN_DIALECT;
use passage_core::{Characters, Limits, MediaType, Options, split};
use pulldown_cmark::Parser;

use crate::corpus;
use crate::rounds::turns;
use crate::table::{Bar, Table};

const ROUNDS: usize = 15;

/// Measures both in bytes a second.
pub async fn measure(table: &mut Table) {
    let texts = corpus::markdown();
    let bytes: usize = texts.iter().map(String::len).sum();
    let options = Options { title: Some("Title"), ..Options::new(Limits::CHARACTERS) };
    let speed = |work: &dyn Fn(&str)| {
        let begun = Instant::now();
        for text in &texts {
            work(text);
        }
        bytes as f64 / begun.elapsed().as_secs_f64()
    };
    let parse = |text: &str| {
        black_box(Parser::new_ext(text, MARKDOWN_DIALECT).count());
    };
    let ours = |text: &str| {
        let chunks = split(text, &MediaType::MARKDOWN, &options, &Characters);
        black_box(chunks.expect("the limits are in order"));
    };
    let figures = turns(ROUNDS, async |_| speed(&parse), async |_| speed(&ours)).await;
    let written = |speed: f64| format!("{:.0} MB/s", speed / 1e6);
    let what = format!("split {} MB of Markdown by characters, speed", bytes / 1_000_000);
    let (floor, ours) = (written(figures.floor), written(figures.ours));
    table.row(&what, floor, ours, figures, Bar::AtLeast(0.5));
}
