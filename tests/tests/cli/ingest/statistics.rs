//! The planner's statistics after a load, and the doctor who checks them.

use crate::embedding_service::Service;
use crate::{RunOutput, Sources, ingest_text, run_client, text_cluster, until_disconnected};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use std::fmt::Write;

/// Returns tables without statistics.
const WITHOUT: &str = "SELECT relname::text FROM pg_class WHERE relnamespace = 'rag'::regnamespace \
    AND relname IN ('documents', 'chunks', 'embeddings') AND relkind = 'r' AND reltuples < 0 ORDER BY 1";

/// Returns how often the chunks were analyzed.
async fn analyzed(cluster: &Cluster) -> u32 {
    until_disconnected(cluster).await;
    let sql = "SELECT analyze_count FROM pg_stat_user_tables WHERE schemaname = 'rag' AND relname = 'chunks'";
    cluster.query_text(sql).await.parse().unwrap()
}

fn lines(from: usize, to: usize) -> String {
    (from..to).fold(String::new(), |mut lines, number| {
        writeln!(lines, "{{\"uri\": \"{number}\", \"text\": \"text number {number}\"}}").unwrap();
        lines
    })
}

async fn ingest(cluster: &Cluster, sources: &Sources, from: usize, to: usize) -> RunOutput {
    let path = sources.write("x.jsonl", lines(from, to));
    ingest_text(cluster, &["--jsonl", "documents", &path]).await
}

#[tokio::test]
async fn a_load_of_more_than_a_tenth_of_the_store_updates_the_statistics() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let doctor = async || run_client(&cluster, ["doctor", "--no-embed"]).await.stdout;
    assert!(!doctor().await.contains("statistics"), "an empty store needs none");
    assert_eq!(ingest(&cluster, &sources, 0, 100).await.code, Some(0));
    assert_eq!(cluster.query_lines(WITHOUT).await, [""; 0]);
    assert!(!doctor().await.contains("statistics"));
    let loaded = analyzed(&cluster).await;
    for (from, to, times) in cases([(0, 100, 0), (100, 105, 0), (105, 117, 1)]) {
        let before = analyzed(&cluster).await;
        assert_eq!(ingest(&cluster, &sources, from, to).await.code, Some(0));
        assert_eq!(analyzed(&cluster).await - before, times, "{from} to {to}");
    }
    let path = sources.write("x.jsonl", lines(200, 300));
    let dry = ["ingest", "--no-embed", "--dry-run", "--jsonl", "documents", &path];
    run_client(&cluster, dry).await;
    assert_eq!(analyzed(&cluster).await, loaded + 1);

    // TRUNCATE resets the statistics of a table.
    let sql = "TRUNCATE rag.documents CASCADE; INSERT INTO rag.documents (uri) VALUES ('a')";
    cluster.execute(sql).await;
    let found = run_client(&cluster, ["doctor", "--no-embed"]).await.stdout;
    assert!(
        found.contains("ANALYZE \"rag\".documents;") || found.contains("ANALYZE rag.documents;"),
        "{found}"
    );
}

#[tokio::test]
async fn a_sync_that_only_removes_more_than_a_tenth_updates_the_statistics() {
    let cluster = text_cluster().await;
    let names: Vec<_> = (0..20).map(|number| format!("{number}.md")).collect();
    let sources = Sources::with(names.iter().map(|name| (name.as_str(), "# A\n")));
    let book = sources.book();
    let sync = async |options: &[&str]| {
        let run = run_client(&cluster, ["sync", "--no-embed", &book].iter().chain(options)).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    };
    sync(&[]).await;
    for (files, options, times) in [
        (0..1, &["--grace", "0"][..], 0),
        (1..4, &["--grace", "0", "--dry-run"], 0),
        (4..5, &["--grace", "1h"], 0),
        (5..7, &["--grace", "0"], 1),
    ] {
        let before = analyzed(&cluster).await;
        for name in &names[files.clone()] {
            std::fs::remove_file(format!("{book}/{name}")).unwrap();
        }
        sync(options).await;
        assert_eq!(analyzed(&cluster).await - before, times, "{files:?}");
    }
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "13");
}

#[tokio::test]
async fn a_role_that_may_not_analyze_loads_with_a_note() {
    let cluster = text_cluster().await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE loader LOGIN; GRANT USAGE ON SCHEMA rag TO loader;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rag TO loader",
        )
        .await;
    let sources = Sources::with([("a.md", "# A\n")]);
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", cluster.url_as("loader"));
    program.args(["ingest", "--no-embed", &sources.book()]);
    let run = RunOutput::of(&mut program).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("1 document added"), "{}", run.stdout);
    let note = "note: the planner's statistics were not updated: only their owner may do that";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    assert!(run.stderr.contains("to run ANALYZE"), "{}", run.stderr);
    assert!(!cluster.query_lines(WITHOUT).await.is_empty());
}

#[tokio::test]
async fn a_worker_that_embeds_a_loaded_store_updates_the_statistics() {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector("a worker that embeds a loaded store updates the statistics") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    let service = Service::good(8).await;
    let sources = Sources::with([("a.md", "# A\n")]);
    for arguments in [&["init"][..], &["ingest", "--no-embed", &sources.book()], &["embed"]] {
        let mut program = cluster.client_program();
        program.env("PASSAGE_EMBED_URL", service.url()).env("PASSAGE_EMBED_MODEL", "tiny");
        assert_eq!(RunOutput::of(program.args(arguments)).await.code, Some(0), "{arguments:?}");
    }
    let estimate = "SELECT reltuples FROM pg_class WHERE oid = 'rag.embeddings'::regclass";
    assert_eq!(cluster.query_text(estimate).await, "1");
    let stores = "SELECT documents, chunks, embeddings FROM passage.stores()";
    assert_eq!(cluster.query_lines(stores).await, ["1|1|1"]);
}
