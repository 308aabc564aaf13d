/*!
JSON values, cut as a splitter cuts them.

Key, colon and comma belong to the chunks of the container around a value, so the chunks of a container parse
alone, unless they have flaws.
*/

use super::{MOST, Piece, Rng};

/// Returns the chunks of a value, which is invalid in some documents.
pub fn pieces(rng: &mut Rng) -> Vec<Piece> {
    let mut pieces = loop {
        let mut pieces = Vec::new();
        let root = [if rng.percent(95) { "root" } else { "doc" }.to_owned()];
        let mut text = String::from(*rng.choose(&["", "", "", "\n", " "]));
        container(&root, &mut text, &mut pieces, rng, 0);
        text.push_str(rng.choose::<&str>(&["\n", ""]));
        flush(&root, &mut text, &mut pieces);
        if pieces.len() <= MOST {
            break pieces;
        }
    };
    for _ in 0..*rng.choose(&[0, 0, 0, 0, 1, 3]) {
        let index = rng.index(pieces.len());
        match rng.below(5) {
            0 if pieces.len() > 1 => drop(pieces.remove(index)),
            1 => pieces[index].content.push(','),
            2 => drop(pieces[index].content.pop()),
            3 => drop(pieces[index].section.pop()),
            _ => pieces[index].section.push("k1".to_owned()),
        }
    }
    pieces
}

/// Adds an object or array. `text` is the part of its container that is not yet in a chunk.
fn container(
    section: &[String],
    text: &mut String,
    pieces: &mut Vec<Piece>,
    rng: &mut Rng,
    depth: usize,
) {
    let is_object = rng.percent(60);
    text.push(if is_object { '{' } else { '[' });
    let count = rng.below(5);
    for i in 0..count {
        if i > 0 {
            text.push(',');
        }
        let key = format!("k{}", if is_object && rng.percent(10) { 0 } else { i });
        if is_object {
            text.extend(["\n  \"", &key, "\": "]);
        }
        let below = [section, &[key]].concat();
        match rng.below(10) {
            0..3 if depth < 4 => {
                flush(section, text, pieces);
                let mut own = String::new();
                container(&below, &mut own, pieces, rng, depth + 1);
                flush(&below, &mut own, pieces);
            }
            3..5 => text.push_str(rng.choose::<&str>(&["{\"a\": [1, 2]}", "[]", "{ }"])),
            5..8 => text.push_str(scalar(rng)),
            8 => {
                flush(section, text, pieces);
                let unit = *rng.choose(&["value", "container"]);
                let alone = if unit == "value" { scalar(rng) } else { "[{\"b\": null}]" };
                pieces.push(Piece::new(&below, unit, alone));
            }
            // A long text, in several pieces.
            _ => {
                flush(section, text, pieces);
                pieces.push(Piece::new(&below, "value", "\"one "));
                pieces.push(Piece::new(&below, "value", "twö\""));
            }
        }
        if rng.percent(20) {
            flush(section, text, pieces);
        }
    }
    text.push(if is_object { '}' } else { ']' });
}

fn scalar(rng: &mut Rng) -> &'static str {
    rng.choose::<&str>(&["1", "-2.5e3", "true", "null", "\"text\"", "\"\""])
}

fn flush(section: &[String], text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::new(section, "container", std::mem::take(text)));
    }
}
