//! The languages that only the client splits by their syntax, and components.

#![no_main]

const MEDIA_TYPES: [&str; 13] = [
    "text/x-kotlin",
    "text/x-swift",
    "text/x-scala",
    "text/x-lua",
    "text/x-dart",
    "text/x-hcl",
    "text/x-protobuf",
    "text/x-graphql",
    "text/x-powershell",
    "text/x-elixir",
    "text/x-vue",
    "text/x-svelte",
    "text/x-astro",
];

libfuzzer_sys::fuzz_target!(|input: &[u8]| passage_fuzz::text(input, &MEDIA_TYPES));
