//! Properties of XML, INI and Java's properties: generated, broken and random documents.

#[path = "invariants/splitting.rs"]
mod invariants;

use invariants::{find_repeated_section, find_violation};
use passage_core::{
    Characters, Chunk, ChunkLimits, MediaType, SplitDocument, SplitOptions, Unit, split,
};
use proptest::prelude::*;
use quick_xml::{Reader, events::Event};

const TYPES: [&str; 3] = ["application/xml", "text/x-ini", "text/x-java-properties"];

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

/// Returns whether a library reads a text as XML with closed elements.
fn is_well_formed(text: &str) -> bool {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth -= 1,
            Ok(Event::Eof) => return depth == 0,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
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
    fn random_markup_is_split_without_loss(
        text in "([<>/!?\\[\\]\\-='\" \t\r\n]|[a-cé\u{feff}]|<a>|</a>|<b/>|<!--|-->|<!\\[CDATA\\[|\\]\\]>|<!DOCTYPE|<a b=\"){0,60}",
        limits in limits(),
    ) {
        checked(&text, TYPES[0], limits);
    }

    #[test]
    fn random_settings_are_split_without_loss(
        text in "([\\[\\]=:;#!{}\\\\ \t\r\n\"]|[a-cé\u{feff}\u{3000}]|\n\\[a\\]\n|\nb = c|\n  d|\\\\\n|\n\n|export ){0,60}",
        limits in limits(),
    ) {
        prop_assert_eq!(checked(&text, TYPES[1], limits).syntax_error, None);
        prop_assert_eq!(checked(&text, TYPES[2], limits).syntax_error, None);
    }

    #[test]
    fn each_element_is_well_formed_alone(text in xml(), limits in limits()) {
        let document = checked(&text, TYPES[0], limits);
        prop_assert!(is_well_formed(&text), "the generator is wrong: {}", text);
        prop_assert_eq!(document.syntax_error, None, "{}", text);
        for element in containers(&document.chunks) {
            prop_assert!(is_well_formed(&element), "{} of {}", element, text);
        }
    }

    #[test]
    fn broken_elements_are_split_without_loss(
        text in xml(), limits in limits(), at in any::<prop::sample::Index>(), length in 0..40_usize,
        piece in "[<>/!?\"' \n\ré=-]{0,3}",
    ) {
        let text = broken(&text, at, length, &piece);
        let document = checked(&text, TYPES[0], limits);
        // A library accepts every document that has elements here. The splitter does not read the
        // declarations of a document type, so it accepts broken ones.
        let is_accepted = text.contains("<!DOCTYPE") || is_well_formed(&text);
        prop_assert!(document.syntax_error.is_some() || is_accepted, "{}", text);
    }
}
