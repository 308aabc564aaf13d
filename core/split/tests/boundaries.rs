//! Boundaries: markers, patterns and offsets at which a document is divided.

use crate::invariants::splitting::find_violation;
use passage_split::{
    Characters, Chunk, ChunkLimits, Error, MediaType, SplitAt, SplitOptions, SplitPattern, split,
};
use proptest::prelude::*;

const LIMITS: ChunkLimits = ChunkLimits::CHARACTERS;

fn chunks<'t>(text: &'t str, media_type: &str, split_at: SplitAt<'_>) -> Vec<Chunk<'t>> {
    let options = SplitOptions { split_at, ..SplitOptions::new(LIMITS) };
    let chunks = split(text, &MediaType::new(media_type), &options, &Characters).unwrap().chunks;
    assert_eq!(find_violation(text, &chunks, LIMITS, &Characters), None, "{text}");
    chunks
}

/// Returns the content and the section of each chunk of a text with markers.
fn marked<'t>(text: &'t str, media_type: &str) -> Vec<(&'t str, String)> {
    let chunks = chunks(text, media_type, SplitAt::default()).into_iter();
    chunks.map(|chunk| (chunk.content, chunk.section.join("/"))).collect()
}

/// Returns the content of each chunk of a text that a pattern divides.
fn matched<'t>(text: &'t str, media_type: &str, pattern: &str) -> Vec<&'t str> {
    let pattern: SplitPattern = pattern.parse().unwrap();
    let split_at = SplitAt { pattern: Some(&pattern), offsets: &[] };
    chunks(text, media_type, split_at).into_iter().map(|chunk| chunk.content).collect()
}

#[test]
fn a_marker_divides_text_before_the_next_line_with_text() {
    let text =
        "# A\n\nOne.\n\n<!-- passage: split -->\n\n## B\n\nTwo.\n\n<!--passage: split-->\nThree.\n";
    let expected = [
        ("# A\n\nOne.\n\n<!-- passage: split -->\n\n", "A".to_owned()),
        ("## B\n\nTwo.\n\n<!--passage: split-->\n", "A/B".to_owned()),
        ("Three.\n", "A/B".to_owned()),
    ];
    assert_eq!(marked(text, "text/markdown"), expected);
}

#[test]
fn each_type_of_prose_and_code_has_its_marker() {
    for (media_type, marker) in [
        ("text/plain", "<!-- passage: split -->"),
        ("text/markdown", "{/* passage: split */}"),
        ("text/x-rst", ".. passage: split"),
        ("text/x-asciidoc", "// passage: split"),
        ("text/x-tex", "%passage: split"),
        ("text/x-perl", "# passage: split"),
        ("text/x-shellscript", "    # passage: split  "),
        ("text/x-sql", "-- passage: split"),
        ("text/css", "/* passage: split */"),
        ("text/x-rust", "// passage: split"),
        ("text/x-python", "# passage: split"),
    ] {
        let text = format!("a\n\n{marker}\nb\n");
        let contents: Vec<_> =
            marked(&text, media_type).into_iter().map(|(text, _)| text).collect();
        assert_eq!(contents, [&text[..text.len() - 2], "b\n"], "{media_type}");
    }
}

#[test]
fn only_a_whole_comment_of_the_language_is_a_marker() {
    for (media_type, line) in [
        ("text/markdown", "See <!-- passage: split -->."),
        ("text/markdown", "<!-- passage: split here -->"),
        ("text/markdown", "    <!-- passage: split -->"),
        ("text/markdown", "```\n<!-- passage: split -->\n```"),
        ("text/markdown", "# passage: split"),
        ("text/x-rust", "# passage: split"),
        ("text/x-rust", "let a = 1; // passage: split"),
        ("application/json", "// passage: split"),
        ("text/x-yaml", "# passage: split"),
        ("text/csv", "<!-- passage: split -->"),
    ] {
        let text = format!("a\n\n{line}\nb\n");
        let count = |text: &str| marked(text, media_type).len();
        assert_eq!(
            count(&text),
            count(&text.replace("passage", "message")),
            "{media_type}: {line}"
        );
    }
}

