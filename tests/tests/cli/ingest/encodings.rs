//! Texts that are not UTF-8: by byte order mark, by declaration, and by `--encoding`.

use crate::{Sources, ingest_text, text_cluster, text_of};
use passage_tests::Cluster;

fn utf_16(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

fn utf_32(text: &str) -> Vec<u8> {
    [0, 0, 0xfe, 0xff]
        .into_iter()
        .chain(text.chars().flat_map(|char| u32::from(char).to_be_bytes()))
        .collect()
}

async fn encoding_of(cluster: &Cluster, uri: &str) -> String {
    let encoding = format!(
        "SELECT coalesce(metadata ->> 'encoding', 'none') FROM rag.documents WHERE uri = '{uri}'"
    );
    cluster.query_text(&encoding).await
}

#[tokio::test]
async fn texts_that_show_or_declare_their_encoding_are_decoded() {
    let cluster = text_cluster().await;
    let markdown = "# Title\n\nIntro.\n\n## Größe\n\nDer Text über das Maß.\n";
    let xml =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<root><name>K\xf6ln</name></root>\n";
    let sources = Sources::with([
        ("a.md", utf_16(markdown)),
        ("b.md", utf_32(markdown)),
        ("c.xml", xml.to_vec()),
        ("d.md", markdown.into()),
    ]);
    let sizes = ["--sizer", "characters", "--max-size", "40", "--min-size", "1"];
    let run = ingest_text(&cluster, &[&sizes[..], &[&sources.book()]].concat()).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for (name, encoding) in [("a.md", "UTF-16LE"), ("b.md", "UTF-32BE"), ("d.md", "none")] {
        let uri = format!("book/{name}");
        assert_eq!(text_of(&cluster, &uri).await, markdown, "{name}");
        assert_eq!(encoding_of(&cluster, &uri).await, encoding);
        // Lines are those of the decoded text.
        let line = format!(
            "SELECT first_line FROM rag.chunks c JOIN rag.documents d ON d.id = document_id \
             WHERE uri = '{uri}' AND content LIKE '## Größe%'"
        );
        assert_eq!(cluster.query_text(&line).await, "5", "{name}");
    }
    assert!(text_of(&cluster, "book/c.xml").await.contains("<name>Köln</name>"));
    assert_eq!(encoding_of(&cluster, "book/c.xml").await, "windows-1252");
    let run = ingest_text(&cluster, &[&sizes[..], &[&sources.book()]].concat()).await;
    assert!(run.stdout.starts_with("0 documents added, 4 unchanged"), "{}", run.stdout);
}

#[tokio::test]
async fn another_encoding_is_named_for_texts_that_are_not_utf_8() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.csv", &b"\x96\xbc\x91O,\x92l\n\x93\xfa\x96{,1\n"[..]),
        ("b.csv", "名前,値\nKöln,2\n".as_bytes()),
    ]);
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    run.assert_refusal("a.csv is not UTF-8: line 1, byte 0 of the file", "--encoding");

    let run = ingest_text(&cluster, &["--encoding", "sjis", &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(text_of(&cluster, "book/a.csv").await, "名前,値\n日本,1\n");
    assert_eq!(text_of(&cluster, "book/b.csv").await, "名前,値\nKöln,2\n");
    assert_eq!(encoding_of(&cluster, "book/a.csv").await, "Shift_JIS");
    assert_eq!(encoding_of(&cluster, "book/b.csv").await, "none");

    sources.write("c.csv", b"a,\x82\n");
    let run = ingest_text(&cluster, &["--encoding", "sjis", &sources.book()]).await;
    run.assert_refusal("c.csv is not Shift_JIS", "name another encoding");
    let run = ingest_text(&cluster, &["--encoding", "klingon", &sources.book()]).await;
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("https://encoding.spec.whatwg.org"), "{}", run.stderr);
}
