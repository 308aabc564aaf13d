//! Prose: headings of all levels; some levels are skipped, and some headings are equal.

use super::{GeneratedChunk, MAX_PIECES, Rng};

const TITLES: [&str; 6] = ["Guide", "Install", "Use", "Notes", "Ä \"x\\y\", {z}", ""];

/// Returns the chunks of a page.
pub fn pieces(rng: &mut Rng) -> Vec<GeneratedChunk> {
    let count = 1 + rng.index(MAX_PIECES);
    // With few titles sections are often repeated, with many seldom.
    let titles = 2 + rng.index(TITLES.len() - 1);
    let deep = rng.percent(2);
    let mut section: Vec<String> = Vec::new();
    let mut pieces = Vec::new();
    for _ in 0..count {
        match rng.below(12) {
            0..4 => {}
            4..7 => section.push(title(rng, titles)),
            7 => {
                section.push(title(rng, titles));
                section.push(title(rng, titles));
            }
            8..10 => {
                section.pop();
                section.push(title(rng, titles));
            }
            10 => section.truncate(rng.index(section.len() + 1)),
            _ if rng.percent(30) => section.clear(),
            _ => {
                section.pop();
            }
        }
        if deep && section.len() < 60 {
            section.extend((0..30).map(|depth| depth.to_string()));
        }
        let words = rng.index(12);
        pieces.push(GeneratedChunk::new(&section, "text", "wört ".repeat(words)));
    }
    pieces
}

fn title(rng: &mut Rng, titles: usize) -> String {
    TITLES[rng.index(titles)].to_owned()
}
