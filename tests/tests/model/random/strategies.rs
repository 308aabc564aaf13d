//! Random strategies of a store's own.

use super::Dice;
use super::calls::limits;
use crate::model::{Own, PRESETS};

const PATTERNS: [&str; 11] = [
    "text/markdown",
    "text/x-python",
    "application/json",
    "text/x-json",
    "application/toml",
    "text/vnd.nobody-knows",
    "text/*",
    "text/*",
    "application/*",
    "image/*",
    "*/*",
];

/// Some strategies, most of them default for some media types.
pub fn own(dice: &mut Dice) -> Vec<Own> {
    let names = ["f", "b", "e", "a", "d", "c"];
    let row = |name: &&str| Own {
        name: (*name).to_owned(),
        base: dice.pick::<&str>(&PRESETS[1..]),
        default_for: (0..dice.below(3)).map(|_| *dice.pick(&PATTERNS)).collect(),
        limits: limits(20, dice),
    };
    names.iter().map(row).collect()
}
