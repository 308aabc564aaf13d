//! Several clients that load the same documents at the same time.

use crate::{RunOutput, Sources, assert_sound, text_cluster, text_of};
use passage_tests::Cluster;

const DOCUMENTS: usize = 50;

fn text(document: usize, version: usize) -> String {
    let words = format!("Document {document} has much to say. ").repeat(30);
    format!(
        "# {document}\n\n{words}\n\n## Version\n\nThis is version {version}.\n\n## End\n\n{words}\n"
    )
}

fn sources(version: usize) -> Sources {
    let sources = Sources::new();
    for document in 0..DOCUMENTS {
        sources.write(&format!("{document}.md"), text(document, version));
    }
    sources
}

/// Runs a client for each book at the same time; none may fail.
async fn ingest_at_once(cluster: &Cluster, books: &[&Sources]) -> Vec<RunOutput> {
    let start = |sources: &Sources| {
        let mut program = cluster.client_program();
        program.args(["ingest", "--no-embed", &sources.book()]);
        tokio::spawn(async move { RunOutput::of(&mut program).await })
    };
    let running: Vec<_> = books.iter().map(|book| start(book)).collect();
    let mut done = Vec::new();
    for client in running {
        let run = client.await.unwrap();
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(!run.stderr.contains("error"), "{}", run.stderr);
        done.push(run);
    }
    done
}

/// Returns the sum of a count in the summaries of all clients.
fn total(done: &[RunOutput], what: &str) -> usize {
    let lines = done.iter().flat_map(|run| run.stderr.lines());
    lines.filter(|line| line.starts_with(&format!("{what} book/"))).count()
}

/// Checks that each document exists once and is of one of the versions.
async fn assert_one_of(cluster: &Cluster, versions: &[usize]) {
    let counts = "SELECT count(*), count(DISTINCT uri) FROM rag.documents";
    assert_eq!(cluster.query_lines(counts).await, [format!("{DOCUMENTS}|{DOCUMENTS}")]);
    for document in 0..DOCUMENTS {
        let stored = text_of(cluster, &format!("book/{document}.md")).await;
        assert!(
            versions.iter().any(|&version| stored == text(document, version)),
            "document {document} is of no version:\n{stored}"
        );
    }
    assert_sound(cluster).await;
}

async fn concurrent_writers_all_succeed(writers: usize) {
    let cluster = text_cluster().await;
    for version in 1..=2 {
        let sources = sources(version);
        let done = ingest_at_once(&cluster, &vec![&sources; writers]).await;
        assert_one_of(&cluster, &[version]).await;
        // Each document was written by one client and found unchanged by the others.
        let written = if version == 1 { "added" } else { "replaced" };
        assert_eq!(total(&done, written), DOCUMENTS);
        assert_eq!(total(&done, "unchanged"), DOCUMENTS * (writers - 1));
    }
}

#[tokio::test]
async fn two_writers_of_the_same_folder_both_succeed() {
    concurrent_writers_all_succeed(2).await;
}

#[tokio::test]
async fn eight_writers_of_the_same_folder_all_succeed() {
    concurrent_writers_all_succeed(8).await;
}

#[tokio::test]
async fn of_concurrent_versions_of_a_document_one_wins() {
    let cluster = text_cluster().await;
    let books = [sources(1), sources(2), sources(3), sources(4)];
    ingest_at_once(&cluster, &books.each_ref()).await;
    assert_one_of(&cluster, &[1, 2, 3, 4]).await;
    let (one, other) = (sources(5), sources(6));
    ingest_at_once(&cluster, &[&one, &other]).await;
    assert_one_of(&cluster, &[5, 6]).await;
}

#[tokio::test]
async fn of_eight_writers_of_one_document_each_writes_or_reports_a_change() {
    let cluster = text_cluster().await;
    for round in 0..4 {
        let books: Vec<_> = (0..8)
            .map(|writer| {
                Sources::with([("0.md", text(0, round * 8 + writer)), ("1.md", text(1, round))])
            })
            .collect();
        let done = ingest_at_once(&cluster, &books.iter().collect::<Vec<_>>()).await;
        assert_eq!(
            total(&done, "added") + total(&done, "replaced") + total(&done, "unchanged"),
            16
        );
        let stored = text_of(&cluster, "book/0.md").await;
        assert!((0..8).any(|writer| stored == text(0, round * 8 + writer)), "{stored}");
        assert_eq!(text_of(&cluster, "book/1.md").await, text(1, round));
        assert_sound(&cluster).await;
    }
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(cluster.query_text(deadlocks).await, "0");
}
