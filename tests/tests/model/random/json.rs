/*!
JSON: real values, cut as a splitter does.

Key, colon and comma belong to the chunks of the container around a value, so the chunks of a
container parse alone; unless something is wrong with them.
*/

use super::{Dice, MOST, Piece};

/// The chunks of a value, which in some documents is broken.
pub fn pieces(dice: &mut Dice) -> Vec<Piece> {
    let mut pieces = loop {
        let mut pieces = Vec::new();
        let root = [if dice.percent(95) { "root" } else { "doc" }.to_owned()];
        let mut text = String::from(*dice.pick(&["", "", "", "\n", " "]));
        container(&root, &mut text, &mut pieces, dice, 0);
        text.push_str(dice.pick::<&str>(&["\n", ""]));
        flush(&root, &mut text, &mut pieces);
        if pieces.len() <= MOST {
            break pieces;
        }
    };
    for _ in 0..*dice.pick(&[0, 0, 0, 0, 1, 3]) {
        let place = dice.place(pieces.len());
        match dice.below(5) {
            0 if pieces.len() > 1 => drop(pieces.remove(place)),
            1 => pieces[place].content.push(','),
            2 => drop(pieces[place].content.pop()),
            3 => drop(pieces[place].section.pop()),
            _ => pieces[place].section.push("k1".to_owned()),
        }
    }
    pieces
}

/// Writes an object or array; `text` is what was written of its container and is no chunk yet.
fn container(
    section: &[String],
    text: &mut String,
    pieces: &mut Vec<Piece>,
    dice: &mut Dice,
    depth: usize,
) {
    let is_object = dice.percent(60);
    text.push(if is_object { '{' } else { '[' });
    let count = dice.below(5);
    for i in 0..count {
        if i > 0 {
            text.push(',');
        }
        let key = format!("k{}", if is_object && dice.percent(10) { 0 } else { i });
        if is_object {
            text.extend(["\n  \"", &key, "\": "]);
        }
        let below = [section, &[key]].concat();
        match dice.below(10) {
            0..3 if depth < 4 => {
                flush(section, text, pieces);
                let mut own = String::new();
                container(&below, &mut own, pieces, dice, depth + 1);
                flush(&below, &mut own, pieces);
            }
            3..5 => text.push_str(dice.pick::<&str>(&["{\"a\": [1, 2]}", "[]", "{ }"])),
            5..8 => text.push_str(scalar(dice)),
            8 => {
                flush(section, text, pieces);
                let unit = *dice.pick(&["value", "container"]);
                let alone = if unit == "value" { scalar(dice) } else { "[{\"b\": null}]" };
                pieces.push(Piece::new(&below, unit, alone));
            }
            // A long text, in several pieces.
            _ => {
                flush(section, text, pieces);
                pieces.push(Piece::new(&below, "value", "\"one "));
                pieces.push(Piece::new(&below, "value", "twö\""));
            }
        }
        if dice.percent(20) {
            flush(section, text, pieces);
        }
    }
    text.push(if is_object { '}' } else { ']' });
}

fn scalar(dice: &mut Dice) -> &'static str {
    dice.pick::<&str>(&["1", "-2.5e3", "true", "null", "\"text\"", "\"\""])
}

fn flush(section: &[String], text: &mut String, pieces: &mut Vec<Piece>) {
    if !text.is_empty() {
        pieces.push(Piece::new(section, "container", std::mem::take(text)));
    }
}
