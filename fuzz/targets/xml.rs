//! XML.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &["application/xml"]));
