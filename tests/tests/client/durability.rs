//! The server or the client dies in the middle of a run: every document is wholly old or wholly
//! new, and the next run completes what is missing.
//!
//! The middle is not hit by waiting for a while: the blow falls when the server itself tells that
//! it is copying chunks, or that the client waits for a lock within its transaction.

use crate::{
    Ran, Sources, ingest_text, is_sound, lacks_embedding, ran, text_cluster, text_of, until_alone,
};
use passage_tests::Cluster;
use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::Child;

/// Documents beside the large one; by their names some come before it and some after.
const SMALL: usize = 40;

const FAR_IN_A_COPY: &str =
    "SELECT EXISTS (SELECT FROM pg_stat_progress_copy WHERE tuples_processed > 500)";

const WAITS_TO_COPY_EMBEDDINGS: &str = "SELECT EXISTS (SELECT FROM pg_stat_activity \
    WHERE application_name = 'passage' AND wait_event_type = 'Lock' AND query LIKE 'COPY%embeddings%')";

/// The text of a document: three parts in common, two of the version's own.
fn text(name: &str, version: usize, sections: usize) -> String {
    let mut text = format!("# {name}\n");
    for section in 0..sections {
        let of =
            if section % 5 < 3 { "every version".into() } else { format!("version {version}") };
        let words = format!("{name} {section} is of {of}. ").repeat(20);
        write!(text, "\n## Section {section}\n\n{words}\n").unwrap();
    }
    text
}

/// The uris and the texts of a version.
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

/// Waits until a query gives true; the client must not be through by then.
async fn until(cluster: &Cluster, child: &mut Child, sql: &str) {
    let session = cluster.client().await;
    let begun = Instant::now();
    while !session.query_one(sql, &[]).await.unwrap().get::<_, bool>(0) {
        assert!(child.try_wait().unwrap().is_none(), "the client ended before the blow");
        assert!(begun.elapsed() < Duration::from_secs(30), "the moment does not come");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Takes the server down when what was committed by now is on disk: the client itself waits for the
/// disk only at the end of a run, and a blow that undoes its last commits would prove less.
async fn strike(cluster: &Cluster) {
    cluster.execute("SELECT pg_logical_emit_message(true, 'test', 'a commit that waits')").await;
    cluster.kill();
}

/// How many documents are of the new version; those that are of neither are an error.
async fn count_new(cluster: &Cluster, old: &[(String, String)], new: &[(String, String)]) -> usize {
    is_sound(cluster).await;
    let mut count = 0;
    for ((name, old), (_, new)) in old.iter().zip(new) {
        let text = text_of(cluster, &format!("book/{name}")).await;
        assert!(text == *old || text == *new, "{name} is neither old nor new");
        count += usize::from(text == *new);
    }
    count
}

async fn is_completed(cluster: &Cluster, sources: &Sources, new: &[(String, String)]) {
    let again = ingest_text(cluster, &[&sources.book()]).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(count_new(cluster, new, new).await, new.len());
    let documents = cluster.query_text("SELECT count(*) FROM rag.documents").await;
    assert_eq!(documents, new.len().to_string());
}

#[tokio::test]
async fn a_server_that_dies_in_mid_ingest_has_every_document_wholly_old_or_wholly_new() {
    let mut cluster = text_cluster().await;
    let sources = Sources::new();
    let (old, new) = (version(1), version(2));
    write(&sources, &old);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));

    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_COPY).await;
    strike(&cluster).await;
    let output = child.wait_with_output().await.unwrap();
    let ran = Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    ran.refuses("connection", "each document is written completely or not at all");

    cluster.start_again().await;
    let count = count_new(&cluster, &old, &new).await;
    assert!((1..=SMALL).contains(&count), "the blow fell before or after the run: {count}");
    is_completed(&cluster, &sources, &new).await;

    // What a run that has ended says it did is done.
    cluster.crash().await;
    assert_eq!(count_new(&cluster, &new, &new).await, new.len());
}

#[tokio::test]
async fn a_client_that_is_killed_in_mid_ingest_leaves_every_document_wholly_old_or_wholly_new() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let (old, new) = (version(1), version(2));
    write(&sources, &old);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));

    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_COPY).await;
    child.kill().await.unwrap();
    until_alone(&cluster).await;

    let count = count_new(&cluster, &old, &new).await;
    assert!((1..=SMALL).contains(&count), "the blow fell before or after the run: {count}");
    is_completed(&cluster, &sources, &new).await;
}

#[tokio::test]
async fn a_first_load_that_is_cut_off_leaves_no_half_document() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let new = version(1);
    write(&sources, &new);
    let mut child = start(&cluster, &["ingest", "--no-embed", &sources.book()]);
    until(&cluster, &mut child, FAR_IN_A_COPY).await;
    child.kill().await.unwrap();
    until_alone(&cluster).await;

    let large = "SELECT count(*) FROM rag.documents WHERE uri = 'book/10_large.md'";
    assert_eq!(cluster.query_text(large).await, "0");
    is_sound(&cluster).await;
    is_completed(&cluster, &sources, &new).await;
}

#[tokio::test]
async fn chunks_and_their_embeddings_come_together_or_not_at_all() {
    let mut cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "chunks and their embeddings come together or not at all") {
        return;
    }
    let sources = Sources::with([("a.md", text("a", 1, 5) + "\n")]);
    ran(&cluster, ["ingest", &sources.book()]).await;
    let rows = "SELECT chunks.*, embedding FROM rag.chunks JOIN rag.embeddings ON chunk_id = id ORDER BY ordinal";
    let before = cluster.query_lines(rows).await;
    assert_eq!(before.len(), 5);

    // Two sections more, and nothing else: their chunks are copied, their embeddings cannot be.
    sources.write("a.md", text("a", 1, 7));
    let holder = cluster.client().await;
    // A lock on the table would hold the client back before its transaction has begun.
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
    until(&cluster, &mut child, WAITS_TO_COPY_EMBEDDINGS).await;
    strike(&cluster).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    cluster.start_again().await;
    assert_eq!(cluster.query_lines(rows).await, before);
    is_sound(&cluster).await;

    let again = ran(&cluster, ["ingest", &sources.book()]).await;
    assert!(again.stdout.contains("; 7 chunks, 2 embedded"), "{}\n{}", again.stdout, again.stderr);
    assert_eq!(cluster.query_lines(rows).await.len(), 7);
    is_sound(&cluster).await;
}
