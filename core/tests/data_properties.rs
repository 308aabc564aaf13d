//! Properties of valid, broken and random data of every format.

#[path = "data_properties/generators.rs"]
mod generators;
#[path = "data/names.rs"]
mod names;
#[path = "data/standalone.rs"]
mod standalone;

use generators::{Style, data, json, style, toml, yaml};
use passage_core::{
    Characters, ChunkLimits, DataFormat, MediaType, Sizer, SplitDocument, SplitOptions, split,
};
use proptest::prelude::*;
use standalone::{Counts, Language, check};

const TYPES: [&str; 4] = ["application/json", "application/jsonl", "text/x-yaml", "text/x-toml"];

fn limits() -> impl Strategy<Value = ChunkLimits> {
    let own = (16_usize..200).prop_flat_map(|max| {
        (Just(max), 1..=max).prop_flat_map(|(max, preferred)| {
            (0..=preferred).prop_map(move |min| ChunkLimits {
                min,
                preferred,
                max,
                window: max + 40,
            })
        })
    });
    prop_oneof![own, Just(ChunkLimits::CHARACTERS)]
}

/// Splits a text and checks the invariants.
fn checked<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    let options = SplitOptions { title: Some("Title"), ..SplitOptions::new(limits) };
    let media_type = MediaType::new(media_type);
    let document = split(text, &media_type, &options, &Characters).unwrap();
    let format = DataFormat::of(&media_type).unwrap();
    let mut end = 0;
    for chunk in &document.chunks {
        assert_eq!(chunk.bytes.start, end);
        assert!(!chunk.content.is_empty());
        assert_eq!(chunk.content, &text[chunk.bytes.clone()]);
        assert_eq!(chunk.size, Characters.size(chunk.content));
        assert!(chunk.size <= limits.max);
        let read = Characters.size(&format!("{}\n{}", chunk.preamble, chunk.content));
        assert!(chunk.preamble.is_empty() || read <= limits.window);
        assert!(!(chunk.content.ends_with('\r') && text[chunk.bytes.end..].starts_with('\n')));
        end = chunk.bytes.end;
        if let Some(excerpt) = format.excerpt(chunk.content) {
            assert!(!chunk.content[excerpt.bytes].is_empty());
        }
    }
    assert_eq!(end, text.len());
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

/// Removes a piece from a text or inserts one.
fn broken(text: &str, at: prop::sample::Index, length: usize, piece: &str) -> String {
    let start = text.floor_char_boundary(at.index(text.len() + 1));
    let end = text.floor_char_boundary((start + length).min(text.len()));
    [&text[..start], piece, &text[end..]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_string_is_split_without_loss(text in any::<String>(), limits in limits()) {
        for media_type in TYPES {
            checked(&text, media_type, limits);
        }
    }

    #[test]
    fn random_data_is_split_without_loss(
        text in "([\\[\\]{}:,\"'#&*!|>?=\\-\\\\/ \t\r\n]|[a-c0-9é\u{feff}]|---\n|\\.\\.\\.\n|\n  |- |: |\\[\\[|\\\\u00e|\"\"\"|'''){0,80}",
        limits in limits(),
    ) {
        for media_type in TYPES {
            checked(&text, media_type, limits);
        }
    }

    #[test]
    fn each_section_of_json_parses_alone(data in data(), style in style(), limits in limits()) {
        whole(&json(&data, &style), "application/json", limits);
        let line = Style { indent: 0, comments: false, ..style };
        let lines = [json(&data, &line), json(&data, &line)].join("\n");
        whole(&lines, "application/jsonl", limits);
    }

    #[test]
    fn each_section_of_yaml_parses_alone(data in data(), style in style(), limits in limits()) {
        whole(&yaml(&data, &style), "text/x-yaml", limits);
    }

    #[test]
    fn each_section_of_toml_parses_alone(data in data(), style in style(), limits in limits()) {
        whole(&toml(&data, &style), "text/x-toml", limits);
    }

    #[test]
    fn broken_data_is_split_without_loss(
        data in data(), style in style(), limits in limits(), at in any::<prop::sample::Index>(),
        length in 0..40_usize, piece in "[\\[\\]{}:,\"'# \n\ré=-]{0,3}",
    ) {
        for (text, media_type) in [
            (json(&data, &style), TYPES[0]), (yaml(&data, &style), TYPES[2]),
            (toml(&data, &style), TYPES[3]),
        ] {
            checked(&broken(&text, at, length, &piece), media_type, limits);
        }
    }
}
