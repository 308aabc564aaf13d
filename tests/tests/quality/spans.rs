//! Sets whose offsets in characters become bytes.

use std::fs;

use crate::set::{Set, bytes, names};

#[test]
fn characters_are_found_after_multibyte_ones() {
    let text = "né\u{a0}€\r\n\u{1f9ff}x";
    let slice = |range| bytes(text, range).map(|bytes| &text[bytes]);
    assert_eq!(slice(0..1), Some("n"));
    assert_eq!(slice(1..4), Some("é\u{a0}€"));
    assert_eq!(slice(4..7), Some("\r\n\u{1f9ff}"));
    assert_eq!(slice(7..8), Some("x"), "up to the end");
    assert_eq!(slice(8..8), Some(""));
    assert_eq!(slice(7..9), None, "the text has eight characters");
}

/// A folder with one set of two documents and one question.
fn folder(spans: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("tiny");
    fs::create_dir_all(set.join("docs")).unwrap();
    fs::write(set.join("docs/b.md"), "no answer\r\n").unwrap();
    fs::write(set.join("docs/c.md"), "Gr\u{f6}\u{df}e: 3 \u{3bc}m").unwrap();
    let line = format!(r#"{{"id": "1", "question": "How big?", "doc": "c.md", "spans": {spans}}}"#);
    fs::write(set.join("questions.jsonl"), format!("{line}\n")).unwrap();
    folder
}

#[test]
fn a_set_is_read_with_its_spans_in_bytes() {
    let folder = folder("[[7, 11], [0, 5]]");
    assert_eq!(names(folder.path()), ["tiny"]);
    let set = Set::read(folder.path(), "tiny");
    let documents: Vec<_> = set.documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!((set.name.as_str(), documents), ("tiny", vec!["b.md", "c.md"]));
    assert_eq!(set.documents[0].text, "no answer\r\n");
    let [question] = &set.questions[..] else { panic!("one question") };
    let text = &set.documents[question.answer.document].text;
    let spans: Vec<_> = question.answer.spans.iter().map(|span| &text[span.clone()]).collect();
    assert_eq!(question.text, "How big?");
    assert_eq!(spans, ["3 \u{3bc}m", "Gr\u{f6}\u{df}e"]);
}

#[test]
fn a_question_without_an_answer_is_refused() {
    for spans in ["[[0, 12]]", "[[2, 2]]", "[]", "[[3, 1]]"] {
        let folder = folder(spans);
        let read = std::panic::catch_unwind(|| Set::read(folder.path(), "tiny").questions.len());
        assert!(read.is_err(), "{spans}");
    }
}
