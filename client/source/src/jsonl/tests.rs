use super::*;
use crate::CollectionVersion;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: impl AsRef<[u8]>, lines: JsonLines) -> Vec<Result<SourceDocument, String>> {
    let collection = CollectionVersion { collection: "book".into(), version: String::new() };
    let options = LineOptions { collection: Some(collection), ..LineOptions::default() };
    let reader = Cursor::new(text.as_ref().to_vec());
    streamed(reader, Path::new("x.jsonl"), lines, options, Selection::default())
        .map(|entry| match entry {
            Ok(SourceEntry::Document(item)) => Ok(item),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        })
        .collect()
}

fn one(line: &Value, lines: JsonLines) -> Result<SourceDocument, String> {
    let [item] = <[_; 1]>::try_from(read(line.to_string(), lines)).expect("one document");
    item
}

#[test]
fn a_line_is_a_document() {
    let line = json!({
        "uri": "a.md", "text": "# A\n", "title": "T", "media_type": "Text/X-Markdown",
        "kind": "api-reference", "metadata": {"a": [1]}, "collection": "book", "version": null,
    });
    let item = one(&line, JsonLines::Documents).unwrap();
    assert_eq!(item.uri, "a.md");
    assert_eq!(item.content, Content::Text("# A\n".into()));
    assert_eq!(item.source_metadata.media_type.unwrap().name(), "text/markdown");
    assert_eq!(item.source_metadata.title.as_deref(), Some("T"));
    assert_eq!(Value::Object(item.source_metadata.metadata), json!({"a": [1]}));
    assert_eq!(item.origin, Path::new("x.jsonl:1"));
}

#[test]
fn empty_lines_line_ends_and_a_byte_order_mark_are_ignored() {
    let text =
        "\u{feff}{\"uri\": \"a\", \"text\": \"\"}\r\n\n  \n{\"uri\": \"b\", \"text\": \"b\"}";
    let items = read(text, JsonLines::Documents);
    let origins: Vec<_> = items.into_iter().map(|item| item.unwrap().origin).collect();
    assert_eq!(origins, [Path::new("x.jsonl:1"), Path::new("x.jsonl:4")]);
}

#[test]
fn an_error_has_the_number_of_the_line_and_none_of_its_content() {
    for (line, message) in [
        ("secret", "invalid JSON: column 1"),
        ("{\"uri\": \"secret", "unexpected end of the JSON object: column 15"),
        ("[\"secret\"]", "not a JSON object"),
        ("{\"text\": \"secret\"}", "\"uri\" is missing"),
        ("{\"uri\": \"\", \"text\": \"secret\"}", "\"uri\" is empty"),
        ("{\"uri\": \"a\"}", "\"text\" is missing"),
        ("{\"uri\": \"a\", \"text\": [\"secret\"]}", "\"text\" must be a string"),
        ("{\"uri\": \"a\", \"text\": \"a\", \"title\": 1}", "\"title\" must be a string"),
        ("{\"uri\": \"a\\u0000\", \"text\": \"a\"}", "\"uri\" must not contain a NUL"),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"metadata\": {\"a\": \"\\u0000\"}}",
            "\"metadata\" must not contain a NUL",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"metadata\": \"secret\"}",
            "\"metadata\" must be a JSON object",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"media_type\": \"secret\"}",
            "\"media_type\" must be a media type, such as text/markdown",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"kind\": \"secret\"}",
            "\"kind\" must be prose, code, api-reference or data",
        ),
        ("{\"uri\": \"a\", \"text\": \"a\", \"body\": \"secret\"}", "unknown key \"body\""),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"collection\": \"secret\"}",
            "\"collection\" must be that of this run",
        ),
    ] {
        let text = format!("\n{line}\n{{\"uri\": \"z\", \"text\": \"z\"}}\n");
        let [refused, next] = <[_; 2]>::try_from(read(text, JsonLines::Documents)).unwrap();
        assert_eq!(refused.unwrap_err(), format!("x.jsonl:2: {message}"));
        assert_eq!(next.unwrap().uri, "z");
    }
}

