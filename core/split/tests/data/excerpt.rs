//! Excerpts: the entries of a run of chunks as one value.

use passage_split::{DataFormat, MediaType};

fn excerpt(text: &str, media_type: &str) -> Option<String> {
    let format = DataFormat::of(&MediaType::new(media_type)).unwrap();
    let excerpt = format.excerpt(text)?;
    let [open, close] = excerpt.brackets;
    Some([open, &text[excerpt.bytes], close].concat())
}

#[test]
fn the_entries_of_json_lose_the_brackets_and_commas_around_them() {
    for (text, expected) in [
        ("  \"server\": {\"port\": 80},\n", "{\"server\": {\"port\": 80}}"),
        ("{\n  \"server\": {\"port\": 80},\n", "{\"server\": {\"port\": 80}}"),
        ("  \"server\": {\"port\": 80}\n}\n", "{\"server\": {\"port\": 80}}"),
        ("\"a\": 1, \"b\": [2]", "{\"a\": 1, \"b\": [2]}"),
        ("{\"users\": [{\"id\": 1},", "{\"id\": 1}"),
        ("{\"id\": 1},\n {\"id\": 2},", "[{\"id\": 1},\n {\"id\": 2}]"),
        ("{\"id\": 9}\n ]\n}", "{\"id\": 9}"),
        ("[\"one\", \"two\",", "[\"one\", \"two\"]"),
        ("[ 1 ], ", "[ 1 ]"),
        (", \"debug\": true }", "{\"debug\": true}"),
        ("// c\n \"a\": 1, // d\n", "{// c\n \"a\": 1}"),
        ("\"}],\": \"{[\", ", "{\"}],\": \"{[\"}"),
    ] {
        assert_eq!(excerpt(text, "application/json").as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_value_and_text_that_is_no_run_of_entries_stay_as_they_are() {
    for text in [
        "",
        " ",
        "1",
        "{\"a\": 1}\n",
        "[1, 2]",
        "{\"a\": ",
        "\"a\": 1, \"b\": {\"c\": 2,",
        "\"a\": 1 }, \"b\": 2",
        "\"a\": ",
        "\"a\": 1 \"b\": 2",
        "\"a\": 1, 2",
        "1, \"b\": 2",
        "{\"a\": 1}, 2: 3",
        "lo\", \"b",
        "/* x",
        "}",
        "[",
        "1,,",
        "a: b: c",
        "{}{}",
    ] {
        assert_eq!(excerpt(text, "application/json"), None, "{text}");
    }
}

#[test]
fn lines_need_no_brackets() {
    assert_eq!(excerpt("{\"a\": 1}\n{\"b\": 2}\n", "application/jsonl"), None);
    let begun = excerpt("{\"a\": 1, \"b\": 2,", "application/jsonl");
    assert_eq!(begun.as_deref(), Some("{\"a\": 1, \"b\": 2}"));
}

#[test]
fn blocks_of_yaml_stay_as_they_are() {
    for text in ["a: 1\n", "  - x: [1, 2]\n    y: {z: 1}\n", "key: {a: 1}\n", "- foo,\n"] {
        assert_eq!(excerpt(text, "text/x-yaml"), None, "{text}");
    }
    assert_eq!(
        excerpt("\"a\": {\"b\": 1},\n", "text/x-yaml").as_deref(),
        Some("{\"a\": {\"b\": 1}}")
    );
}

#[test]
fn elements_of_xml_lose_the_tags_without_counterparts() {
    for (text, expected) in [
        ("<?xml version='1.0'?>\n<feed>\n<entry>1</entry>\n", "<entry>1</entry>"),
        ("<a><!-- b --><b>\n  <c/> <c/>\n", "<c/> <c/>"),
        ("<entry>1</entry>\n</b></a>\n", "<entry>1</entry>"),
        ("<a>text <b>1</b> more", "text <b>1</b> more"),
        ("<a><![CDATA[</a>]]> ", "<![CDATA[</a>]]>"),
        ("words</a>", "words"),
    ] {
        assert_eq!(excerpt(text, "application/xml").as_deref(), Some(expected), "{text}");
    }
    for text in [
        "",
        "<a/>",
        "<a>1</a> <b/>",
        "words",
        "</a>",
        "<a>",
        "<a></b></a><!-- </c>",
        "<a>text <b><c/>",
        "<b/></a><c/>",
        "<b/></a> text",
        "<b/><a>1",
        "<a b=\"",
    ] {
        assert_eq!(excerpt(text, "application/xml"), None, "{text}");
    }
}

#[test]
fn items_of_toml_lose_the_array_around_them() {
    for (text, expected) in [
        ("x = [\n  { c = 1 }, # one\n", "{ c = 1 }"),
        (
            "  { c.d = 1.5, e = 1979-05-27 07:32:00Z },\n  [2]\n]\n",
            "[{ c.d = 1.5, e = 1979-05-27 07:32:00Z },\n  [2]]",
        ),
        ("[t]\nx = [\n  '''a,\n''', \"]\",\n", "['''a,\n''', \"]\"]"),
        ("{ a = 1, ", "{a = 1}"),
    ] {
        assert_eq!(excerpt(text, "text/x-toml").as_deref(), Some(expected), "{text}");
    }
    for text in ["a = 1\n", "[t]\nx = [1, 2]\n", "a = 1\nb = [\n 2,"] {
        assert_eq!(excerpt(text, "text/x-toml"), None, "{text}");
    }
}
