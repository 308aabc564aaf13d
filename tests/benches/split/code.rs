//! Source code against the parse of the same files.

use std::hint::black_box;
use std::time::Instant;

use passage_split::MediaType;
use tree_sitter::{Language, Parser};

use super::{stored_and_split, written};
use crate::corpus;
use crate::rounds::{Figures, turns};
use crate::table::{Bar, Table};

/// The sample of each language in bytes, equal for all, so that all have the same weight.
const BYTES: usize = 700_000;

/// The files of one language, and one parser for all of them.
struct Files {
    media_type: MediaType,
    parser: Parser,
    texts: Vec<String>,
    bytes: usize,
    /// The times of each round in seconds: the parser, and our way.
    times: [Vec<f64>; 2],
}

fn grammars() -> [(&'static str, Language); 15] {
    [
        ("text/x-rust", tree_sitter_rust::LANGUAGE.into()),
        ("text/x-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        ("text/x-tsx", tree_sitter_typescript::LANGUAGE_TSX.into()),
        ("text/javascript", tree_sitter_javascript::LANGUAGE.into()),
        ("text/x-python", tree_sitter_python::LANGUAGE.into()),
        ("text/x-go", tree_sitter_go::LANGUAGE.into()),
        ("text/x-java", tree_sitter_java::LANGUAGE.into()),
        ("text/x-c", tree_sitter_c::LANGUAGE.into()),
        ("text/x-c++", tree_sitter_cpp::LANGUAGE.into()),
        ("text/x-csharp", tree_sitter_c_sharp::LANGUAGE.into()),
        ("text/x-ruby", tree_sitter_ruby::LANGUAGE.into()),
        ("text/x-php", tree_sitter_php::LANGUAGE_PHP.into()),
        ("text/x-shellscript", tree_sitter_bash::LANGUAGE.into()),
        ("text/x-sql", tree_sitter_sequel::LANGUAGE.into()),
        ("text/css", tree_sitter_css::LANGUAGE.into()),
    ]
}

impl Files {
    /// Collects a language, unless its files are too small to prove anything.
    fn new(media_type: &str, grammar: &Language) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(grammar).expect("the grammar is of a version that is known");
        let texts = corpus::sample(media_type, BYTES);
        let bytes = texts.iter().map(String::len).sum();
        let media_type = MediaType::new(media_type);
        (bytes > BYTES / 16).then(|| Self {
            media_type,
            parser,
            texts,
            bytes,
            times: Default::default(),
        })
    }

    fn parse(&mut self) -> f64 {
        let begun = Instant::now();
        for text in &self.texts {
            black_box(self.parser.parse(text, None));
        }
        begun.elapsed().as_secs_f64()
    }

    fn split(&self) -> f64 {
        let begun = Instant::now();
        for text in &self.texts {
            stored_and_split(text, &self.media_type);
        }
        begun.elapsed().as_secs_f64()
    }

    /// Prints the figures of this language. The first round fills caches and does not count.
    fn report(&self) {
        let speed = |time: &f64| self.bytes as f64 / time;
        let [floor, ours] = &self.times;
        let rounds: Vec<_> = floor
            .iter()
            .zip(ours)
            .skip(1)
            .map(|(floor, ours)| (speed(floor), speed(ours)))
            .collect();
        let figures = Figures::new(&rounds);
        eprintln!(
            "bench: {}: {} files, {:.1} MB, floor {}, ours {}, ratio {:.2}",
            self.media_type,
            self.texts.len(),
            self.bytes as f64 / 1e6,
            written(figures.floor),
            written(figures.ours),
            figures.ratio
        );
    }
}

/// Measures all languages together, and prints the figures of each.
pub async fn measure(table: &mut Table) {
    let grammars = grammars();
    let files = grammars.iter().filter_map(|(name, grammar)| Files::new(name, grammar));
    let files = std::cell::RefCell::new(files.collect::<Vec<_>>());
    let bytes: usize = files.borrow().iter().map(|files| files.bytes).sum();
    let speed = |which: usize, work: fn(&mut Files) -> f64| {
        let mut all = 0.0;
        for files in files.borrow_mut().iter_mut() {
            let time = work(files);
            files.times[which].push(time);
            all += time;
        }
        bytes as f64 / all
    };
    let figures =
        turns(async |_| speed(0, Files::parse), async |_| speed(1, |files| files.split()));
    let figures = figures.await;
    let files = files.into_inner();
    files.iter().for_each(Files::report);
    let what = format!(
        "split {:.1} MB of source code in {} languages by characters, speed",
        bytes as f64 / 1e6,
        files.len()
    );
    let (floor, ours) = (written(figures.floor), written(figures.ours));
    table.row(&what, floor, ours, figures, Bar::AtLeast(0.7));
}