#[test]
fn compressed_lines_are_read() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"{\"uri\": \"a\", \"text\": \"a\"}\n").unwrap();
    let packed = encoder.finish().unwrap();
    assert_eq!(read(&packed, JsonLines::Documents)[0].as_ref().unwrap().uri, "a");
    let cut = read(&packed[..packed.len() - 9], JsonLines::Documents);
    assert!(cut.last().unwrap().as_ref().unwrap_err().starts_with("cannot read x.jsonl: "));
}

/// Returns the chunks of each document, or its error.
fn chunks(lines: &[Value]) -> Vec<Result<(String, Vec<crate::PresplitChunk>), String>> {
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let chunks = |document: SourceDocument| match document.content {
        Content::Chunks(chunks) => (document.uri, chunks),
        other => panic!("{other:?}"),
    };
    read(text, JsonLines::Chunks).into_iter().map(|item| item.map(chunks)).collect()
}

#[test]
fn consecutive_chunks_make_a_document() {
    let made = chunks(&[
        json!({"uri": "a", "content": "# A\n", "section": ["A"], "start_byte": 0, "end_byte": 4,
               "ordinal": 0, "title": "A", "unit": "text", "tokens": 2}),
        json!({"uri": "a", "content": "B\n", "start_byte": 4, "end_byte": 6, "level": 3}),
        json!({"uri": "b", "content": "C", "kind": "code", "imports": ["x"], "preamble": "P"}),
    ]);
    let [a, b] = <[_; 2]>::try_from(made).unwrap();
    let (uri, chunks) = a.unwrap();
    assert_eq!((&*uri, chunks.len()), ("a", 2));
    assert_eq!((&chunks[0].section[..], chunks[0].tokens), (&["A".to_owned()][..], Some(2)));
    assert_eq!((chunks[1].level, chunks[1].lines.clone()), (Some(3), Some(2..=2)));
    let (uri, chunks) = b.unwrap();
    assert_eq!((&*uri, &*chunks[0].preamble, &chunks[0].bytes), ("b", "P", &None));
}

#[test]
fn a_document_with_an_invalid_chunk_fails_alone() {
    let wrong = |chunk: Value| {
        let made = chunks(&[
            json!({"uri": "a", "content": "A", "start_byte": 5, "end_byte": 6}),
            chunk,
            json!({"uri": "a", "content": "A"}),
            json!({"uri": "b", "content": "B"}),
        ]);
        let [refused, next] = <[_; 2]>::try_from(made).unwrap();
        assert_eq!(next.unwrap().0, "b");
        refused.unwrap_err()
    };
    for (chunk, message) in [
        (
            json!({"uri": "a", "content": "A", "start_byte": 6, "end_byte": 9}),
            "\"start_byte\" and \"end_byte\" must differ by the bytes of the content",
        ),
        (
            json!({"uri": "a", "content": "A", "start_byte": 6}),
            "\"start_byte\" and \"end_byte\" must be given together",
        ),
        (
            json!({"uri": "a", "content": "A", "start_byte": 4, "end_byte": 5}),
            "\"start_byte\" must not be less than that of the previous chunk",
        ),
        (
            json!({"uri": "a", "content": "A"}),
            "\"start_byte\" must be present in all chunks of a document or in none",
        ),
        (
            json!({"uri": "a", "content": "A", "first_line": 0, "last_line": 0}),
            "\"first_line\" and \"last_line\" must be a range of lines from 1",
        ),
        (
            json!({"uri": "a", "content": "A", "ordinal": 0}),
            "\"ordinal\" must be the position of the chunk in its document, from 0",
        ),
        (
            json!({"uri": "a", "content": "A", "unit": "x"}),
            "\"unit\" must be module, container, member, value or text",
        ),
        (
            json!({"uri": "a", "content": "A", "tokens": -1}),
            "\"tokens\" must be an integer from 0 to 2147483647",
        ),
        (
            json!({"uri": "a", "content": "A", "section": "x"}),
            "\"section\" must be an array of strings",
        ),
        (json!(["secret"]), "not a JSON object"),
    ] {
        assert_eq!(wrong(chunk), format!("x.jsonl:2: {message}"));
    }
}

