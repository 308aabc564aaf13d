//! Code: modules, containers and members, whole or in pieces that may begin inside of a statement.

use super::{GeneratedChunk, MAX_PIECES, Rng};

const NAMES: [&str; 5] = ["Store", "Cache", "run", "close", "new"];

/// Returns the chunks of a file.
pub fn pieces(rng: &mut Rng) -> Vec<GeneratedChunk> {
    let mut pieces = Vec::new();
    let count = 1 + rng.index(MAX_PIECES);
    while pieces.len() < count {
        match rng.below(5) {
            0 | 1 => run(&[], "module", "use std::fmt;\n", &[1, 1, 1, 3], &mut pieces, rng),
            2 => member(&[], &mut pieces, rng),
            _ => container(&[], &mut pieces, rng),
        }
    }
    pieces.truncate(count);
    pieces
}

/// Adds a class: its head, its members, its closing part, any of which may be missing.
fn container(above: &[String], pieces: &mut Vec<GeneratedChunk>, rng: &mut Rng) {
    let section = below(above, rng);
    if rng.percent(5) {
        pieces.push(GeneratedChunk::new(&section, "container", "struct Whole {}\n"));
        return;
    }
    run(&section, "container", "impl Store {\n", &[0, 1, 3, 4, 6, 8], pieces, rng);
    for _ in 0..rng.below(6) {
        match rng.below(9) {
            0 if section.len() < 5 => container(&section, pieces, rng),
            1 => run(&section, "container", "    const A: u32 = 1;\n", &[1, 1, 2, 5], pieces, rng),
            // A chunk in a section that interrupts the class.
            2 if rng.percent(20) => {
                pieces.push(GeneratedChunk::new(above, "module", "\n// A word.\n"));
            }
            3 => {
                // Small members in one chunk.
                let members =
                    GeneratedChunk::new(&section, "member", "    fn new() {}\n    fn get() {}\n");
                pieces.push(members.deeper(1));
            }
            _ => member(&section, pieces, rng),
        }
    }
    if rng.percent(70) {
        // The model does not read brackets, so none is left over in a chunk of a member.
        run(&section, "container", "// The end of {}\n", &[1, 1, 1, 5], pieces, rng);
    }
}

/// Adds a function, whole or in pieces, perhaps with a function in it.
fn member(above: &[String], pieces: &mut Vec<GeneratedChunk>, rng: &mut Rng) {
    let mut section = below(above, rng);
    if rng.percent(1) {
        // Deeper than the 64 sections in which containers are looked up.
        section.extend((0..60 + rng.below(5)).map(|depth| depth.to_string()));
    }
    let first = pieces.len();
    run(&section, "member", "    fn run() {}\n", &[1, 1, 1, 2, 3, 6, 10], pieces, rng);
    if rng.percent(5) {
        // A function in the value of a field.
        pieces[first].deeper += 1;
    }
    if section.len() < 5 && rng.percent(15) {
        member(&section, pieces, rng);
        run(&section, "member", "    run();\n", &[0, 1, 2], pieces, rng);
    }
}

/// Adds pieces of a section. All but the first may begin inside of a statement.
fn run(
    section: &[String],
    unit: &'static str,
    content: &str,
    counts: &[usize],
    pieces: &mut Vec<GeneratedChunk>,
    rng: &mut Rng,
) {
    let inside = *rng.choose(&[0, 20, 60, 100]);
    for index in 0..*rng.choose(counts) {
        let is_inside = index > 0 && rng.percent(inside);
        pieces.push(GeneratedChunk::new(section, unit, content).deeper(usize::from(is_inside)));
    }
}

/// Returns a section whose name may have been used before: a container is repeated.
fn below(above: &[String], rng: &mut Rng) -> Vec<String> {
    [above, &[(*rng.choose(&NAMES)).to_owned()]].concat()
}
