//! `passage sync` orphans, removes and restores documents of removed sources; `passage remove` removes them by name.

use crate::{
    RunOutput, Sources, assert_sound, ingest_text, next_transaction, run_client, text_cluster,
    until_line,
};
use passage::store::Store;
use passage_tests::Cluster;
use passage_tests::cases;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};

const ROWS: &str = "SELECT uri, orphaned_at IS NOT NULL FROM rag.documents ORDER BY uri";

async fn sync(cluster: &Cluster, options: &[&str]) -> RunOutput {
    run_client(cluster, ["sync", "--no-embed"].iter().chain(options)).await
}

fn book() -> Sources {
    Sources::with([("a.md", "# A\n\nApples.\n"), ("b.md", "# B\n\nBerries.\n"), ("c.md", "# C\n")])
}

fn remove_file(sources: &Sources, name: &str) {
    fs::remove_file(format!("{}/{name}", sources.book())).unwrap();
}

#[tokio::test]
async fn an_orphaned_document_is_not_searched_and_is_restored_unchanged() {
    let (cluster, sources) = (text_cluster().await, book());
    let other = Sources::with([("a.md", "# Other\n")]);
    ingest_text(&cluster, &[&other.book(), "--collection", "other"]).await;
    let loaded = sync(&cluster, &[&sources.book()]).await;
    assert!(loaded.stdout.starts_with("3 documents added; 3 chunks"), "{}", loaded.stdout);

    remove_file(&sources, "b.md");
    let gone = sync(&cluster, &[&sources.book()]).await;
    assert_eq!(gone.code, Some(0), "{}", gone.stderr);
    assert!(
        gone.stderr.contains("orphaned book/b.md: its source no longer exists"),
        "{}",
        gone.stderr
    );
    assert!(gone.stdout.starts_with("0 documents added, 2 unchanged, 1 orphaned"));
    let count_hits = "SELECT count(*) FROM passage.search('berries')";
    assert_eq!(cluster.query_text(count_hits).await, "0");
    let rows = cluster.query_lines(ROWS).await;
    assert_eq!(rows, ["book/a.md|f", "book/a.md|f", "book/b.md|t", "book/c.md|f"]);

    // A second sync writes nothing; a restored document only loses its mark.
    let next = next_transaction(&cluster).await;
    let again = sync(&cluster, &[&sources.book()]).await;
    assert!(again.stdout.starts_with("0 documents added, 2 unchanged; 0 chunks"));
    assert_eq!(next_transaction(&cluster).await, next);
    let chunks = "SELECT id, xmin FROM rag.chunks ORDER BY id";
    let before = cluster.query_lines(chunks).await;
    sources.write("b.md", "# B\n\nBerries.\n");
    let back = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(back.stderr.contains("restored book/b.md"), "{}", back.stderr);
    assert!(back.stdout.starts_with("0 documents added, 2 unchanged, 1 restored"));
    assert_eq!(cluster.query_text(count_hits).await, "1");
    assert_eq!(cluster.query_lines(chunks).await, before);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_document_is_removed_after_the_grace_period() {
    let (cluster, sources) = (text_cluster().await, book());
    sync(&cluster, &[&sources.book()]).await;
    remove_file(&sources, "b.md");
    sync(&cluster, &[&sources.book(), "--grace", "1h"]).await;
    cluster.execute("UPDATE rag.documents SET orphaned_at = orphaned_at - interval '59 min'").await;
    let kept = sync(&cluster, &[&sources.book(), "--grace", "1h"]).await;
    assert!(!kept.stdout.contains("removed"), "{}", kept.stdout);
    cluster.execute("UPDATE rag.documents SET orphaned_at = orphaned_at - interval '2 min'").await;
    let removed = sync(&cluster, &[&sources.book(), "--grace", "1h"]).await;
    assert!(removed.stderr.contains("removed book/b.md"), "{}", removed.stderr);
    assert!(removed.stdout.contains("1 removed"), "{}", removed.stdout);
    assert_eq!(cluster.query_lines(ROWS).await, ["book/a.md|f", "book/c.md|f"]);

    remove_file(&sources, "c.md");
    let at_once = sync(&cluster, &[&sources.book(), "--grace", "0"]).await;
    assert!(at_once.stdout.contains("1 removed"), "{}", at_once.stdout);
    assert_eq!(cluster.query_lines(ROWS).await, ["book/a.md|f"]);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_dry_run_reports_everything_and_writes_nothing() {
    let (cluster, sources) = (text_cluster().await, book());
    sync(&cluster, &[&sources.book()]).await;
    sources.write("a.md", "# A\n\nApples and pears.\n");
    sources.write("d.md", "# D\n");
    remove_file(&sources, "b.md");
    let next = next_transaction(&cluster).await;
    for (grace, removal, counted) in cases([
        ("7days", "would orphan book/b.md", "1 orphaned"),
        ("0", "would remove book/b.md", "1 removed"),
    ]) {
        let run = sync(&cluster, &[&sources.book(), "--dry-run", "--grace", grace]).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for line in
            ["would replace book/a.md: 1 chunk, 0 kept", "would add book/d.md: 1 chunk", removal]
        {
            assert!(run.stderr.contains(line), "{line}\n{}", run.stderr);
        }
        let summary = "dry run, nothing written: 1 document added, 1 replaced, 1 unchanged";
        assert_eq!(run.stdout, format!("{summary}, {counted}; 2 chunks\n"));
    }
    assert_eq!(next_transaction(&cluster).await, next);
    let json = sync(&cluster, &[&sources.book(), "--dry-run", "--json", "--quiet"]).await;
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&report["dry_run"], &report["added"], &report["orphaned"]),
        (&true.into(), &1.into(), &1.into())
    );
    assert_eq!(json.stderr, "");
}

