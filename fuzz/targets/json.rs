//! JSON and JSON lines.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(
    input,
    &["application/json", "application/jsonl"]
));
