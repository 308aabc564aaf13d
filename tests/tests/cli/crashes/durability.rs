//! The server or the client crashes during a run: each document is either the old or the new version,
//! and the next run completes the rest.
//!
//! The tests do not sleep to find the middle of a run. They crash it when the server reports that it has been writing a
//! large document for a while, or that the client waits for a lock within its transaction.

use crate::{
    RunOutput, Sources, assert_sound, ingest_text, lacks_embedding, run_client, text_cluster,
    text_of, until_disconnected,
};
use passage_tests::{Cluster, wait};
use std::fmt::Write;
use std::process::Stdio;
use tokio::process::Child;

/// The number of small documents. By their names some are loaded before the large one, some after it.
const SMALL: usize = 40;

/// A small document takes a few milliseconds, the large one more than a second.
const FAR_IN_A_WRITE: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'passage' \
    AND query LIKE '%write_documents%' AND state = 'active' AND clock_timestamp() > query_start + interval '300 ms')";

const WAITS_TO_WRITE_EMBEDDINGS: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity \
    WHERE application_name = 'passage' AND wait_event_type = 'Lock' AND query LIKE '%write_documents%')";

/// Returns the text of a document: of five sections three are the same in each version.
fn text(name: &str, version: usize, sections: usize) -> String {
    let mut text = format!("# {name}\n");
    for section in 0..sections {
        let origin =
            if section % 5 < 3 { "every version".into() } else { format!("version {version}") };
        let words = format!("{name} {section} is of {origin}. ").repeat(20);
        write!(text, "\n## Section {section}\n\n{words}\n").unwrap();
    }
    text
}

/// Returns the uris and texts of a version.
fn version(version: usize) -> Vec<(String, String)> {
    let small = |number| format!("{number:02}.md");
    let mut files: Vec<_> =
        (0..SMALL).map(|number| (small(number), text(&small(number), version, 5))).collect();
    files.push(("10_large.md".into(), text("large", version, 10_000)));
    files
}

fn write(sources: &Sources, files: &[(String, String)]) {
    for (name, text) in files {
        sources.write(name, text);
    }
}

fn start(cluster: &Cluster, arguments: &[&str]) -> Child {
    let mut command = cluster.client_program();
    command.env("RUST_BACKTRACE", "1").args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a query returns true; the client must still be running.
async fn until(cluster: &Cluster, child: &mut Child, sql: &str) {
    let session = cluster.client().await;
    wait::until(sql, async || {
        assert!(child.try_wait().unwrap().is_none(), "the client ended before the kill");
        session.query_one(sql, &[]).await.unwrap().get(0)
    })
    .await;
}

/// Stops the server when all commits so far are on disk. The client itself waits for the disk only at
/// the end of a run, and a crash that undoes its last commits would prove less.
async fn crash_server(cluster: &Cluster) {
    cluster.execute("SELECT pg_logical_emit_message(true, 'test', 'a commit that waits')").await;
    cluster.kill();
}

/// Returns how many documents are of the new version. Fails if one is of neither version.
async fn count_new(cluster: &Cluster, old: &[(String, String)], new: &[(String, String)]) -> usize {
    assert_sound(cluster).await;
    let mut count = 0;
    for ((name, old), (_, new)) in old.iter().zip(new) {
        let text = text_of(cluster, &format!("book/{name}")).await;
        assert!(text == *old || text == *new, "{name} is neither old nor new");
        count += usize::from(text == *new);
    }
    count
}

async fn assert_completed(cluster: &Cluster, sources: &Sources, new: &[(String, String)]) {
    let again = ingest_text(cluster, &[&sources.book()]).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(count_new(cluster, new, new).await, new.len());
    let documents = cluster.query_text("SELECT count(*) FROM rag.documents").await;
    assert_eq!(documents, new.len().to_string());
}

#[tokio::test]
async fn after_a_server_crash_each_document_is_old_or_new() {
    let mut cluster = text_cluster().await;
    let sources = Sources::new();
    let (old, new) = (version(1), version(2));
    write(&sources, &old);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));

    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_WRITE).await;
    crash_server(&cluster).await;
    let output = child.wait_with_output().await.unwrap();
    let run = RunOutput {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    run.assert_refusal("connection", "each document is written completely or not at all");

    cluster.start_again().await;
    let count = count_new(&cluster, &old, &new).await;
    assert!((1..=SMALL).contains(&count), "the crash came before or after the run: {count}");
    assert_completed(&cluster, &sources, &new).await;

    // A run that has ended has done what it reported.
    cluster.crash().await;
    assert_eq!(count_new(&cluster, &new, &new).await, new.len());
}

#[tokio::test]
async fn after_a_client_crash_each_document_is_old_or_new() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let (old, new) = (version(1), version(2));
    write(&sources, &old);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));

    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_WRITE).await;
    child.kill().await.unwrap();
    until_disconnected(&cluster).await;

    let count = count_new(&cluster, &old, &new).await;
    assert!((1..=SMALL).contains(&count), "the crash came before or after the run: {count}");
    assert_completed(&cluster, &sources, &new).await;
}

#[tokio::test]
async fn an_interrupted_first_load_leaves_no_partial_document() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let new = version(1);
    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_WRITE).await;
    child.kill().await.unwrap();
    until_disconnected(&cluster).await;

    let large = "SELECT count(*) FROM rag.documents WHERE uri = 'book/10_large.md'";
    assert_eq!(cluster.query_text(large).await, "0");
    assert_sound(&cluster).await;
    assert_completed(&cluster, &sources, &new).await;
}

#[tokio::test]
async fn chunks_and_their_embeddings_are_committed_together() {
    let mut cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "chunks and their embeddings are committed together") {
        return;
    }
    let sources = Sources::with([("a.md", text("a", 1, 5) + "\n")]);
    run_client(&cluster, ["ingest", &sources.book()]).await;
    let rows = "SELECT chunks.*, embedding FROM rag.chunks JOIN rag.embeddings ON chunk_id = id ORDER BY ordinal";
    let before = cluster.query_lines(rows).await;
    assert_eq!(before.len(), 5);

    // The new version has two more sections. Their chunks are written, their embeddings are blocked.
    sources.write("a.md", text("a", 1, 7));
    let holder = cluster.client().await;
    // A lock on the table would block the client before its transaction begins.
    cluster
        .execute(
            "CREATE FUNCTION public.held() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
            CREATE TRIGGER held BEFORE INSERT ON rag.embeddings
                FOR EACH ROW EXECUTE FUNCTION public.held()",
        )
        .await;
    holder.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
    let mut child = start(&cluster, &["ingest", &sources.book()]);
    until(&cluster, &mut child, WAITS_TO_WRITE_EMBEDDINGS).await;
    crash_server(&cluster).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    cluster.start_again().await;
    assert_eq!(cluster.query_lines(rows).await, before);
    assert_sound(&cluster).await;

    let again = run_client(&cluster, ["ingest", &sources.book()]).await;
    assert!(again.stdout.contains("; 7 chunks, 2 embedded"), "{}\n{}", again.stdout, again.stderr);
    assert_eq!(cluster.query_lines(rows).await.len(), 7);
    assert_sound(&cluster).await;
}