#[tokio::test]
async fn documents_of_other_sources_are_left_unchanged() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n"), ("b.txt", "b\n"), ("part/c.md", "# C\n")]);
    let elsewhere = Sources::new();
    fs::create_dir(elsewhere.0.path().join("books")).unwrap();
    let books = elsewhere.0.path().join("books");
    fs::write(books.join("x.md"), "# X\n").unwrap();
    ingest_text(&cluster, &[&sources.book(), books.to_str().unwrap()]).await;
    ingest_text(&cluster, &[&sources.book(), "--version", "2"]).await;
    for file in ["a.md", "b.txt", "part/c.md"] {
        remove_file(&sources, file);
    }
    // Filters limit which documents can be orphaned just as they limit which are loaded.
    let filters = ["--include", "*.md", "--exclude", "part/", "--allow-empty"];
    let run = sync(&cluster, &[&[&*sources.book()], &filters[..]].concat()).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let orphans = "SELECT uri FROM rag.documents WHERE orphaned_at IS NOT NULL ORDER BY uri";
    assert_eq!(cluster.query_lines(orphans).await, ["book/a.md"]);
    sync(&cluster, &[&sources.book(), "--allow-empty"]).await;
    assert_eq!(cluster.query_lines(orphans).await, ["book/a.md", "book/b.txt", "book/part/c.md"]);
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "7");
}

#[tokio::test]
async fn nothing_is_orphaned_if_a_source_cannot_be_read() {
    let (cluster, sources) = (text_cluster().await, book());
    sync(&cluster, &[&sources.book()]).await;
    remove_file(&sources, "b.md");
    let next = next_transaction(&cluster).await;
    let run = sync(&cluster, &[&sources.book(), "no/such/folder", "--grace", "0"]).await;
    run.assert_refusal("cannot read no/such/folder: No such file", "Check that it exists");
    run.assert_refusal("no document was orphaned or removed", "Fix the errors above");
    assert_eq!(next_transaction(&cluster).await, next);

    // A file that exists but fails is not orphaned either.
    sources.write("c.md", b"\xff");
    let run = sync(&cluster, &[&sources.book(), "--grace", "0"]).await;
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("0 documents added, 1 unchanged, 1 removed, 1 failed"));
    assert_eq!(cluster.query_lines(ROWS).await, ["book/a.md|f", "book/c.md|f"]);
}

#[tokio::test]
async fn a_file_of_json_lines_is_the_source_of_its_collection() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let line = |uri: &str| format!("{{\"uri\": \"{uri}\", \"text\": \"# {uri}\"}}\n");
    let path = sources.write("x.jsonl", line("a") + &line("b"));
    let options = [&*path, "--jsonl", "documents", "--grace", "0"];
    sync(&cluster, &options)
        .await
        .assert_refusal("a sync of JSON lines requires --collection", "Name the collection");
    let options = [&options[..], &["--collection", "x"]].concat();
    assert_eq!(sync(&cluster, &options).await.code, Some(0));
    sources.write("x.jsonl", line("b") + "no JSON\n");
    sync(&cluster, &options)
        .await
        .assert_refusal("x.jsonl:2: invalid JSON", "one JSON object per line");
    assert_eq!(cluster.query_lines(ROWS).await, ["a|f", "b|f"]);
    sources.write("x.jsonl", line("b"));
    assert_eq!(sync(&cluster, &options).await.code, Some(0));
    assert_eq!(cluster.query_lines(ROWS).await, ["b|f"]);
}

