//! Code: modules, containers and members, whole or in pieces.

use super::{Dice, MOST, Piece};

const NAMES: [&str; 5] = ["Store", "Cache", "run", "close", "new"];

/// The chunks of a file.
pub fn pieces(dice: &mut Dice) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let count = 1 + dice.place(MOST);
    while pieces.len() < count {
        match dice.below(5) {
            0 | 1 => pieces.push(Piece::new(&[], "module", "use std::fmt;\n")),
            2 => member(&[], &mut pieces, dice),
            _ => container(&[], &mut pieces, dice),
        }
    }
    pieces.truncate(count);
    pieces
}

/// A class: its head, its members, its closing part, any of which may be missing.
fn container(above: &[String], pieces: &mut Vec<Piece>, dice: &mut Dice) {
    let section = below(above, dice);
    if dice.percent(5) {
        pieces.push(Piece::new(&section, "container", "struct Whole {}\n"));
        return;
    }
    for _ in 0..*dice.pick(&[0, 1, 1, 1, 1, 1, 2]) {
        pieces.push(Piece::new(&section, "container", "impl Store {\n"));
    }
    for _ in 0..dice.below(6) {
        match dice.below(8) {
            0 if section.len() < 5 => container(&section, pieces, dice),
            1 => pieces.push(Piece::new(&section, "container", "    const MOST: u32 = 1;\n")),
            // What follows in another place than where it belongs.
            2 if dice.percent(20) => pieces.push(Piece::new(above, "module", "\n// A word.\n")),
            _ => member(&section, pieces, dice),
        }
    }
    if dice.percent(70) {
        pieces.push(Piece::new(&section, "container", "}\n"));
    }
}

/// A function, in up to three pieces.
fn member(above: &[String], pieces: &mut Vec<Piece>, dice: &mut Dice) {
    let mut section = below(above, dice);
    if dice.percent(1) {
        // So deep that its containers are not looked for all the way up.
        section.extend((0..60 + dice.below(5)).map(|depth| depth.to_string()));
    }
    for _ in 0..*dice.pick(&[1, 1, 1, 2, 3]) {
        pieces.push(Piece::new(&section, "member", "    fn run() {}\n"));
    }
}

/// A section of a name that may have come before: a container comes again.
fn below(above: &[String], dice: &mut Dice) -> Vec<String> {
    [above, &[(*dice.pick(&NAMES)).to_owned()]].concat()
}