#[cfg(feature = "code")]
#[test]
fn a_marker_in_code_separates_units_and_keeps_their_titles() {
    let text = "/// One.\nfn a() {}\n\n// passage: split\n/// Two.\nfn b() {}\n\nfn c() {}\n";
    let expected = [
        ("/// One.\nfn a() {}\n\n// passage: split\n", "a".to_owned()),
        ("/// Two.\nfn b() {}\n\nfn c() {}\n", String::new()),
    ];
    assert_eq!(marked(text, "text/x-rust"), expected);
    // The comments before a marker belong to the text before it, which is own text of the module.
    let text = "fn a() {}\n\n// About b.\n// passage: split\n/// Two.\nfn b() {}\n";
    let contents: Vec<_> = marked(text, "text/x-rust").into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        contents,
        ["fn a() {}\n", "\n// About b.\n// passage: split\n", "/// Two.\nfn b() {}\n"]
    );
    let text = "class A:\n    def a(self):\n        return 1\n\n    # passage: split\n\n    def b(self):\n        return 2\n";
    let sections: Vec<_> =
        marked(text, "text/x-python").into_iter().map(|(_, section)| section).collect();
    // The head of the class is in the chunk of its first method.
    assert_eq!(sections, ["A", "A/b"]);
}

#[test]
fn a_pattern_divides_before_each_line_that_it_matches() {
    let text = "One.\n=== 2\nTwo.\n\n=== 3\r\nThree ===.\n";
    let parts = ["One.\n", "=== 2\nTwo.\n\n", "=== 3\r\nThree ===.\n"];
    assert_eq!(matched(text, "text/plain", "^=== "), parts);
    assert_eq!(matched(text, "text/markdown", "^=== "), parts);
    assert_eq!(
        matched(text, "text/plain", r"\.$"),
        ["One.\n=== 2\n", "Two.\n\n=== 3\r\n", "Three ===.\n"]
    );
    // A record of data is a unit.
    let rows = "a,b\n1,2\n3,4\n";
    assert_eq!(matched(rows, "text/csv", "^3"), [rows]);
}

#[test]
fn a_boundary_beside_white_space_and_markers_alone_is_ignored() {
    for text in [
        "<!-- passage: split -->\n\nOne.\n",
        "One.\n\n<!-- passage: split -->\n\n",
        "\u{feff}=== 1\nOne.\n",
        "<!-- passage: split -->\n<!-- passage: split -->\n=== 1\n",
    ] {
        assert_eq!(matched(text, "text/markdown", "^\u{feff}?==="), [text]);
    }
    let text = "One.\n\n<!-- passage: split -->\n\n<!-- passage: split -->\n=== 2\n";
    assert_eq!(matched(text, "text/markdown", "^==="), [&text[..text.len() - 6], "=== 2\n"]);
}

#[test]
fn an_offset_divides_at_the_next_character() {
    let at = |text, offsets| {
        let split_at = SplitAt { pattern: None, offsets };
        chunks(text, "text/plain", split_at)
            .into_iter()
            .map(|chunk| chunk.content)
            .collect::<Vec<_>>()
    };
    assert_eq!(at("One two.\n", &[4]), ["One ", "two.\n"]);
    assert_eq!(at("One two.\n", &[9, 4, 4, 0]), ["One ", "two.\n"]);
    assert_eq!(at("é\r\nb", &[1]), ["é", "\r\nb"]);
    assert_eq!(at("é\r\nb", &[3]), ["é\r\n", "b"]);
    let options = SplitOptions {
        split_at: SplitAt { pattern: None, offsets: &[1, 3] },
        ..SplitOptions::new(LIMITS)
    };
    let error = split("ab", &MediaType::PLAIN, &options, &Characters).unwrap_err();
    assert_eq!(error, Error::OffsetBehindEnd { offset: 3, length: 2 });
}

