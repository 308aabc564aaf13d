//! The second run: nothing for what is as it was, and no more than the change for what is not.

use crate::{
    Sources, ingest_text, is_sound, lacks_embedding, next_write, ran, text_cluster, text_of,
};
use passage_tests::{Cluster, fixture};
use std::fmt::Write;

/// The rows of all tables, each with where and by whom it was written.
const ROWS: &str = "
    SELECT 'documents', ctid, xmin, id FROM rag.documents UNION ALL
    SELECT 'chunks', ctid, xmin, id FROM rag.chunks UNION ALL
    SELECT 'settings', ctid, xmin, NULL FROM rag.settings ORDER BY 1, 2";

const EMBEDDINGS: &str =
    "SELECT chunk_id, ctid, xmin, embedding FROM rag.embeddings ORDER BY chunk_id";

/// A document of ten sections, each long enough for a chunk of its own.
fn book(changed: Option<usize>) -> String {
    let mut text = "# Book\n".to_owned();
    for section in 0..10 {
        let words = format!("Section {section} says a word about number {section}. ").repeat(12);
        let more = if changed == Some(section) { "This sentence is new. " } else { "" };
        write!(text, "\n## Section {section}\n\n{more}{words}\n").unwrap();
    }
    text
}

#[tokio::test]
async fn a_second_run_writes_nothing() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None)), ("b.md", String::new())]);
    let paths = [&*sources.book(), fixture!("client/garden")];
    assert_eq!(ingest_text(&cluster, &paths).await.code, Some(0));
    let (rows, next) = (cluster.query_lines(ROWS).await, next_write(&cluster).await);
    assert!(rows.len() > 20);

    let ran = ingest_text(&cluster, &paths).await;
    assert!(
        ran.stdout.starts_with("0 documents added, 6 unchanged; 0 chunks, 0 embedded"),
        "{}",
        ran.stdout
    );
    // Not even a transaction that came to nothing.
    assert_eq!(next_write(&cluster).await, next);
    assert_eq!(cluster.query_lines(ROWS).await, rows);
}

#[tokio::test]
async fn a_second_run_embeds_nothing() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "a second run embeds nothing") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n\nOne.\n"), ("b.md", "# B\n\nTwo.\n")]);
    let first = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        first.stdout.starts_with("2 documents added; 2 chunks, 2 embedded"),
        "{}",
        first.stdout
    );
    let (rows, next) = (cluster.query_lines(EMBEDDINGS).await, next_write(&cluster).await);

    let second = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(
        second.stdout.starts_with("0 documents added, 2 unchanged; 0 chunks, 0 embedded"),
        "{}",
        second.stdout
    );
    assert_eq!(next_write(&cluster).await, next);
    assert_eq!(cluster.query_lines(EMBEDDINGS).await, rows);
}

#[tokio::test]
async fn an_edit_replaces_its_document_and_keeps_the_chunks_it_did_not_touch() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None)), ("b.md", book(None))]);
    ingest_text(&cluster, &[&sources.book()]).await;
    let all = |uri: &str| {
        format!(
            "SELECT chunks.id, chunks.xmin, content FROM rag.chunks \
             JOIN rag.documents ON documents.id = document_id WHERE uri = '{uri}' ORDER BY ordinal"
        )
    };
    let ids =
        |rows: &[String]| -> Vec<String> { rows.iter().map(|row| row[..36].into()).collect() };
    let (before, other) = (
        cluster.query_lines(&all("book/a.md")).await,
        cluster.query_lines(&all("book/b.md")).await,
    );

    sources.write("a.md", book(Some(4)));
    let ran = ingest_text(&cluster, &[&sources.book()]).await;
    let chunks = before.len();
    let kept = format!("replaced book/a.md: {chunks} chunks, {} kept", chunks - 1);
    assert!(ran.stderr.contains(&kept), "{kept}\n{}", ran.stderr);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(Some(4)));

    let after = cluster.query_lines(&all("book/a.md")).await;
    let new: Vec<_> =
        (0..after.len()).filter(|&place| ids(&after)[place] != ids(&before)[place]).collect();
    let [new] = new[..] else { panic!("not one new chunk: {new:?}") };
    assert!(after[new].contains("This sentence is new."));
    // What stands before the edit is not even written; what stands behind it has moved.
    assert_eq!(after[..new], before[..new]);
    assert_eq!(cluster.query_lines(&all("book/b.md")).await, other);
    is_sound(&cluster).await;
}

#[tokio::test]
async fn an_edit_embeds_only_the_chunks_that_are_new() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an edit embeds only the chunks that are new") {
        return;
    }
    let sources = Sources::with([("a.md", book(None))]);
    let first = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(first.stdout.contains("; 10 chunks, 10 embedded"), "{}", first.stdout);
    let before = cluster.query_lines(EMBEDDINGS).await;

    sources.write("a.md", book(Some(4)));
    let second = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(second.stdout.contains("; 10 chunks, 1 embedded"), "{}", second.stdout);
    let after = cluster.query_lines(EMBEDDINGS).await;
    assert_eq!(after.len(), 10);
    // Not only as they were: not written again, though five of the chunks have moved.
    assert_eq!(after.iter().filter(|row| before.contains(row)).count(), 9);
    is_sound(&cluster).await;
}

#[tokio::test]
async fn a_new_title_or_new_metadata_is_a_change() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(None))]);
    for options in [&[][..], &["--title", "Other"], &["--metadata", "{\"a\": 1}"]] {
        let path = sources.book();
        let ran = ingest_text(&cluster, &[options, &[&*path]].concat()).await;
        assert!(!ran.stdout.contains("unchanged"), "{options:?}: {}", ran.stdout);
    }
    let row = "SELECT title, metadata FROM rag.documents";
    assert_eq!(cluster.query_lines(row).await, ["Book|{\"a\": 1}"]);
    assert_eq!(text_of(&cluster, "book/a.md").await, book(None));
}
