//! INI and Java's properties.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &["text/x-ini", "text/x-java-properties"]));