#[test]
fn a_line_with_too_many_values_fails_alone() {
    let text = "[,{\\\"".repeat(1_000_000);
    let numbers = "0,".repeat(1_000_000);
    let lines = format!(
        "{{\"uri\": \"a\", \"text\": \"{text}\"}}\n{{\"uri\": \"b\", \"metadata\": {{\"a\": [{numbers}0]}}}}\n\
         {{\"uri\": \"c\", \"text\": \"\"}}\n"
    );
    let read: Vec<_> = read(lines, JsonLines::Documents)
        .into_iter()
        .map(|item| item.map(|item| item.uri))
        .collect();
    let refused = "x.jsonl:2: a line must have at most 1000000 values".to_owned();
    assert!(read == [Ok("a".to_owned()), Err(refused), Ok("c".to_owned())]);
}

#[test]
fn an_extreme_compression_ratio_is_refused() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let blanks = vec![b'\n'; 1 << 20];
    for _ in 0..80 {
        std::io::Write::write_all(&mut packed, &blanks).unwrap();
    }
    let read = read(packed.finish().unwrap(), JsonLines::Documents);
    let reason = "cannot read x.jsonl: it unpacks to more than 200 times its size".to_owned();
    assert!(read == [Err(reason)], "{}", read.len());
}

proptest! {
    #[test]
    fn any_document_is_read_unchanged(uri in ".{1,9}", text: String, title: Option<String>) {
        prop_assume!(!uri.contains('\0') && !title.iter().any(|title| title.contains('\0')));
        let line = json!({"uri": uri, "text": text, "title": title});
        let item = one(&line, JsonLines::Documents).unwrap();
        prop_assert_eq!((item.uri, item.content, item.source_metadata.title), (uri, Content::Text(text), title));
    }

    #[test]
    fn no_bytes_cause_a_panic_and_no_error_quotes_them(
        bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'}'), Just(b'"'), Just(b'\n'), Just(b':'), any::<u8>()], 0..99),
        chunked: bool,
    ) {
        let lines = if chunked { JsonLines::Chunks } else { JsonLines::Documents };
        let text: Vec<u8> = bytes.iter().chain(b"xyzzy").copied().collect();
        for error in read(&text, lines).into_iter().filter_map(Result::err) {
            prop_assert!(!error.contains("xyzzy"), "{}", error);
        }
    }

    #[test]
    fn any_chunks_are_read_unchanged(parts in prop::collection::vec("[a\u{e9}\r\n]{0,5}", 1..6), spans: bool) {
        let mut end = 0;
        let rows: Vec<Value> = parts.iter().map(|part| {
            let start = end;
            end += part.len();
            let mut row = json!({"uri": "a", "content": part});
            if spans {
                row["start_byte"] = start.into();
                row["end_byte"] = end.into();
            }
            row
        }).collect();
        let made = chunks(&rows);
        let (_, chunks) = made[0].as_ref().unwrap();
        prop_assert!(chunks.iter().map(|chunk| &chunk.content).eq(&parts));
        prop_assert!(chunks.iter().all(|chunk| chunk.lines.is_some() == spans));
    }
}

#[test]
fn lines_name_their_collection_if_the_run_names_none() {
    let text = "{\"uri\": \"a\", \"content\": \"1\", \"collection\": \"x\"}\n\
                {\"uri\": \"a\", \"content\": \"2\", \"collection\": \"y\", \"version\": \"2\"}\n\
                {\"uri\": \"a\", \"content\": \"3\"}\n";
    let reader = Cursor::new(text.as_bytes().to_vec());
    let options = LineOptions::default();
    let path = Path::new("x.jsonl");
    let entries = streamed(reader, path, JsonLines::Chunks, options, Selection::default());
    let collection = |entry: Result<SourceEntry, Error>| match entry.unwrap() {
        SourceEntry::Document(document) => {
            document.source_metadata.collection.map(|own| (own.collection, own.version))
        }
        other => panic!("{other:?}"),
    };
    let own = |collection: &str, version: &str| Some((collection.to_owned(), version.to_owned()));
    let collections: Vec<_> = entries.map(collection).collect();
    assert_eq!(collections, [own("x", ""), own("y", "2"), None]);
}
