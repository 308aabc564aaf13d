//! The section of a chunk names the entry that it is, in every format and at real sizes.

use super::read;
use passage_split::{ChunkLimits, DataFormat, MediaType, Unit};
use std::fmt::Write;

const TYPES: [&str; 4] = ["application/json", "text/x-yaml", "text/x-toml", "application/jsonl"];

/// A text of about 240 characters, so that each record is a chunk.
fn notes(record: usize) -> String {
    format!("record {record} has a few words about itself ").repeat(6)
}

/// Returns 300 records in a format.
fn records(media_type: &str) -> String {
    let mut text = String::new();
    let is_json = media_type == "application/json";
    text.push_str(if is_json { "[\n" } else { "" });
    for i in 0..300 {
        let (id, notes) = (1_000 + i, notes(i));
        let _ = match media_type {
            "text/x-yaml" => write!(text, "- id: {id}\n  name: user {i}\n  notes: {notes}\n"),
            "text/x-toml" => {
                write!(text, "[[a]]\nid = {id}\nname = \"user {i}\"\nnotes = \"{notes}\"\n")
            }
            _ => write!(text, "{{\"id\": {id}, \"name\": \"user {i}\", \"notes\": \"{notes}\"}}"),
        };
        text.push_str(match (media_type, i) {
            ("application/json", 299) => "\n]\n",
            ("application/json", _) => ",\n",
            ("application/jsonl", _) => "\n",
            _ => "",
        });
    }
    text
}

#[test]
fn each_of_three_hundred_records_has_its_own_section() {
    for name in TYPES {
        let text = records(name);
        let chunks = read(&text, name, ChunkLimits::CHARACTERS).chunks;
        assert_eq!(chunks.len(), 300, "{name}");
        for (i, chunk) in chunks.iter().enumerate() {
            let above = if name == "text/x-toml" { vec!["root", "a"] } else { vec!["root"] };
            let section: Vec<String> =
                above.iter().map(ToString::to_string).chain([format!("[{i}]")]).collect();
            assert_eq!(chunk.section, section, "{name}: {}", chunk.content);
            assert_eq!(chunk.level as usize, section.len());
            assert_eq!(chunk.unit, Unit::Container);
            assert!(chunk.content.contains(&format!("user {i}")));
            assert!(parses(chunk.content, name), "{name}: {}", chunk.content);
        }
    }
}

#[test]
fn equal_entries_have_equal_sections_in_each_format() {
    let (long, notes) = (notes(1).repeat(3), notes(2));
    let json = format!(
        "{{\"server\": {{\"host\": \"a\", \"notes\": \"{notes}\"}}, \"users\": [{{\"name\": \"{long}\", \"bio\": \
        \"{long}\"}}, {{\"name\": \"{long}\", \"bio\": \"{long}\"}}]}}"
    );
    let commented =
        json.replace(", \"users\"", ", // The users.\n \"users\"").replace("]}", ",/* end */],}");
    let yaml = format!(
        "server:\n  host: a\n  notes: {notes}\nusers:\n  - name: {long}\n    bio: {long}\n  - name: {long}\n    bio: {long}\n"
    );
    let user = format!("[[users]]\nname = \"{long}\"\nbio = \"{long}\"\n");
    let toml = format!("[server]\nhost = \"a\"\nnotes = \"{notes}\"\n\n{user}{user}");
    for (name, text) in [
        ("application/json", &json),
        ("application/json", &commented),
        ("text/x-yaml", &json),
        ("text/x-yaml", &yaml),
        ("text/x-toml", &toml),
    ] {
        let document = read(text, name, ChunkLimits::CHARACTERS);
        assert_eq!(document.syntax_error, None, "{name}: {text}");
        let rows: Vec<(u32, String)> =
            document.chunks.iter().map(|chunk| (chunk.level, chunk.section.join("/"))).collect();
        let expected = [
            (2, "root/server"),
            (4, "root/users/[0]/name"),
            (4, "root/users/[0]/bio"),
            (4, "root/users/[1]/name"),
            (4, "root/users/[1]/bio"),
        ];
        assert_eq!(rows, expected.map(|(level, section)| (level, section.to_owned())), "{name}");
        for chunk in &document.chunks {
            assert!(parses(chunk.content, name), "{name}: {}", chunk.content);
        }
    }
}

