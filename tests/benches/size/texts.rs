//! Paragraphs of documentation, and their embeddings, which are computed once for a target folder.

use std::collections::HashSet;
use std::process::{Command, Stdio};

use passage::embed::{Embedding, Model};

use crate::{corpus, million};

/// The bytes of a paragraph.
const BYTES: std::ops::RangeInclusive<usize> = 60..=250;

/// The first argument of the process that embeds.
const WORKER: &str = "size-worker";

/// Returns the embeddings of some paragraphs.
pub fn embeddings(number: usize) -> Vec<Embedding> {
    let worker = Command::new(std::env::current_exe().expect("a program knows where it is"))
        .args([WORKER, &number.to_string()])
        .stdin(Stdio::null())
        .status();
    assert!(worker.is_ok_and(|status| status.success()), "embedding failed");
    embed(number)
}

/// Returns the embeddings of paragraphs that follow those of [`embeddings`].
pub fn others(after: usize, number: usize) -> Vec<Embedding> {
    embeddings(after + number).split_off(after)
}

/// Embeds if this process was started for it, and returns whether it was.
///
/// # Panics
///
/// Panics if the model is missing.
pub fn is_worker() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(WORKER) {
        return false;
    }
    let number = arguments.next().and_then(|number| number.parse().ok());
    embed(number.expect("the number comes next"));
    million::asked_embeddings();
    true
}

fn embed(number: usize) -> Vec<Embedding> {
    let model = Model::load(&million::model_folder()).expect("the model is there");
    let texts = paragraphs(number);
    million::known(&model, &texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Returns different paragraphs of Markdown and of comments for documentation, spread over all files.
fn paragraphs(number: usize) -> Vec<String> {
    let (_, files) = corpus::rust();
    let mut files: Vec<_> = files.into_iter().enumerate().collect();
    // Multiples of the golden ratio are spread evenly.
    files.sort_by_key(|(number, _)| (*number as u32).wrapping_mul(2_654_435_769));
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(number);
    for (_, (path, text)) in files {
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        let text = if is_code { comments(&text) } else { text };
        for paragraph in text.split("\n\n").map(str::trim) {
            if BYTES.contains(&paragraph.len()) && seen.insert(paragraph.to_owned()) {
                found.push(paragraph.to_owned());
                if found.len() == number {
                    return found;
                }
            }
        }
    }
    panic!("there are only {} paragraphs", found.len());
}

/// Returns the comments for documentation in Rust, with an empty line in place of other lines.
fn comments(code: &str) -> String {
    let comment = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
            .unwrap_or("")
            .trim()
            .to_owned()
    };
    code.lines().map(comment).collect::<Vec<_>>().join("\n")
}
