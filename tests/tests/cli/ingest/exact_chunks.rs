//! Chunks in the database are slices of the source, byte for byte, with the right spans and lines.

use crate::{Sources, assert_sound, ingest_text, run_client, text_cluster, text_of};
use passage_tests::Cluster;
use passage_tests::cases;

/// Sources with the line ends and characters that editors and systems produce.
fn sources() -> Vec<(&'static str, String)> {
    let body = |line: &str, end: &str| format!("{line}{end}").repeat(60);
    let markdown = |end: &str| {
        let rows = body("| one | two, and some words to fill the table |", end);
        let text = body("A line of a paragraph that is long enough to be cut somewhere.", end);
        format!("# Title{end}{end}{text}{end}## Table{end}{end}| a | b |{end}|---|---|{end}{rows}")
    };
    vec![
        ("lf.md", markdown("\n")),
        ("crlf.md", markdown("\r\n")),
        ("cr.md", markdown("\r")),
        ("bom.md", format!("\u{feff}{}", markdown("\n"))),
        ("no_final_newline.md", markdown("\n").trim_end().to_owned()),
        (
            "unclosed_fence.md",
            format!("# Code\n\n```rust\n{}", body("let line = 1;\t// tab", "\n")),
        ),
        (
            "not_ascii.md",
            format!("# Ünïcödé\n\n{}", body("Größe, 漢字と仮名、 emoji 👩‍👩‍👧 and e\u{301}.", "\n")),
        ),
        ("long_line.txt", "word ".repeat(20_000)),
        ("no_spaces.txt", "漢".repeat(5_000)),
        ("only_blank.md", "\n \r\n\t\n\n".to_owned()),
        ("escapes.md", "\\N \\. \\\\ 'quote' \"double\" {a,\"b\"} $1 %s \u{7f}\u{85}\n".repeat(40)),
        ("front_matter.md", format!("---\ntitle: T\n---\n\n{}", markdown("\n"))),
        ("empty.md", String::new()),
    ]
}

/// Returns the line of a byte, from 1. A carriage return ends a line unless a line feed follows.
fn line_of(text: &str, byte: usize) -> usize {
    let bytes = text.as_bytes();
    let ends =
        |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    1 + (0..byte).filter(|&at| ends(at)).count()
}

#[tokio::test]
async fn chunks_equal_the_file_byte_for_byte_with_right_spans_and_lines() {
    let cluster = text_cluster().await;
    let files = Sources::with(sources());
    for sizer in cases(["characters", "wordpieces"]) {
        // A store without documents takes another unit.
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        let run =
            run_client(&cluster, ["ingest", "--no-embed", "--sizer", sizer, &files.book()]).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for (name, text) in sources() {
            let uri = format!("book/{name}");
            assert!(text_of(&cluster, &uri).await == text, "{name} by {sizer} is not its source");
            check_spans(&cluster, &uri, &text).await;
        }
        assert_sound(&cluster).await;
    }
}

async fn check_spans(cluster: &Cluster, uri: &str, text: &str) {
    let sql = format!(
        "SELECT start_byte, end_byte, first_line, last_line, content FROM rag.chunks \
         WHERE document_id = (SELECT id FROM rag.documents WHERE uri = '{uri}') ORDER BY ordinal"
    );
    let rows = cluster.query_rows_as("owner", &sql).await;
    assert!(rows.len() > 1 || text.len() < 500, "{uri} is a single chunk, which proves little");
    for row in rows {
        let [numbers @ .., content] = &row[..] else { panic!("five columns") };
        let numbers: Vec<usize> =
            numbers.iter().map(|number| number.as_ref().unwrap().parse().unwrap()).collect();
        let [start, end, first, last] = numbers[..] else { panic!("four numbers") };
        assert!(content.as_deref() == Some(&text[start..end]), "{uri}: {start}..{end}");
        let lines = [line_of(text, start), line_of(text, end - 1)];
        assert_eq!([first, last], lines, "{uri}: lines of {start}..{end}");
    }
}

#[tokio::test]
async fn an_empty_file_is_a_document_without_chunks() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    ingest_text(&cluster, &[&sources.book()]).await;
    sources.write("a.md", "");
    ingest_text(&cluster, &[&sources.book()]).await;
    let counts = "SELECT chunk_count, (SELECT count(*) FROM rag.chunks) FROM rag.documents";
    assert_eq!(cluster.query_lines(counts).await, ["0|0"]);
    assert!(cluster.passage(["outline", "book/a.md"]).await.is_empty());
}