#[test]
fn a_comment_does_not_hide_the_section_of_an_entry() {
    let text = format!(
        "// The servers.\n{{\n  // First.\n  \"alpha\": {{\"notes\": \"{}\"}}, // Behind.\n  /* Second. */\n  \
        \"beta\": {{\"notes\": \"{}\"}},\n  \"gamma\": \"{}\",\n}}\n",
        notes(1).repeat(2),
        notes(2).repeat(2),
        notes(3).repeat(2)
    );
    let chunks = read(&text, "application/json", ChunkLimits::CHARACTERS).chunks;
    let sections: Vec<String> = chunks.iter().map(|chunk| chunk.section.join("/")).collect();
    assert_eq!(sections, ["root/alpha", "root/beta", "root/gamma"]);
    assert!(chunks.iter().all(|chunk| parses(chunk.content, "application/json")));
}

#[test]
fn a_chunk_of_several_entries_has_the_section_that_they_share() {
    let text = format!(
        "{{\"server\": {{\"host\": \"a\", \"port\": 80, \"notes\": \"{}\", \"more\": \"{}\", \"tls\": true, \"cert\": null}}, \"x\": \"{}\"}}",
        notes(1).repeat(3),
        notes(1).repeat(3),
        notes(2)
    );
    let chunks = read(&text, "application/json", ChunkLimits::CHARACTERS).chunks;
    let rows: Vec<(String, Unit)> =
        chunks.iter().map(|chunk| (chunk.section.join("/"), chunk.unit)).collect();
    let expected = [
        ("root/server", Unit::Container),
        ("root/server/notes", Unit::Value),
        ("root/server/more", Unit::Value),
        ("root/server", Unit::Container),
        ("root/x", Unit::Value),
    ];
    assert_eq!(rows, expected.map(|(section, unit)| (section.to_owned(), unit)));
    assert!(chunks[0].content.starts_with("{\"server\": {\"host\""));
    for chunk in &chunks {
        assert!(parses(chunk.content, "application/json"), "{}", chunk.content);
    }
}

#[test]
fn several_records_in_a_chunk_are_members_of_their_container() {
    let text = format!("[{}]", ["{\"id\": 1, \"name\": \"a\"}"; 200].join(",\n"));
    let chunks = read(&text, "application/json", ChunkLimits::CHARACTERS).chunks;
    assert!(chunks.len() > 3);
    for chunk in &chunks {
        assert_eq!((&*chunk.section, chunk.unit), (&["root".to_owned()][..], Unit::Member));
        assert!(parses(chunk.content, "application/json"), "{}", chunk.content);
    }
}

#[test]
fn brackets_alone_are_no_chunk() {
    let item = format!("{{\"notes\": \"{}\"}}", notes(1).repeat(3));
    let text = format!("{{\"a\": {{\"b\": [\n[{item},\n{item}],\n[{item}, {item}]\n]\n}}\n}}\n");
    let chunks = read(&text, "application/json", ChunkLimits::CHARACTERS).chunks;
    let sections: Vec<String> = chunks.iter().map(|chunk| chunk.section.join("/")).collect();
    let expected = ["[0]/[0]", "[0]/[1]", "[1]/[0]", "[1]/[1]"];
    assert_eq!(sections, expected.map(|items| format!("root/a/b/{items}")));
}

/// Returns whether the entries of a chunk parse.
fn parses(text: &str, media_type: &str) -> bool {
    let format = DataFormat::of(&MediaType::new(media_type)).unwrap();
    match format.excerpt(text) {
        Some(excerpt) => {
            let [open, close] = excerpt.brackets;
            format.parses(&[open, &text[excerpt.bytes], close].concat())
        }
        None => format.parses(text),
    }
}
