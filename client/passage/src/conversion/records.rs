/*!
JSON lines that a program writes: a record for each page or section of a document, as `ingest --jsonl documents` reads them.

`{"text": "# Setup", "metadata": {"page": 3, "author": "Ada"}}` begins page 3. The texts are joined by empty lines. A page, a
slide or a sheet is the place of chunks, and all other metadata is that of the document. The first record that has a key or a
title decides.
*/

use passage_split::{Place, PlaceMark, contains_nul};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The separator of records.
const SEPARATOR: &str = "\n\n";

/// The types of texts that can be joined.
const TYPES: [&str; 2] = ["text/markdown", "text/plain"];

/// The records of a document, joined.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Records {
    pub(super) text: String,
    /// The type of the text; `None` for Markdown.
    pub(super) media_type: Option<String>,
    pub(super) title: Option<String>,
    pub(super) marks: Vec<PlaceMark>,
    pub(super) metadata: Map<String, Value>,
}

/// A line. Its uri is not needed, because the document has one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    text: String,
    #[serde(default, rename = "uri")]
    _uri: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

/// Returns whether an output is JSON lines: its first line is an object with a text.
pub(super) fn are_records(output: &str) -> bool {
    let first = output.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_text = |line: &Map<String, Value>| line.get("text").is_some_and(Value::is_string);
    serde_json::from_str::<Map<String, Value>>(first).is_ok_and(|line| is_text(&line))
}

/// Parses JSON lines. Returns the defect without any content, as in `line 3 is not a record`.
pub(super) fn parse(output: &str) -> Result<Records, String> {
    let mut records = Records::default();
    for (number, line) in output.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let defect = |what: &str| format!("line {} {what}", number + 1);
        let record: Record =
            serde_json::from_str(line).map_err(|_| defect("is not a record with a text"))?;
        records.add(record).map_err(defect)?;
    }
    Ok(records)
}

impl Records {
    fn add(&mut self, record: Record) -> Result<(), &'static str> {
        let Record { text, title, media_type, metadata, .. } = record;
        if media_type.as_deref().is_some_and(|name| !TYPES.contains(&name)) {
            return Err("is neither Markdown nor plain text");
        }
        if metadata.iter().any(|(key, value)| key.contains('\0') || contains_nul(value)) {
            return Err("has a NUL in its metadata");
        }
        if !self.text.is_empty() {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str(SEPARATOR);
        }
        let start = self.text.len();
        self.text.push_str(&text.replace('\0', ""));
        let title = title.map(|title| title.replace('\0', ""));
        self.title = self.title.take().or(title.filter(|title| !title.trim().is_empty()));
        self.media_type = self.media_type.take().or(media_type);
        for (key, value) in metadata {
            if Place::KEYS.contains(&&*key) {
                let place = place(&key, &value).ok_or("has an invalid page, slide or sheet")?;
                let kind = std::mem::discriminant(&place);
                if self
                    .marks
                    .first()
                    .is_some_and(|mark| std::mem::discriminant(&mark.place) != kind)
                {
                    return Err("has another kind of place than the lines before it");
                }
                self.marks.push(PlaceMark { start, place });
            } else {
                self.metadata.entry(key).or_insert(value);
            }
        }
        Ok(())
    }
}

fn place(key: &str, value: &Value) -> Option<Place> {
    let number = || usize::try_from(value.as_u64()?).ok().filter(|number| *number > 0);
    match key {
        "page" => Some(Place::Page(number()?)),
        "slide" => Some(Place::Slide(number()?)),
        _ => Some(Place::Sheet(value.as_str()?.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn records_are_joined_with_their_places_and_metadata() {
        let output = "\n{\"text\": \"# A\\n\", \"title\": \"T\\u0000\", \"metadata\": {\"page\": 1, \"author\": \"x\"}}\n\
            {\"uri\": \"u\", \"text\": \"B\", \"title\": \"U\", \"metadata\": {\"page\": 3, \"author\": \"y\", \"n\": 1}}\n";
        assert!(are_records(output));
        let records = parse(output).unwrap();
        assert_eq!(records.text, "# A\n\nB");
        assert_eq!(records.title.as_deref(), Some("T"));
        let mark = |start, page| PlaceMark { start, place: Place::Page(page) };
        assert_eq!(records.marks, [mark(0, 1), mark(5, 3)]);
        assert_eq!(Value::Object(records.metadata), json!({"author": "x", "n": 1}));
    }

    #[test]
    fn a_defect_has_its_line_and_no_content() {
        for (line, defect) in [
            (
                "{\"text\": \"a\", \"metadata\": {\"page\": 1, \"slide\": 1}}",
                "line 2 has another kind of place than the lines before it",
            ),
            ("secret", "line 2 is not a record with a text"),
            ("{\"text\": 1}", "line 2 is not a record with a text"),
            ("{\"text\": \"a\", \"embedding\": []}", "line 2 is not a record with a text"),
            (
                "{\"text\": \"a\", \"media_type\": \"text/html\"}",
                "line 2 is neither Markdown nor plain text",
            ),
            (
                "{\"text\": \"a\", \"metadata\": {\"page\": 0}}",
                "line 2 has an invalid page, slide or sheet",
            ),
            (
                "{\"text\": \"a\", \"metadata\": {\"a\": \"\\u0000\"}}",
                "line 2 has a NUL in its metadata",
            ),
            (
                "{\"text\": \"a\", \"metadata\": {\"\\u0000\": 1}}",
                "line 2 has a NUL in its metadata",
            ),
        ] {
            assert_eq!(parse(&format!("{{\"text\": \"a\"}}\n{line}")).unwrap_err(), defect);
        }
    }

    #[test]
    fn other_texts_are_no_records() {
        for text in ["", "# A", "{", "[1]", "{\"a\": 1}", "{\"text\": 1}", "{{ text }}"] {
            assert!(!are_records(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn marks_are_at_boundaries_of_the_text(texts in prop::collection::vec("[aé \n]{0,9}", 0..6)) {
            let line = |text: &String| json!({"text": text, "metadata": {"page": 1}}).to_string();
            let lines: Vec<_> = texts.iter().map(line).collect();
            let records = parse(&lines.join("\n")).unwrap();
            prop_assert_eq!(records.marks.len(), texts.len());
            prop_assert!(records.marks.iter().all(|mark| records.text.is_char_boundary(mark.start)));
        }
    }
}