#[test]
fn an_invalid_pattern_is_an_error() {
    let error = |pattern: &str| pattern.parse::<SplitPattern>().unwrap_err().to_string();
    assert_eq!(error("a("), "invalid regular expression \"a(\": unclosed group");
    assert!(error("").ends_with("it must have 1 to 1000 bytes"));
    assert!(error(&"a".repeat(1_001)).ends_with("it must have 1 to 1000 bytes"));
    assert!(error("a\0").ends_with("it must not contain a NUL"));
    assert!(error(r"\w{1000}").ends_with("it is too large when compiled"));
}

#[test]
fn a_table_that_is_divided_repeats_its_header() {
    let text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n";
    let pattern: SplitPattern = "^. 3".parse().unwrap();
    let chunks = chunks(text, "text/markdown", SplitAt { pattern: Some(&pattern), offsets: &[] });
    assert_eq!(chunks[1].content, "| 3 | 4 |\n");
    assert_eq!(chunks[1].preamble, "| a | b |");
}

const TYPES: [&str; 14] = [
    "text/markdown",
    "text/plain",
    "text/x-rst",
    "text/x-asciidoc",
    "text/csv",
    "text/x-rust",
    "text/x-python",
    "text/x-c",
    "application/json",
    "application/jsonl",
    "text/x-yaml",
    "text/x-toml",
    "text/x-ini",
    "application/xml",
];