#[tokio::test]
async fn documents_are_removed_by_name_after_a_confirmation() {
    let (cluster, sources) = (text_cluster().await, book());
    for version in ["1", "2"] {
        ingest_text(&cluster, &[&sources.book(), "--collection", "x", "--version", version]).await;
    }
    ingest_text(&cluster, &[&sources.book()]).await;
    let next = next_transaction(&cluster).await;
    let remove =
        async |options: &[&str]| run_client(&cluster, ["remove"].iter().chain(options)).await;

    let unsaid = remove(&["book/a.md"]).await;
    unsaid.assert_refusal(
        "1 document with 1 chunk would be removed, and there is no terminal",
        "--yes",
    );
    let dry = remove(&["--collection", "x", "--dry-run"]).await;
    assert_eq!(dry.stdout, "6 documents with 6 chunks would be removed\n");
    remove(&["--version", "1", "--yes"])
        .await
        .assert_refusal("required arguments", "Usage: passage remove");
    assert_eq!(next_transaction(&cluster).await, next);

    let some = remove(&["book/a.md", "book/zzz.md", "--yes"]).await;
    assert_eq!(some.stdout, "1 document with 1 chunk removed\n");
    some.assert_refusal("no document has the uri \"book/zzz.md\"", "passage status");
    let json = remove(&["--collection", "x", "--version", "1", "--yes", "--json"]).await;
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&report["documents"], &report["chunks"]), (&3.into(), &3.into()));
    let left =
        "SELECT collection, version, count(*) FROM rag.documents GROUP BY 1, 2 ORDER BY 1, 2";
    assert_eq!(cluster.query_lines(left).await, ["||2", "x|2|3"]);
    let rest = remove(&["--collection", "x", "-y"]).await;
    assert_eq!((rest.code, &*rest.stdout), (Some(0), "3 documents with 3 chunks removed\n"));
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_document_that_is_written_in_the_meantime_is_not_removed() {
    let (cluster, sources) = (text_cluster().await, book());
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    cluster.execute("UPDATE rag.documents SET orphaned_at = now() - interval '1 day' WHERE uri < 'book/c.md'").await;
    let store = Store::connect(&cluster.url(), "rag").await.unwrap();
    let (begun, grace) = (store.server_time().await.unwrap(), Duration::from_hours(1));
    let all = store.document_states("", "", None, grace, &begun, 10).await.unwrap();
    let ids: Vec<_> = all.iter().map(|document| document.id).collect();
    assert_eq!(
        all.iter().map(|document| document.is_expired).collect::<Vec<_>>(),
        [true, true, false]
    );
    // One is restored, one is written again, and the third was never orphaned.
    store.unmark_orphaned(ids[0]).await.unwrap();
    cluster.execute("SELECT passage.ingest('book/b.md', '# B', 'text/markdown')").await;
    store.remove_orphans(&ids, &begun, grace).await.unwrap();
    assert_eq!(cluster.query_lines(ROWS).await, ["book/a.md|f", "book/b.md|f", "book/c.md|f"]);
    store.mark_orphaned(&ids, &begun).await.unwrap();
    assert_eq!(cluster.query_lines(ROWS).await, ["book/a.md|t", "book/b.md|f", "book/c.md|t"]);
    store.remove_orphans(&ids, &begun, Duration::ZERO).await.unwrap();
    assert_eq!(cluster.query_lines(ROWS).await, ["book/b.md|f"]);
}

#[tokio::test]
async fn watch_loads_changed_files_and_orphans_removed_ones() {
    let (cluster, sources) = (text_cluster().await, book());
    let mut program = cluster.client_program();
    program.args(["ingest", "--no-embed", "--watch", &sources.book()]);
    let mut child = program.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut wait = async |line: &str| until_line(&mut lines, line).await;
    wait("watching for changes").await;
    sources.write("a.md", "# A\n\nPears.\n");
    wait("replaced book/a.md").await;
    sources.write("part/new.md", "# New\n");
    wait("added book/part/new.md").await;
    remove_file(&sources, "b.md");
    wait("orphaned book/b.md").await;
    fs::rename(format!("{}/c.md", sources.book()), format!("{}/d.md", sources.book())).unwrap();
    wait("added book/d.md").await;
    wait("orphaned book/c.md").await;
    child.kill().await.unwrap();
    let rows = ["book/a.md|f", "book/b.md|t", "book/c.md|t", "book/d.md|f", "book/part/new.md|f"];
    assert_eq!(cluster.query_lines(ROWS).await, rows);
    assert_sound(&cluster).await;
}
