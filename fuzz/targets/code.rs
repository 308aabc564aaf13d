//! Source code of every language with a grammar.

#![no_main]

#[path = "../../core/split/tests/invariants/languages.rs"]
mod languages;

use languages::LANGUAGES;

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &LANGUAGES));
