use super::{error, read, row, rows, small, whole};
use passage_split::{ChunkLimits, Unit};

const TOML: &str = "text/x-toml";

#[test]
fn a_table_begins_with_the_comment_above_it() {
    let text = "# The file.\ntitle = 1\n\n# The table.\n[a.\"b c\"] # head\nx = 12345678901\n\n[d]\ny = 12345678901\n";
    let chunks = read(text, TOML, small(50)).chunks;
    let expected = [
        row("# The file.\ntitle = 1\n\n", "root", Unit::Container),
        row("# The table.\n[a.\"b c\"] # head\nx = 12345678901\n\n", "root/a/b c", Unit::Container),
        row("[d]\ny = 12345678901\n", "root/d", Unit::Container),
    ];
    for (content, section, _) in &expected[1..] {
        assert_eq!(whole(&chunks, &section.split('/').collect::<Vec<_>>()), *content);
    }
    assert_eq!(chunks[0].content, expected[0].0);
}

#[test]
fn tables_with_a_common_path_share_a_unit() {
    let text =
        "[a]\nx = 12345678901\n[a.b]\ny = 12345678901\n[c.d]\nz = 1\n[c.e]\nz = 12345678901\n";
    let chunks = read(text, TOML, small(20)).chunks;
    assert_eq!(whole(&chunks, &["root", "a"]), "[a]\nx = 12345678901\n[a.b]\ny = 12345678901\n");
    assert_eq!(whole(&chunks, &["root", "a", "b"]), "[a.b]\ny = 12345678901\n");
    assert_eq!(whole(&chunks, &["root", "c"]), "[c.d]\nz = 1\n[c.e]\nz = 12345678901\n");
}

#[test]
fn merged_tables_have_their_common_path_as_section() {
    let text = "[p.dev]\na = 1\n[p.rel]\nb = 1\n[q]\nc = 12345678901234567890\n";
    let limits = ChunkLimits { min: 40, preferred: 40, max: 50, window: 100 };
    let chunks = read(text, TOML, limits).chunks;
    let expected = [
        row("[p.dev]\na = 1\n[p.rel]\nb = 1\n", "root/p", Unit::Container),
        row("[q]\nc = 12345678901234567890\n", "root/q", Unit::Container),
    ];
    assert_eq!(rows(&chunks), expected);
}

#[test]
fn items_of_an_array_of_tables_have_indexes_and_subtables() {
    let text = "[[a]]\nx = 1234567890\n[a.b]\ny = 1234567890\n[[a.c]]\nz = 1\n[[a]]\nx = 2\n[[a.c]]\nz = 1234567890\n";
    let chunks = read(text, TOML, small(18)).chunks;
    assert_eq!(
        whole(&chunks, &["root", "a", "[0]"]),
        "[[a]]\nx = 1234567890\n[a.b]\ny = 1234567890\n[[a.c]]\nz = 1\n"
    );
    assert_eq!(whole(&chunks, &["root", "a", "[1]", "c", "[0]"]), "[[a.c]]\nz = 1234567890\n");
    assert_eq!(whole(&chunks, &["root", "a"]), text);
}

#[test]
fn large_values_are_divided_and_dotted_keys_are_paths() {
    let text = "a.b = [ # head\n  1234567890, # one\n  # two\n  { c = 1234567890, \"d\\u0041\" = 1234567890 },\n] # end\ns = \"\"\"\n1234567890\n1234567890\"\"\"\n";
    let chunks = read(text, TOML, small(20)).chunks;
    let value = "a.b = [ # head\n  1234567890, # one\n  # two\n  { c = 1234567890, \"d\\u0041\" = 1234567890 },\n] # end\n";
    assert_eq!(whole(&chunks, &["root", "a", "b"]), value);
    assert_eq!(
        whole(&chunks, &["root", "a", "b", "[1]"]),
        "  # two\n  { c = 1234567890, \"d\\u0041\" = 1234567890 },\n"
    );
    assert_eq!(whole(&chunks, &["root", "a", "b", "[1]", "dA"]), " \"d\\u0041\" = 1234567890");
    assert_eq!(whole(&chunks, &["root", "s"]), "s = \"\"\"\n1234567890\n1234567890\"\"\"\n");
}

#[test]
fn a_document_that_fits_is_one_chunk() {
    let text = "\u{feff}a = 1\r\n[b]\r\nc = 2\r\n";
    assert_eq!(rows(&read(text, TOML, small(100)).chunks), [row(text, "root", Unit::Container)]);
    assert_eq!(error("", TOML), None);
}

#[test]
fn invalid_toml_is_split_as_text_with_a_syntax_error() {
    for (text, position) in [
        ("a = \n", (1, 5)),
        ("a = 1\n[b\n", (2, 3)),
        ("a = 1\r\nb = nothing\n", (2, 5)),
        ("é = 1\n", (1, 1)),
        ("a = \"\\q\"\n", (1, 7)),
        ("a = [1 2]\n", (1, 6)),
        ("a = 012\n", (1, 5)),
        ("a = \"b\n", (1, 7)),
    ] {
        assert_eq!(error(text, TOML), Some(position), "{text}");
    }
    // More levels of brackets than the maximum depth of the recursive parser.
    let deep = ["a = ", &"[".repeat(10_000), &"]".repeat(10_000)].concat();
    assert_eq!(error(&deep, TOML).map(|(line, _)| line), Some(1));
}
