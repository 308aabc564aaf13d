//! Random strategies of a store.

use super::Rng;
use super::calls::limits;
use crate::expansion::model::{PRESETS, UserStrategy};

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

/// Returns strategies, most of them defaults for some media types.
pub fn own(rng: &mut Rng) -> Vec<UserStrategy> {
    let names = ["f", "b", "e", "a", "d", "c"];
    let row = |name: &&str| UserStrategy {
        name: (*name).to_owned(),
        base: rng.choose::<&str>(&PRESETS[1..]),
        default_for: (0..rng.below(3)).map(|_| *rng.choose(&PATTERNS)).collect(),
        limits: limits(20, rng),
    };
    names.iter().map(row).collect()
}