/// Returns pieces of documents of every kind, with markers and lines that the pattern matches.
fn text() -> impl Strategy<Value = String> {
    let lines = [
        "<!-- passage: split -->",
        "// passage: split",
        "# passage: split",
        ".. passage: split",
        "=== part",
        "# Title",
        "## Title",
        "Some words. More words!",
        "- item",
        "| a | b |",
        "|---|---|",
        "```",
        "fn a() {",
        "    let b = 1;",
        "}",
        "def a():",
        "    return 1",
        "{\"a\": 1,",
        "\"b\": [1, 2]}",
        "a: 1",
        "[table]",
        "a = 1",
        "<a><b>x</b>",
        "</a>",
        "é ü\u{4e00}",
        "",
        "",
        "   ",
        "/* a",
        "*/",
    ];
    let line = prop_oneof![4 => prop::sample::select(lines.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,60}"];
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
    let lines = prop::collection::vec((line, end), 0..40);
    lines.prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn limits() -> impl Strategy<Value = ChunkLimits> {
    prop_oneof![
        Just(ChunkLimits { min: 5, preferred: 20, max: 40, window: 80 }),
        Just(ChunkLimits { min: 0, preferred: 1, max: 400, window: 400 }),
        Just(LIMITS),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_chunk_extends_across_a_boundary(
        text in text(),
        media_type in prop::sample::select(TYPES.to_vec()),
        offsets in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        pattern in prop::option::of(prop::sample::select(vec!["^===", "^#", "words", "^\\s*$", "[a-z]$"])),
        limits in limits(),
    ) {
        let offsets: Vec<_> = offsets.into_iter().map(|offset| offset.index(text.len() + 1)).collect();
        let pattern: Option<SplitPattern> = pattern.map(|pattern| pattern.parse().unwrap());
        let split_at = SplitAt { pattern: pattern.as_ref(), offsets: &offsets };
        let options = SplitOptions { split_at, overlap: 5, ..SplitOptions::new(limits) };
        let media_type = MediaType::new(media_type);
        let chunks = split(&text, &media_type, &options, &Characters).unwrap().chunks;
        prop_assert_eq!(find_violation(&text, &chunks, limits, &Characters), None);
        for offset in offsets {
            let mut at = text.ceil_char_boundary(offset);
            if text[..at].ends_with('\r') && text[at..].starts_with('\n') {
                at += 1;
            }
            // Two offsets with white space between are one boundary.
            let divides = |chunk: &&Chunk<'_>| {
                let [before, after] = [chunk.bytes.start..at, at..chunk.bytes.end].map(|part| text.get(part));
                let visible = |part: Option<&str>| part.is_some_and(|part| !part.trim().trim_matches('\u{feff}').is_empty());
                visible(before) && visible(after)
            };
            prop_assert_eq!(chunks.iter().find(divides), None, "{}", at);
        }
    }

    #[test]
    fn a_document_without_boundaries_is_split_as_without_options(
        text in text(), media_type in prop::sample::select(TYPES.to_vec()), limits in limits(),
    ) {
        let text = text.replace("passage: split", "passage: other");
        let media_type = MediaType::new(media_type);
        let pattern: SplitPattern = "never this line".parse().unwrap();
        let split_at = SplitAt { pattern: Some(&pattern), offsets: &[0, text.len()] };
        let options = SplitOptions::new(limits);
        let without = split(&text, &media_type, &options, &Characters).unwrap();
        let with = split(&text, &media_type, &SplitOptions { split_at, ..options }, &Characters).unwrap();
        prop_assert_eq!(with, without);
    }
}

/// Returns the offsets at which a chunk must begin, found without the splitter.
fn expected_offsets(text: &str, offsets: &[usize]) -> Vec<usize> {
    let behind_character = |offset: &usize| {
        let at = (*offset..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
        at + usize::from(text[..at].ends_with('\r') && text[at..].starts_with('\n'))
    };
    let mut sorted: Vec<_> = offsets.iter().map(behind_character).collect();
    sorted.sort_unstable();
    let is_visible = |part: &str| !part.replace('\u{feff}', " ").trim().is_empty();
    let mut kept = Vec::new();
    for at in sorted {
        let begin = kept.last().copied().unwrap_or(0);
        if is_visible(&text[begin..at]) && !text[at..].trim().is_empty() {
            kept.push(at);
        }
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_chunk_begins_at_each_offset(
        text in text(),
        media_type in prop::sample::select(TYPES.to_vec()),
        offsets in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        limits in limits(),
    ) {
        let text = text.replace("passage: split", "passage: other");
        let offsets: Vec<_> = offsets.into_iter().map(|offset| offset.index(text.len() + 1)).collect();
        let split_at = SplitAt { pattern: None, offsets: &offsets };
        let options = SplitOptions { split_at, ..SplitOptions::new(limits) };
        let chunks = split(&text, &MediaType::new(media_type), &options, &Characters).unwrap().chunks;
        prop_assert_eq!(find_violation(&text, &chunks, limits, &Characters), None);
        for start in expected_offsets(&text, &offsets) {
            prop_assert!(chunks.iter().any(|chunk| chunk.bytes.start == start), "{} of {:?}", start, text);
        }
    }
}

/// Returns the beginnings of the lines that a pattern or a marker makes a boundary, found without the splitter.
fn expected(text: &str, marker: &str, pattern: Option<&str>) -> Vec<usize> {
    let (mut starts, mut at, mut has_text, mut is_marked) = (Vec::new(), 0, false, false);
    for line in text.split_inclusive('\n') {
        if line.trim() == marker {
            is_marked = true;
        } else if !line.trim().is_empty() {
            if has_text && (is_marked || pattern.is_some_and(|pattern| line.starts_with(pattern))) {
                starts.push(at);
            }
            (has_text, is_marked) = (true, false);
        }
        at += line.len();
    }
    starts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_chunk_begins_at_each_marker_and_matched_line(
        text in text(),
        (media_type, marker) in prop::sample::select(vec![
            ("text/plain", "<!-- passage: split -->"),
            ("text/x-rust", "// passage: split"),
            ("text/x-python", "# passage: split"),
            ("text/x-c", "// passage: split"),
            ("text/x-perl", "# passage: split"),
        ]),
        has_pattern in any::<bool>(),
        limits in limits(),
    ) {
        let text = text.replace('\r', "");
        let pattern: SplitPattern = "^===".parse().unwrap();
        let split_at = SplitAt { pattern: has_pattern.then_some(&pattern), offsets: &[] };
        let options = SplitOptions { split_at, ..SplitOptions::new(limits) };
        let chunks = split(&text, &MediaType::new(media_type), &options, &Characters).unwrap().chunks;
        prop_assert_eq!(find_violation(&text, &chunks, limits, &Characters), None);
        for start in expected(&text, marker, has_pattern.then_some("===")) {
            prop_assert!(chunks.iter().any(|chunk| chunk.bytes.start == start), "{} of {:?}", start, text);
        }
    }
}
