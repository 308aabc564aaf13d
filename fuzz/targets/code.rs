//! Source code of every language that is split by its syntax.

#![no_main]

const LANGUAGES: [&str; 16] = [
    "text/x-rust",
    "text/x-typescript",
    "text/x-tsx",
    "text/javascript",
    "text/x-jsx",
    "text/x-python",
    "text/x-go",
    "text/x-java",
    "text/x-c",
    "text/x-c++",
    "text/x-csharp",
    "text/x-ruby",
    "text/x-php",
    "text/x-shellscript",
    "text/x-sql",
    "text/css",
];

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &LANGUAGES));
