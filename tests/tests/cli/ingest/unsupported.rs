//! `passage ingest` of documents that it cannot convert: counted by format, and a failure unless they are accepted.

use crate::{Sources, ingest_text, text_cluster};

/// A compound file, as Word wrote until 2003. Its directory names the stream of the document.
fn old_word_document() -> Vec<u8> {
    let name = "WordDocument".encode_utf16().flat_map(u16::to_le_bytes);
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1].into_iter().chain(name).collect()
}

#[tokio::test]
async fn unsupported_documents_are_counted_by_format_and_fail_the_run_unless_they_are_accepted() {
    let cluster = text_cluster().await;
    let old = old_word_document();
    let sources = Sources::with([
        ("a.md", &b"# A\n\nOne.\n"[..]),
        ("minutes.doc", &old),
        // The content decides, not the name.
        ("part/minutes.txt", &old),
        ("readme.doc", b"Plain words.\n"),
        ("photo.png", b"\x89PNG"),
    ]);

    let run = ingest_text(&cluster, &[&sources.book()]).await;
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for name in ["minutes.doc", "part/minutes.txt"] {
        let cause = format!("{name} is a Word document of the old format, which passage cannot");
        assert!(run.stderr.contains(&cause), "{}", run.stderr);
    }
    assert!(run.stderr.contains("--skip-unsupported"), "{}", run.stderr);
    let counts =
        "2 documents added, 1 skipped, 2 unsupported (2 Word documents of the old format);";
    assert!(run.stdout.starts_with(counts), "{}", run.stdout);

    let run = ingest_text(&cluster, &["--skip-unsupported", &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let note = "minutes.doc: a Word document of the old format\n";
    assert!(run.stderr.contains(note) && !run.stderr.contains("error"), "{}", run.stderr);
    assert!(run.stdout.contains("2 unchanged, 1 skipped, 2 unsupported"), "{}", run.stdout);

    let run = ingest_text(&cluster, &["--json", &sources.book()]).await;
    assert!(run.stdout.contains(r#""unsupported":{"application/msword":2}"#), "{}", run.stdout);
}
