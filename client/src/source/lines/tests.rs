use super::*;
use crate::source::{Content, Item};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(text: impl AsRef<[u8]>, lines: Lines) -> Vec<Result<Item, String>> {
    let belonging = Belonging { collection: "book".into(), version: String::new() };
    let reader = Cursor::new(text.as_ref().to_vec());
    streamed(reader, Path::new("x.jsonl"), lines, belonging, Filter::default())
        .map(|found| match found {
            Ok(Found::Item(item)) => Ok(item),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        })
        .collect()
}

fn one(line: &Value, lines: Lines) -> Result<Item, String> {
    let [item] = <[_; 1]>::try_from(read(line.to_string(), lines)).expect("one document");
    item
}

#[test]
fn a_line_is_a_document() {
    let line = json!({
        "uri": "a.md", "text": "# A\n", "title": "T", "media_type": "Text/X-Markdown",
        "kind": "api-reference", "metadata": {"a": [1]}, "collection": "book", "version": null,
    });
    let item = one(&line, Lines::Documents).unwrap();
    assert_eq!(item.uri, "a.md");
    assert_eq!(item.content, Content::Text("# A\n".into()));
    assert_eq!(item.told.media_type.unwrap().name(), "text/markdown");
    assert_eq!(item.told.title.as_deref(), Some("T"));
    assert_eq!(Value::Object(item.told.metadata), json!({"a": [1]}));
    assert_eq!(item.origin, Path::new("x.jsonl:1"));
}

#[test]
fn empty_lines_ends_of_lines_and_a_mark_do_not_matter() {
    let text =
        "\u{feff}{\"uri\": \"a\", \"text\": \"\"}\r\n\n  \n{\"uri\": \"b\", \"text\": \"b\"}";
    let items = read(text, Lines::Documents);
    let origins: Vec<_> = items.into_iter().map(|item| item.unwrap().origin).collect();
    assert_eq!(origins, [Path::new("x.jsonl:1"), Path::new("x.jsonl:4")]);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_without_its_content() {
    for (line, said) in [
        ("secret", "no JSON: column 1"),
        ("{\"uri\": \"secret", "the JSON object does not end: column 15"),
        ("[\"secret\"]", "no JSON object"),
        ("{\"text\": \"secret\"}", "\"uri\" is missing"),
        ("{\"uri\": \"\", \"text\": \"secret\"}", "\"uri\" is empty"),
        ("{\"uri\": \"a\"}", "\"text\" is missing"),
        ("{\"uri\": \"a\", \"text\": [\"secret\"]}", "\"text\" is no text"),
        ("{\"uri\": \"a\", \"text\": \"a\", \"title\": 1}", "\"title\" is no text"),
        ("{\"uri\": \"a\\u0000\", \"text\": \"a\"}", "\"uri\" holds a NUL"),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"metadata\": {\"a\": \"\\u0000\"}}",
            "\"metadata\" holds a NUL",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"metadata\": \"secret\"}",
            "\"metadata\" is no object",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"media_type\": \"secret\"}",
            "\"media_type\" is no media type, such as text/markdown",
        ),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"kind\": \"secret\"}",
            "\"kind\" is no kind: prose, code, api-reference or data",
        ),
        ("{\"uri\": \"a\", \"text\": \"a\", \"body\": \"secret\"}", "\"body\" is unknown"),
        (
            "{\"uri\": \"a\", \"text\": \"a\", \"collection\": \"secret\"}",
            "\"collection\" is not that of this run",
        ),
    ] {
        let text = format!("\n{line}\n{{\"uri\": \"z\", \"text\": \"z\"}}\n");
        let [refused, next] = <[_; 2]>::try_from(read(text, Lines::Documents)).unwrap();
        assert_eq!(refused.unwrap_err(), format!("x.jsonl:2: {said}"));
        assert_eq!(next.unwrap().uri, "z");
    }
}

#[test]
fn lines_may_be_compressed() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"{\"uri\": \"a\", \"text\": \"a\"}\n").unwrap();
    let packed = encoder.finish().unwrap();
    assert_eq!(read(&packed, Lines::Documents)[0].as_ref().unwrap().uri, "a");
    let told = read(&packed[..packed.len() - 9], Lines::Documents);
    assert!(told.last().unwrap().as_ref().unwrap_err().starts_with("cannot read x.jsonl: "));
}

