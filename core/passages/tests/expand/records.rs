//! Records: what a hit in structured data is widened to.

use super::memory::{Chunk, Store, passages, preset, titles};
use passage_core::expand::{Budget, Role};
use passage_split::{DataFormat, Kind, Unit};

/// Returns a document of chunks with their unit, section, tokens and text.
fn store(format: DataFormat, chunks: &[(Unit, &[&str], u32, &str)]) -> Store {
    let chunk = |(unit, section, tokens, content): &(Unit, &[&str], u32, &str)| Chunk {
        level: None,
        section: titles(section),
        unit: Some(*unit),
        tokens: *tokens,
        content: (*content).to_owned(),
    };
    let documents = vec![chunks.iter().map(chunk).collect()];
    Store { documents, kind: Some(Kind::Data), format: Some(format) }
}

/// Returns 300 records of 85 tokens, each a chunk.
fn list() -> Store {
    let text: Vec<String> = (0..300)
        .map(|i| {
            let (open, close) = (if i == 0 { "[" } else { "" }, if i == 299 { "]" } else { "," });
            format!("{open}{{\"id\": {i}}}{close}\n")
        })
        .collect();
    let index: Vec<String> = (0..300).map(|i| format!("[{i}]")).collect();
    let sections: Vec<[&str; 2]> = index.iter().map(|index| ["root", index]).collect();
    let chunks: Vec<_> = sections
        .iter()
        .zip(&text)
        .map(|(section, text)| (Unit::Container, &section[..], 85, &**text))
        .collect();
    store(DataFormat::Json, &chunks)
}

/// Returns the ordinals of the passage of each hit, best first, and whether it is complete and truncated.
fn expanded(store: &Store, hits: &[usize], max_tokens: Option<u32>) -> Vec<(Vec<i32>, bool, bool)> {
    let mut strategy = preset("hierarchical");
    strategy.max_tokens = max_tokens;
    let hits: Vec<_> =
        hits.iter().zip(0..).map(|(hit, rank)| store.hit((0, *hit), rank, &strategy)).collect();
    let (rows, selection) = store.expand(&hits, Budget::of(&hits));
    let ordinal = |index: &usize| rows[selection.chunks[*index].row].ordinal.unwrap();
    let passages = passages(&hits, &rows, &selection, Some(0));
    passages
        .iter()
        .map(|passage| {
            (passage.chunks.iter().map(ordinal).collect(), passage.complete, passage.truncated)
        })
        .collect()
}

#[test]
fn a_hit_in_a_list_of_records_returns_its_record() {
    let store = list();
    for hit in [0, 50, 299] {
        assert_eq!(expanded(&store, &[hit], None), [(vec![hit as i32], true, false)]);
    }
    assert_eq!(expanded(&store, &[50], Some(100)), [(vec![50], true, false)]);
    let several = expanded(&store, &[3, 250, 7], None);
    assert_eq!(several, [3, 250, 7].map(|hit| (vec![hit], true, false)));
}

#[test]
fn a_record_grows_to_its_parent_while_that_is_a_small_share_of_the_budget() {
    let user = |tokens| {
        store(
            DataFormat::Json,
            &[
                (
                    Unit::Container,
                    &["root", "users", "[0]", "name"],
                    100,
                    "{\"users\": [{\"name\": {\"first\": \"a\"},",
                ),
                (
                    Unit::Container,
                    &["root", "users", "[0]", "address"],
                    tokens,
                    "\"address\": {\"city\": \"b\"}},",
                ),
                (Unit::Container, &["root", "users", "[1]"], 1_000, "{\"name\": null}]}"),
            ],
        )
    };
    assert_eq!(expanded(&user(300), &[0], None), [(vec![0, 1], true, false)]);
    assert_eq!(expanded(&user(310), &[0], None), [(vec![0], true, false)]);
    // Of a smaller budget the share is smaller.
    assert_eq!(expanded(&user(300), &[0], Some(1_000)), [(vec![0], true, false)]);
    // Both hits are in the same small parent.
    assert_eq!(expanded(&user(300), &[0, 1], None), [(vec![0, 1], true, false)]);
}

#[test]
fn a_record_over_the_budget_gives_way_to_the_entry_that_was_hit() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Container, &["root", "a"], 900, "{\"a\": {\"b\": 1, \"c\": 2,"),
        (Unit::Value, &["root", "a", "d"], 900, "\"d\": \"long\","),
        (Unit::Value, &["root", "a", "e"], 900, "\"e\": \"long\"}}"),
    ];
    let store = store(DataFormat::Json, chunks);
    assert_eq!(expanded(&store, &[1], None), [(vec![1], false, true)]);
    assert_eq!(expanded(&store, &[1], Some(5_000)), [(vec![0, 1, 2], true, false)]);
    assert_eq!(expanded(&store, &[0], None), [(vec![0], false, true)]);
}

