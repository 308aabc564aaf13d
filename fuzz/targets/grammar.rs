//! One grammar with its scanner: the environment variable `PASSAGE_GRAMMAR` names its media type.
//!
//! An input is a document as it is, so real files are seeds.

#![no_main]

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use std::sync::LazyLock;

static MEDIA_TYPE: LazyLock<MediaType> = LazyLock::new(|| {
    let name = std::env::var("PASSAGE_GRAMMAR").expect("PASSAGE_GRAMMAR names a media type");
    MediaType::new(&name)
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let chunks = split(&text, &MEDIA_TYPE, &options, &Characters).expect("valid limits").chunks;
    let length: usize = chunks.iter().map(|chunk| chunk.content.len()).sum();
    assert_eq!(length, text.len(), "lost text");
});
