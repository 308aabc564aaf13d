//! Comma-separated values.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &["text/csv"]));
