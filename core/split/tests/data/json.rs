use super::{error, read, row, rows, small, whole};
use passage_split::{ChunkLimits, Unit};

const JSON: &str = "application/json";

#[test]
fn seed_001_sections_are_the_keys_from_the_root() {
    let text = r#"{"users": [{"name": "Alice"}, {"name": "Bob"}]}"#;
    let chunks = read(text, JSON, small(1)).chunks;
    let alice = chunks.iter().find(|chunk| chunk.content.contains('A')).unwrap();
    assert_eq!(alice.section, ["root", "users", "[0]", "name"]);
    assert_eq!(alice.level, 4);
    assert_eq!(alice.unit, Unit::Value);
    assert_eq!(whole(&chunks, &["root", "users", "[1]", "name"]), r#""name": "Bob""#);
    assert_eq!(whole(&chunks, &["root", "users", "[1]"]), r#" {"name": "Bob"}"#);
    assert_eq!(
        whole(&chunks, &["root", "users"]),
        r#""users": [{"name": "Alice"}, {"name": "Bob"}]"#
    );
    assert_eq!(whole(&chunks, &["root"]), text);
}

#[test]
fn a_document_that_fits_is_one_chunk() {
    let text = "\n{\"a\": [1, 2]}\n";
    let chunks = read(text, JSON, ChunkLimits::CHARACTERS).chunks;
    assert_eq!(rows(&chunks), [row(text, "root", Unit::Container)]);
}

#[test]
fn key_and_comma_belong_to_the_entry() {
    let text =
        "{\n  \"a\": [\n    \"12345678\",\n    \"12345678\"\n  ],\n  \"b\": 2,\n  \"c\": 3\n}\n";
    let chunks = read(text, JSON, small(30)).chunks;
    let expected = [
        row("{\n", "root", Unit::Container),
        row("  \"a\": [\n", "root/a", Unit::Container),
        row("    \"12345678\",\n", "root/a/[0]", Unit::Value),
        row("    \"12345678\"\n", "root/a/[1]", Unit::Value),
        row("  ],\n", "root/a", Unit::Container),
        row("  \"b\": 2,\n", "root/b", Unit::Value),
        row("  \"c\": 3\n", "root/c", Unit::Value),
        row("}\n", "root", Unit::Container),
    ];
    assert_eq!(rows(&chunks), expected);
    // With a minimum, brackets belong to the chunk next to them.
    let limits = ChunkLimits { min: 8, ..small(30) };
    let expected = [
        row("{\n  \"a\": [\n", "root/a", Unit::Container),
        row("    \"12345678\",\n", "root/a/[0]", Unit::Value),
        row("    \"12345678\"\n  ],\n", "root/a/[1]", Unit::Value),
        row("  \"b\": 2,\n", "root/b", Unit::Value),
        row("  \"c\": 3\n}\n", "root/c", Unit::Value),
    ];
    assert_eq!(rows(&read(text, JSON, limits).chunks), expected);
}

#[test]
fn a_comment_belongs_to_the_next_entry_or_the_entry_on_its_line() {
    let text = "// The file.\n{ // Its head.\n  \"a\": 1, // The first.\n  /* The\n  second. */\n  \
        \"b\": \"1234567890123456789012345678901234567890\"\n}\n";
    let chunks = read(text, JSON, small(50)).chunks;
    let contents: Vec<&str> = chunks.iter().map(|chunk| chunk.content).collect();
    let expected = [
        "// The file.\n{ // Its head.\n",
        "  \"a\": 1, // The first.\n",
        "  /* The\n  second. */\n",
        "  \"b\": \"1234567890123456789012345678901234567890\"\n",
        "}\n",
    ];
    assert_eq!(contents, expected);
}

#[test]
fn json5_is_accepted() {
    let text = "\u{feff}{ // x\n a: 1, $b_c: .5, 'd': 'it\"s', \"e\": [+1, -0x1F, NaN, -Infinity, 1e+9, 5.,], \
        null: \"\\q\\\n\", 12: 0,\u{a0}/* y */}";
    assert_eq!(error(text, JSON), None);
}

#[test]
fn invalid_json_is_split_as_text_with_a_syntax_error() {
    for (text, line, column) in [
        ("", 1, 1),
        (" // nothing\n", 2, 1),
        ("{\"a\": 1\n \"b\": 2}", 2, 2),
        ("{\"a\": 1}\r\n\r\n,", 3, 1),
        ("[1, 2", 1, 6),
        ("[1 2]", 1, 4),
        ("[,]", 1, 2),
        ("[1,,]", 1, 4),
        ("{\"a\" 1}", 1, 6),
        ("{1, 2}", 1, 3),
        ("{\"a\": }", 1, 7),
        ("[\"é\", 012]", 1, 8),
        ("[\"a\nb\"]", 1, 4),
        ("\"a", 1, 1),
        ("\"a\\", 1, 1),
        ("\"\\u12g4\"", 1, 2),
        ("[tru]", 1, 2),
        ("[1}", 1, 3),
        ("]", 1, 1),
        ("{/* }", 1, 2),
        ("{} {}", 1, 4),
        ("1e", 1, 1),
    ] {
        assert_eq!(error(text, JSON), Some((line, column)), "{text}");
    }
    let chunks = read("{\"a\": nothing}", JSON, small(40)).chunks;
    assert_eq!(rows(&chunks), [row("{\"a\": nothing}", "", Unit::Text)]);
}

#[test]
fn keys_are_unescaped_and_equal_ones_are_numbered() {
    let text = r#"{"a\u0041\n": 1, "\ud83d\ude00": 2, "\ud83d": 3, "": 4, 'x\'\x41': 5, "b": 6, "b": 7, "b (2)": 8}"#;
    let chunks = read(text, JSON, small(1)).chunks;
    let keys = chunks.iter().filter(|chunk| chunk.unit == Unit::Value);
    let mut keys: Vec<&str> = keys.map(|chunk| &*chunk.section[1]).collect();
    keys.dedup();
    assert_eq!(keys, ["aA", "😀", "\\ud83d", "", "x'A", "b", "b (2)", "b (2) (2)"]);
}

#[test]
fn each_line_of_json_lines_is_an_item_and_parses_alone() {
    let text = "{\"a\": \"12345678\"}\n{\"b\": [1]}\n\n{\"c\": 3}\n";
    let chunks = read(text, "application/x-ndjson", small(12)).chunks;
    let expected = [
        row("{", "root/[0]", Unit::Container),
        row("\"a\": ", "root/[0]/a", Unit::Value),
        row("\"12345678\"", "root/[0]/a", Unit::Value),
        row("}\n", "root/[0]", Unit::Container),
        row("{\"b\": [1]}\n", "root/[1]", Unit::Container),
        row("\n{\"c\": 3}\n", "root/[2]", Unit::Container),
    ];
    assert_eq!(rows(&chunks), expected);
    assert_eq!(error("{}\n{]\n", "application/jsonl"), Some((2, 2)));
    assert_eq!(error("", "application/jsonl"), None);
}

#[test]
fn media_types_with_the_suffix_json_are_json() {
    let chunks = read("[1]", "application/ld+json", ChunkLimits::CHARACTERS).chunks;
    assert_eq!(chunks[0].section, ["root"]);
}

#[test]
fn depth_needs_neither_stack_nor_quadratic_time() {
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
        let text = opening.repeat(1_000_000) + "1" + &closing.repeat(1_000_000);
        let split = read(&text, JSON, ChunkLimits::CHARACTERS);
        assert_eq!(split.syntax_error, None);
        assert!(split.chunks.iter().all(|chunk| chunk.section.len() <= 64));
        assert_eq!(error(&opening.repeat(1_000_000), JSON).unwrap().0, 1);
    }
}