/// The chunks of a document, or what is wrong with it.
fn chunks(lines: &[Value]) -> Vec<Result<(String, Vec<crate::source::Ready>), String>> {
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let chunks = |item: Item| match item.content {
        Content::Chunks(chunks) => (item.uri, chunks),
        other => panic!("{other:?}"),
    };
    read(text, Lines::Chunks).into_iter().map(|item| item.map(chunks)).collect()
}

#[test]
fn chunks_that_follow_one_another_are_a_document() {
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
fn a_document_with_a_wrong_chunk_is_left_out_and_the_others_are_not() {
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
    for (chunk, said) in [
        (
            json!({"uri": "a", "content": "A", "start_byte": 6, "end_byte": 9}),
            "\"start_byte\" and \"end_byte\" do not fit the content",
        ),
        (
            json!({"uri": "a", "content": "A", "start_byte": 6}),
            "\"start_byte\" and \"end_byte\" go together",
        ),
        (
            json!({"uri": "a", "content": "A", "start_byte": 4, "end_byte": 5}),
            "\"start_byte\" is before that of the chunk before",
        ),
        (
            json!({"uri": "a", "content": "A"}),
            "some chunks of the document have \"start_byte\" and others not",
        ),
        (
            json!({"uri": "a", "content": "A", "first_line": 0, "last_line": 0}),
            "\"first_line\" and \"last_line\" are no lines from 1 on",
        ),
        (
            json!({"uri": "a", "content": "A", "ordinal": 0}),
            "\"ordinal\" is not the place of the chunk in its document",
        ),
        (
            json!({"uri": "a", "content": "A", "unit": "x"}),
            "\"unit\" is none: module, container, member, value or text",
        ),
        (
            json!({"uri": "a", "content": "A", "tokens": -1}),
            "\"tokens\" is no number from 0 to 2147483647",
        ),
        (json!({"uri": "a", "content": "A", "section": "x"}), "\"section\" is no list of texts"),
        (json!(["secret"]), "no JSON object"),
    ] {
        assert_eq!(wrong(chunk), format!("x.jsonl:2: {said}"));
    }
}

#[test]
fn a_line_with_more_values_than_fit_into_memory_is_refused_and_the_others_are_read() {
    let text = "[,{\\\"".repeat(1_000_000);
    let numbers = "0,".repeat(1_000_000);
    let lines = format!(
        "{{\"uri\": \"a\", \"text\": \"{text}\"}}\n{{\"uri\": \"b\", \"metadata\": {{\"a\": [{numbers}0]}}}}\n\
         {{\"uri\": \"c\", \"text\": \"\"}}\n"
    );
    let read: Vec<_> =
        read(lines, Lines::Documents).into_iter().map(|item| item.map(|item| item.uri)).collect();
    let refused = "x.jsonl:2: more than 1000000 values".to_owned();
    assert!(read == [Ok("a".to_owned()), Err(refused), Ok("c".to_owned())]);
}

#[test]
fn lines_that_unpack_to_out_of_all_proportion_are_refused() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let blanks = vec![b'\n'; 1 << 20];
    for _ in 0..80 {
        std::io::Write::write_all(&mut packed, &blanks).unwrap();
    }
    let read = read(packed.finish().unwrap(), Lines::Documents);
    let reason = "cannot read x.jsonl: it unpacks to more than 200 times its size".to_owned();
    assert!(read == [Err(reason)], "{}", read.len());
}

proptest! {
    #[test]
    fn any_document_comes_back(uri in ".{1,9}", text: String, title: Option<String>) {
        prop_assume!(!uri.contains('\0') && !title.iter().any(|title| title.contains('\0')));
        let line = json!({"uri": uri, "text": text, "title": title});
        let item = one(&line, Lines::Documents).unwrap();
        prop_assert_eq!((item.uri, item.content, item.told.title), (uri, Content::Text(text), title));
    }

    #[test]
    fn no_bytes_make_it_panic_and_no_error_quotes_them(
        bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'}'), Just(b'"'), Just(b'\n'), Just(b':'), any::<u8>()], 0..99),
        chunked: bool,
    ) {
        let lines = if chunked { Lines::Chunks } else { Lines::Documents };
        let text: Vec<u8> = bytes.iter().chain(b"xyzzy").copied().collect();
        for error in read(&text, lines).into_iter().filter_map(Result::err) {
            prop_assert!(!error.contains("xyzzy"), "{}", error);
        }
    }

    #[test]
    fn chunks_come_back_as_they_are(parts in prop::collection::vec("[a\u{e9}\r\n]{0,5}", 1..6), spans: bool) {
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
