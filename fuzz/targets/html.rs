//! HTML files.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::converted(input, "text/html"));