#[test]
fn several_records_in_a_chunk_are_whole_themselves() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Member, &["root"], 200, "[{\"a\": 1}, {\"a\": 2},"),
        (Unit::Member, &["root"], 200, "{\"a\": 3}, {\"a\": 4},"),
        (Unit::Member, &["root"], 200, "{\"a\": 5}, {\"a\": 6}]"),
    ];
    let store = store(DataFormat::Json, chunks);
    for hit in 0..3 {
        assert_eq!(expanded(&store, &[hit], None), [(vec![hit as i32], true, false)]);
    }
}

#[test]
fn a_long_value_is_whole_with_all_its_pieces_or_falls_back() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Value, &["root", "a"], 900, "{\"a\": \"one "),
        (Unit::Value, &["root", "a"], 900, "two\","),
        (Unit::Value, &["root", "b"], 900, "\"b\": 1}"),
    ];
    let store = store(DataFormat::Json, chunks);
    assert_eq!(expanded(&store, &[0], None), [(vec![0, 1], true, false)]);
    // A piece alone does not parse.
    let (complete, truncated) = (false, true);
    let cut = expanded(&store, &[1], Some(1_000));
    assert_eq!((cut[0].1, cut[0].2), (complete, truncated));
}

#[test]
fn yaml_that_does_not_parse_alone_stays_whole_but_is_not_complete() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Container, &["root", "x"], 800, "x: &base\n  a: 1\n"),
        (Unit::Container, &["root", "y"], 800, "y:\n  <<: *base\n"),
    ];
    let store = store(DataFormat::Yaml, chunks);
    assert_eq!(expanded(&store, &[0], None), [(vec![0], true, false)]);
    assert_eq!(expanded(&store, &[1], None), [(vec![1], false, false)]);
}

#[test]
fn an_element_of_xml_is_a_record_and_a_lone_tag_is_not_complete() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Container, &["feed"], 2, "<feed>"),
        (Unit::Container, &["feed", "entry"], 700, "<entry><a>1</a>"),
        (Unit::Value, &["feed", "entry", "b"], 700, "<b>2</b></entry>"),
        (Unit::Container, &["feed", "entry (2)"], 900, "<entry/>"),
        (Unit::Container, &["feed"], 2, "</feed>"),
    ];
    let store = store(DataFormat::Xml, chunks);
    assert_eq!(expanded(&store, &[1], None), [(vec![1, 2], true, false)]);
    assert_eq!(expanded(&store, &[2], None), [(vec![1, 2], true, false)]);
    assert_eq!(expanded(&store, &[3], None), [(vec![3], true, false)]);
    for hit in [0, 4] {
        assert!(!expanded(&store, &[hit], None)[0].1, "a tag of {hit} is complete");
    }
}

#[test]
fn a_section_of_ini_is_a_record_and_the_file_is_its_root() {
    let store = |of_other: u32| {
        store(
            DataFormat::Ini,
            &[
                (Unit::Value, &["x"], 100, "x = 1\n"),
                (Unit::Value, &["a", "b"], 900, "[a]\nb = 1\n"),
                (Unit::Value, &["a", "c"], 900, "c = 2\n"),
                (Unit::Container, &["d"], of_other, "[d]\ne = 3\n"),
            ],
        )
    };
    assert_eq!(expanded(&store(900), &[2], None), [(vec![1, 2], true, false)]);
    assert_eq!(expanded(&store(900), &[2], Some(1_000)), [(vec![2], false, true)]);
    assert_eq!(expanded(&store(900), &[3], None), [(vec![3], true, false)]);
    assert_eq!(expanded(&store(900), &[0], None), [(vec![0], true, false)]);
    let small: &[(Unit, &[&str], u32, &str)] =
        &[(Unit::Value, &["x"], 100, "x = 1\n"), (Unit::Member, &[], 100, "y = 1\nz = 2\n")];
    let small = self::store(DataFormat::Ini, small);
    for hit in [0, 1] {
        assert_eq!(expanded(&small, &[hit], None), [(vec![0, 1], true, false)]);
    }
}

#[test]
fn a_line_of_json_lines_never_returns_the_file() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Container, &["root", "[0]"], 20, "{\"a\": 1}\n"),
        (Unit::Container, &["root", "[1]"], 20, "{\"b\": 1}\n"),
    ];
    let store = store(DataFormat::JsonLines, chunks);
    assert_eq!(expanded(&store, &[0], None), [(vec![0], true, false)]);
}

#[test]
fn context_of_a_record_has_the_role_of_its_section() {
    let chunks: &[(Unit, &[&str], u32, &str)] = &[
        (Unit::Container, &["root", "a"], 10, "{\"a\": {\"b\": 1, \"c\": 2,"),
        (Unit::Value, &["root", "a", "d"], 10, "\"d\": 3}}"),
    ];
    let context = store(DataFormat::Json, chunks).context(1, &preset("hierarchical"));
    assert_eq!(context, [(Role::Section, 0), (Role::Hit, 1)]);
}
