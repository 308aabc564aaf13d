use super::{error, read, row, rows, small, whole};
use passage_split::{ChunkLimits, Unit};

const YAML: &str = "text/x-yaml";

#[test]
fn the_lines_from_a_key_on_are_its_entry() {
    let text = "name: a\nsteps: # two\n  # The first.\n  - run: 12345678\n    if: x\n\n  - run: 12345678\n  # End.\nlast: z\n";
    let chunks = read(text, YAML, small(40)).chunks;
    let section = |content: &str| {
        let at = text.find(content).unwrap();
        chunks.iter().find(|chunk| chunk.bytes.contains(&at)).unwrap().section.join("/")
    };
    assert_eq!(section("steps: # two"), "root/steps");
    assert_eq!(section("  # The first."), "root/steps/[0]");
    assert_eq!(section("    if: x\n\n"), "root/steps/[0]/if");
    assert_eq!(section("  # End.\n"), "root/steps");
    assert_eq!(section("last"), "root/last");
    assert_eq!(
        whole(&chunks, &["root", "steps"]),
        "steps: # two\n  # The first.\n  - run: 12345678\n    if: x\n\n  - run: 12345678\n  # End.\n"
    );
}

#[test]
fn each_document_of_a_stream_has_a_root() {
    let text =
        "# first\na: 1234567890\n---\n# second\nb: 1234567890\n...\n# third\n---\n- 1234567890\n";
    let chunks = read(text, YAML, small(30)).chunks;
    let document = |root: &str| whole(&chunks, &[root]);
    assert_eq!(document("root"), "# first\na: 1234567890\n");
    assert_eq!(document("root (2)"), "---\n# second\nb: 1234567890\n...\n");
    assert_eq!(document("root (3)"), "# third\n---\n- 1234567890\n");
}

#[test]
fn a_comment_at_the_end_belongs_to_the_collection_of_its_indentation() {
    let text = "a:\n  b:\n    c: 12345678901\n    # of c\n  # of b\n# of d\nd: 1\n";
    let chunks = read(text, YAML, small(16)).chunks;
    assert_eq!(whole(&chunks, &["root", "a", "b"]), "  b:\n    c: 12345678901\n    # of c\n");
    assert_eq!(
        whole(&chunks, &["root", "a"]),
        "a:\n  b:\n    c: 12345678901\n    # of c\n  # of b\n"
    );
    let flat = "a:\n- 12345678901\n- 12345678901\n# of b\nb: 1\n";
    let chunks = read(flat, YAML, small(16)).chunks;
    assert_eq!(whole(&chunks, &["root", "a"]), "a:\n- 12345678901\n- 12345678901\n");
    assert_eq!(whole(&chunks, &["root", "a", "[1]"]), "- 12345678901\n");
}

#[test]
fn multibyte_characters_and_both_line_ends_have_correct_offsets() {
    let text = "\u{feff}ключ: # é\r\n  - \"данные, данные\"\r\n  - {ü: [ö, 'ä''#'], ß: \"]\\\"\"} # ß\r\nz: 1\r\n";
    let chunks = read(text, YAML, small(12)).chunks;
    assert_eq!(
        whole(&chunks, &["root", "ключ"]),
        "\u{feff}ключ: # é\r\n  - \"данные, данные\"\r\n  - {ü: [ö, 'ä''#'], ß: \"]\\\"\"} # ß\r\n"
    );
    assert_eq!(whole(&chunks, &["root", "ключ", "[1]", "ü"]), "ü: [ö, 'ä''#'],");
}

#[test]
fn block_scalars_aliases_tags_and_unusual_keys_have_correct_bounds() {
    let text = "a: &x !!str |  # lines\n  one 12345678\n\n  two 12345678\nb: *x\n? [c, d]\n: - 12345678901234\n\
        1: 12345678901234\n~: 12345678901234\n\"q\": 12345678901234\n[e]: 12345678901234\n!t k: 12345678901234\n";
    let chunks = read(text, YAML, small(15)).chunks;
    let section = |content: &str| {
        let at = text.find(content).unwrap();
        let chunk = chunks.iter().find(|chunk| chunk.bytes.contains(&at)).unwrap();
        chunk.section.join("/")
    };
    assert_eq!(section("two 1234"), "root/a");
    assert_eq!(section(": - 123"), "root/[c, d]");
    assert_eq!(section("*x"), "root/b");
    let values = |key: &str| whole(&chunks, &["root", key]);
    for key in ["1", "~", "q", "[e]", "k"] {
        assert!(values(key).ends_with(": 12345678901234\n"), "{key}");
    }
}

#[test]
fn an_item_without_a_value_has_its_line() {
    for item in ["- # none\n", "# none\n  -\n", "-\n", "- &none\n"] {
        let text = format!("a:\n  b:\n  {item}\n  c:\n  - 12345678901\n  - 12345678901\n");
        let chunks = read(&text, YAML, small(16)).chunks;
        assert_eq!(whole(&chunks, &["root", "a", "b"]), format!("  b:\n  {item}\n"));
        assert!(whole(&chunks, &["root", "a", "c"]).starts_with("  c:\n"), "{item}");
    }
    let text = "-\n- # none\n- 12345678901\n-\n";
    let chunks = read(text, YAML, small(4)).chunks;
    assert_eq!(whole(&chunks, &["root", "[1]"]), "- # none\n");
    assert_eq!(whole(&chunks, &["root", "[3]"]), "-\n");
}

#[test]
fn of_sequences_on_one_line_the_outer_items_are_units() {
    let text = "- - a: 12345678\n    b: 12345678\n  - c: 12345678\n- d: 12345678\n";
    let chunks = read(text, YAML, small(20)).chunks;
    assert_eq!(whole(&chunks, &["root", "[0]", "[1]"]), "  - c: 12345678\n");
    assert_eq!(whole(&chunks, &["root", "[0]", "[0]"]), "");
    assert_eq!(whole(&chunks, &["root", "[1]"]), "- d: 12345678\n");
    // The first item is more than a bracket before the second one, whose section does not contain it.
    let text = "- - true\n  - [true, \"aaaa aaaa aaaa aaaa aaaa\"]\n";
    let chunks = read(text, YAML, ChunkLimits { min: 12, ..small(20) }).chunks;
    assert_eq!(chunks[0].content, "- - true\n");
    assert_eq!(chunks[0].section, ["root", "[0]"]);
    assert!(whole(&chunks, &["root", "[0]", "[1]"]).starts_with("  - [true"));
}

#[test]
fn invalid_yaml_is_split_as_text_with_a_syntax_error() {
    assert_eq!(error("a: 1\né: [1,\nb: 2\n", YAML).map(|(line, _)| line), Some(3));
    assert_eq!(error("a: é\nb: \"é\n", YAML).map(|(line, _)| line), Some(2));
    assert_eq!(error("a: *nobody\n", YAML), Some((1, 4)));
    for text in ["", "# nothing\n", "---\n...\n", "a", "- ", "a:", "? ", "{}", "[]"] {
        assert_eq!(error(text, YAML), None, "{text}");
    }
    // More levels of brackets than the parser accepts.
    assert_eq!(error(&"[".repeat(10_000), YAML), Some((1, 256)));
    let chunks = read("a: [", YAML, ChunkLimits::CHARACTERS).chunks;
    assert_eq!(rows(&chunks), [row("a: [", "", Unit::Text)]);
}

#[test]
fn many_levels_may_begin_on_one_line() {
    // A search for the ends of the line at each level would take minutes.
    assert_eq!(error(&": ".repeat(500_000), YAML), None);
}
