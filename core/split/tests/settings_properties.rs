//! Properties of XML, INI and Java's properties: generated, broken and random documents.

use crate::data::well_formed::is_well_formed;
use crate::invariants::inputs::{edited, limits};
use crate::invariants::splitting::{find_repeated_section, find_violation};
use passage_split::{
    Characters, Chunk, ChunkLimits, DataFormat, MediaType, SplitDocument, SplitOptions, Unit, split,
};
use proptest::prelude::*;

const TYPES: [&str; 3] = ["application/xml", "text/x-ini", "text/x-java-properties"];

fn checked<'t>(text: &'t str, media_type: &str, limits: ChunkLimits) -> SplitDocument<'t> {
    let options = SplitOptions { title: Some("Title"), ..SplitOptions::new(limits) };
    let media_type = MediaType::new(media_type);
    let document = split(text, &media_type, &options, &Characters).unwrap();
    assert_eq!(find_violation(text, &document.chunks, limits, &Characters), None);
    assert_eq!(find_repeated_section(&media_type, &document.chunks), None);
    assert_eq!(split(text, &media_type, &options, &Characters).unwrap(), document);
    document
}

/// An element with attributes, text and elements.
#[derive(Clone, Debug)]
struct Element {
    name: String,
    attribute: Option<String>,
    before: String,
    inside: Vec<(Element, String)>,
}

fn element() -> impl Strategy<Value = Element> {
    let text = prop_oneof![
        4 => Just(String::new()),
        2 => Just("\n  ".to_owned()),
        2 => "[a-zé &;\"'>]{0,30}".prop_map(|text| text.replace('&', "&amp;")),
        1 => "[a-z<>/ ]{0,20}".prop_map(|text| format!("<!-- {text} -->")),
        1 => "[a-z<>/ ]{0,20}".prop_map(|text| format!("<![CDATA[{text}]]>")),
        1 => Just("<?target <a>?>\n".to_owned()),
    ];
    let name = "[a-cé_]([a-z:.-]{0,3})";
    let attribute = prop::option::of("[a-z>/' é]{0,12}");
    let leaf = (name, attribute.clone(), text.clone()).prop_map(|(name, attribute, before)| {
        Element { name, attribute, before, inside: Vec::new() }
    });
    leaf.prop_recursive(5, 80, 7, move |inner| {
        let inside = prop::collection::vec((inner, text.clone()), 0..7);
        (name, attribute.clone(), text.clone(), inside).prop_map(
            |(name, attribute, before, inside)| Element { name, attribute, before, inside },
        )
    })
}

fn write(element: &Element, into: &mut String) {
    let Element { name, attribute, before, inside } = element;
    let attribute =
        attribute.as_ref().map_or(String::new(), |value| format!(" {name}=\n\"{value}\""));
    if before.is_empty() && inside.is_empty() {
        into.extend(["<", name, &attribute, "/>"]);
        return;
    }
    into.extend(["<", name, &attribute, ">", before]);
    for (element, after) in inside {
        write(element, into);
        into.push_str(after);
    }
    into.extend(["</", name, " >"]);
}

fn xml() -> impl Strategy<Value = String> {
    let prolog = prop::sample::select(vec![
        "",
        "<?xml version=\"1.0\"?>\n",
        "\u{feff}<!-- <a> -->\r\n<!DOCTYPE a [\n<!ENTITY b \"]>\">\n]>\n",
    ]);
    (prolog, element(), prop::sample::select(vec!["", "\n", "<!-- end -->\r\n"])).prop_map(
        |(prolog, element, end)| {
            let mut text = prolog.to_owned();
            write(&element, &mut text);
            text + end
        },
    )
}

/// Returns the text of each section that holds a whole element, with the sections below it.
fn containers(chunks: &[Chunk<'_>]) -> Vec<String> {
    let heads = chunks.iter().enumerate().filter(|(at, chunk)| {
        chunk.unit == Unit::Container
            && !chunks[..*at].iter().any(|before| before.section == chunk.section)
    });
    let below = |head: &Chunk<'_>| {
        let inside = chunks.iter().filter(|chunk| chunk.section.starts_with(&head.section));
        inside.map(|chunk| chunk.content).collect::<String>()
    };
    heads.map(|(_, head)| below(head)).collect()
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
    fn random_markup_is_split_without_loss(
        text in "([<>/!?\\[\\]\\-='\" \t\r\n]|[a-cé\u{feff}]|<a>|</a>|<b/>|<!--|-->|<!\\[CDATA\\[|\\]\\]>|<!DOCTYPE|<a b=\"){0,60}",
        limits in limits(16..200),
    ) {
        checked(&text, TYPES[0], limits);
    }

    #[test]
    fn random_settings_are_split_without_loss(
        text in "([\\[\\]=:;#!{}\\\\ \t\r\n\"]|[a-cé\u{feff}\u{3000}]|\n\\[a\\]\n|\nb = c|\n  d|\\\\\n|\n\n|export ){0,60}",
        limits in limits(16..200),
    ) {
        prop_assert_eq!(checked(&text, TYPES[1], limits).syntax_error, None);
        prop_assert_eq!(checked(&text, TYPES[2], limits).syntax_error, None);
    }

    #[test]
    fn each_element_is_well_formed_alone(text in xml(), limits in limits(16..200)) {
        let document = checked(&text, TYPES[0], limits);
        prop_assert!(is_well_formed(&text), "the generator is wrong: {}", text);
        prop_assert_eq!(document.syntax_error, None, "{}", text);
        for element in containers(&document.chunks) {
            prop_assert!(is_well_formed(&element), "{} of {}", element, text);
        }
        for chunk in &document.chunks {
            if let Some(excerpt) = DataFormat::Xml.excerpt(chunk.content) {
                let inside = &chunk.content[excerpt.bytes];
                prop_assert!(!inside.is_empty() && is_well_formed(inside), "{} of {}", inside, text);
            }
        }
    }

    #[test]
    fn broken_elements_are_split_without_loss(
        text in xml(), limits in limits(16..200), at in any::<prop::sample::Index>(), length in 0..40_usize,
        piece in "[<>/!?\"' \n\ré=-]{0,3}",
    ) {
        let text = edited(&text, at, length, &piece);
        let document = checked(&text, TYPES[0], limits);
        // A library accepts every document that has elements here. The splitter does not read the
        // declarations of a document type, so it accepts broken ones.
        let is_accepted = text.contains("<!DOCTYPE") || is_well_formed(&text);
        prop_assert!(document.syntax_error.is_some() || is_accepted, "{}", text);
    }
}
