//! Code: modules, containers and members, whole or in pieces.

use super::{MOST, Piece, Rng};

const NAMES: [&str; 5] = ["Store", "Cache", "run", "close", "new"];

/// Returns the chunks of a file.
pub fn pieces(rng: &mut Rng) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let count = 1 + rng.index(MOST);
    while pieces.len() < count {
        match rng.below(5) {
            0 | 1 => pieces.push(Piece::new(&[], "module", "use std::fmt;\n")),
            2 => member(&[], &mut pieces, rng),
            _ => container(&[], &mut pieces, rng),
        }
    }
    pieces.truncate(count);
    pieces
}

/// Adds a class: its head, its members, its closing part, any of which may be missing.
fn container(above: &[String], pieces: &mut Vec<Piece>, rng: &mut Rng) {
    let section = below(above, rng);
    if rng.percent(5) {
        pieces.push(Piece::new(&section, "container", "struct Whole {}\n"));
        return;
    }
    for _ in 0..*rng.choose(&[0, 1, 1, 1, 1, 1, 2]) {
        pieces.push(Piece::new(&section, "container", "impl Store {\n"));
    }
    for _ in 0..rng.below(6) {
        match rng.below(8) {
            0 if section.len() < 5 => container(&section, pieces, rng),
            1 => pieces.push(Piece::new(&section, "container", "    const MOST: u32 = 1;\n")),
            // A chunk in a section that interrupts the class.
            2 if rng.percent(20) => pieces.push(Piece::new(above, "module", "\n// A word.\n")),
            _ => member(&section, pieces, rng),
        }
    }
    if rng.percent(70) {
        pieces.push(Piece::new(&section, "container", "}\n"));
    }
}

/// Adds a function, in up to three pieces.
fn member(above: &[String], pieces: &mut Vec<Piece>, rng: &mut Rng) {
    let mut section = below(above, rng);
    if rng.percent(1) {
        // Deeper than the 64 sections in which containers are looked up.
        section.extend((0..60 + rng.below(5)).map(|depth| depth.to_string()));
    }
    for _ in 0..*rng.choose(&[1, 1, 1, 2, 3]) {
        pieces.push(Piece::new(&section, "member", "    fn run() {}\n"));
    }
}

/// Returns a section whose name may have been used before: a container is repeated.
fn below(above: &[String], rng: &mut Rng) -> Vec<String> {
    [above, &[(*rng.choose(&NAMES)).to_owned()]].concat()
}
