//! Plain text with its relatives: logs, changelogs, manual pages and makefiles.

#![no_main]

const MEDIA_TYPES: [&str; 4] = ["text/plain", "text/x-changelog", "text/troff", "text/x-makefile"];

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &MEDIA_TYPES));
