//! Properties of valid, broken and random data of every format.

mod generators;

use crate::data::names;
use crate::data::standalone::{Counts, Language, check};
use crate::invariants::inputs::{edited, limits};
use crate::invariants::splitting::{find_repeated_section, find_violation};
use generators::{Style, data, json, style, toml, yaml};
use passage_split::{
    Characters, ChunkLimits, DataFormat, MediaType, SplitDocument, SplitOptions, split,
};
use proptest::prelude::*;

const TYPES: [&str; 4] = ["application/json", "application/jsonl", "text/x-yaml", "text/x-toml"];

/// Splits a text and checks the invariants.
fn checked<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    let options = SplitOptions { title: Some("Title"), ..SplitOptions::new(limits) };
    let media_type = MediaType::new(media_type);
    let document = split(text, &media_type, &options, &Characters).unwrap();
    let format = DataFormat::of(&media_type).unwrap();
    assert_eq!(find_violation(text, &document.chunks, limits, &Characters), None);
    assert_eq!(find_repeated_section(&media_type, &document.chunks), None);
    for chunk in &document.chunks {
        if let Some(excerpt) = format.excerpt(chunk.content) {
            assert!(!chunk.content[excerpt.bytes].is_empty());
        }
    }
    if let Some(excerpt) = format.excerpt(text) {
        assert!(!text[excerpt.bytes].is_empty());
    }
    assert_eq!(split(text, &media_type, &options, &Characters).unwrap(), document);
    if let Some(error) = document.syntax_error {
        let lines = text.matches(['\n', '\r']).count() + 1;
        assert!(error.line <= lines && error.column <= text.len() + 1, "{error:?}");
    }
    document
}

/// Splits a valid text and checks that each section parses alone.
fn whole(text: &str, media_type: &str, limits: ChunkLimits) {
    let document = checked(text, media_type, limits);
    assert_eq!(document.syntax_error, None, "{text}");
    let media_type = MediaType::new(media_type);
    let language = Language::of(&media_type).unwrap();
    let failures = check(text, language, &media_type, limits, &mut Counts::default());
    assert_eq!(failures, Vec::<String>::new(), "{text}");
    if language == Language::Json {
        assert_eq!(names::misnamed(text, &document.chunks), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_split_without_loss(text in any::<String>(), limits in limits(16..200)) {
        for media_type in TYPES {
            checked(&text, media_type, limits);
        }
    }

    #[test]
    fn random_data_is_split_without_loss(
        text in "([\\[\\]{}:,\"'#&*!|>?=\\-\\\\/ \t\r\n]|[a-c0-9é\u{feff}]|---\n|\\.\\.\\.\n|\n  |- |: |\\[\\[|\\\\u00e|\"\"\"|'''){0,80}",
        limits in limits(16..200),
    ) {
        for media_type in TYPES {
            checked(&text, media_type, limits);
        }
    }

    #[test]
    fn each_section_of_json_parses_alone(data in data(), style in style(), limits in limits(16..200)) {
        whole(&json(&data, &style), "application/json", limits);
        let line = Style { indent: 0, comments: false, ..style };
        let lines = [json(&data, &line), json(&data, &line)].join("\n");
        whole(&lines, "application/jsonl", limits);
    }

    #[test]
    fn each_section_of_yaml_parses_alone(data in data(), style in style(), limits in limits(16..200)) {
        whole(&yaml(&data, &style), "text/x-yaml", limits);
    }

    #[test]
    fn each_section_of_toml_parses_alone(data in data(), style in style(), limits in limits(16..200)) {
        whole(&toml(&data, &style), "text/x-toml", limits);
    }

    #[test]
    fn broken_data_is_split_without_loss(
        data in data(), style in style(), limits in limits(16..200), at in any::<prop::sample::Index>(),
        length in 0..40_usize, piece in "[\\[\\]{}:,\"'# \n\ré=-]{0,3}",
    ) {
        for (text, media_type) in [
            (json(&data, &style), TYPES[0]), (yaml(&data, &style), TYPES[2]),
            (toml(&data, &style), TYPES[3]),
        ] {
            checked(&edited(&text, at, length, &piece), media_type, limits);
        }
    }
}
