//! Counts the cuts of a document that have a better one nearby.

use passage_split::{Chunk, ChunkLimits};
use std::fmt;

/// The counts of the chunks of one language.
#[derive(Default)]
pub struct Counts {
    pub files: usize,
    pub chunks: usize,
    /// Cuts inside a line.
    pub inside: usize,
    /// Those with a line end in the second half of the chunk before them.
    pub avoidable: usize,
    /// Chunks of closing brackets only.
    pub closers: usize,
    /// Those that fit the chunk before them.
    pub lone: usize,
    /// Chunks that begin with the opening bracket of the chunk before them.
    pub heads: usize,
}

impl Counts {
    pub const HEADER: &str = "files chunks inside avoidable closers lone heads";
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, chunks, inside, avoidable, closers, lone, heads } = self;
        let share = |count: &usize| 100.0 * *count as f64 / (*chunks).max(1) as f64;
        write!(
            f,
            "{files:5} {chunks:6} {inside:5} ({:.2} %) {avoidable:5} ({:.2} %) {closers:5} ({:.2} %) {lone:5} ({:.2} %) {heads:4}",
            share(inside),
            share(avoidable),
            share(closers),
            share(lone),
        )
    }
}

/// Returns whether a text has closing brackets and separators only.
pub fn is_closer(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['}', ')', ']']) && text.bytes().all(|byte| b"})];, \t\r\n".contains(&byte))
}

/// Counts the cuts of a document, and reports those with a better one.
pub fn count(
    text: &str,
    chunks: &[Chunk<'_>],
    limits: ChunkLimits,
    counts: &mut Counts,
    mut report: impl FnMut(&'static str, usize),
) {
    counts.files += 1;
    counts.chunks += chunks.len();
    for pair in chunks.windows(2) {
        let [before, after] = pair else { continue };
        let at = before.bytes.end;
        if !before.content.ends_with(['\n', '\r']) {
            counts.inside += 1;
            let half = text.ceil_char_boundary(before.bytes.start + before.content.len() / 2);
            if text[half..at].trim_end_matches([' ', '\t']).contains('\n') {
                counts.avoidable += 1;
                let is_edge = before.section != after.section;
                report(if is_edge { "a unit within a line" } else { "inside a line" }, at);
            }
        }
        if is_closer(after.content) {
            counts.closers += 1;
            if before.size + after.size <= limits.max {
                counts.lone += 1;
                report("a lone closing bracket", at);
            }
        }
        let is_head =
            before.content.trim_end().ends_with(')') && after.content.trim_start().starts_with('{');
        if after.content.trim() == "{" || is_head && before.section == after.section {
            counts.heads += 1;
            report("a head without its bracket", at);
        }
    }
}
