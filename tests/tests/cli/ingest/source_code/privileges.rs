//! Workers that may not read or write all of the documents that a server without grammars stored.

use super::without_grammars::{MARKED, MISSING, embed, start};
use crate::RunOutput;
use crate::embedding_service::Service;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use std::process::Stdio;
use tokio::process::Command;

/// A store with a document of several chunks of text for each uri, and the role `worker`.
async fn start_with(what: &str, uris: &[&str]) -> Option<Cluster> {
    let cluster = start(what).await?;
    for uri in uris {
        let sql = format!(
            "SELECT FROM passage.ingest('{uri}', (SELECT string_agg(format(E'fn f%s() -> u8 {{\\n    %s\\n}}\\n\\n', n, n), '') \
             FROM generate_series(1, 40) AS n), splitting => passage.splitting(max_size => 200))"
        );
        cluster.execute(&sql).await;
    }
    let least = "SELECT min(chunk_count) > 3 FROM rag.documents";
    assert_eq!(cluster.query_text(least).await, "t");
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA rag TO worker;
            GRANT SELECT ON ALL TABLES IN SCHEMA rag TO worker;
            GRANT INSERT, DELETE ON rag.settings, rag.embeddings TO worker",
        )
        .await;
    Some(cluster)
}

/// The command `embed` as the role `worker`.
fn embed_as_worker(cluster: &Cluster, service: &Service, arguments: &[&str]) -> Command {
    let mut program = embed(cluster, service, arguments);
    program.env("DATABASE_URL", cluster.url_as("worker"));
    program
}

/// Returns the documents and chunks, except those of one document.
async fn rows_without(cluster: &Cluster, uri: &str) -> Vec<String> {
    let sql = format!(
        "SELECT d.*, c.* FROM rag.documents AS d JOIN rag.chunks AS c ON d.id = document_id \
         WHERE uri <> '{uri}' ORDER BY uri, ordinal"
    );
    cluster.query_lines(&sql).await
}

#[tokio::test]
async fn under_row_level_security_embed_splits_documents_that_it_sees_and_may_write_as_a_whole() {
    let what = "under row-level security embed splits documents that it sees as a whole";
    let uris = ["hidden.rs", "last.rs", "locked.rs", "middle.rs", "whole.rs"];
    let Some(cluster) = start_with(what, &uris).await else { return };
    cluster
        .execute(
            "GRANT ALL ON ALL TABLES IN SCHEMA rag TO worker;
            ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
            ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
            CREATE POLICY reads ON rag.documents FOR SELECT TO worker USING (uri <> 'hidden.rs');
            CREATE POLICY writes ON rag.documents FOR UPDATE TO worker USING (uri <> 'locked.rs');
            CREATE POLICY reads ON rag.chunks TO worker USING (NOT EXISTS (SELECT FROM rag.documents AS d
                WHERE d.id = document_id AND (uri = 'middle.rs' AND ordinal = 1
                    OR uri = 'last.rs' AND ordinal = d.chunk_count - 1))
                AND EXISTS (SELECT FROM rag.documents AS d WHERE d.id = document_id))",
        )
        .await;
    let before = rows_without(&cluster, "whole.rs").await;
    assert!(before.len() > 12);
    let service = Service::good(64).await;
    let run = RunOutput::of(&mut embed_as_worker(&cluster, &service, &[])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("split 1 document of source code by its syntax"), "{}", run.stderr);
    assert_eq!(rows_without(&cluster, "whole.rs").await, before);
    let marked = "SELECT uri FROM rag.documents WHERE metadata ? 'split_as_text' ORDER BY uri";
    assert_eq!(cluster.query_lines(marked).await, uris[..4]);
    // The worker has embedded every chunk that it sees.
    let hidden = "SELECT count(*) FILTER (WHERE uri = 'hidden.rs') = max(chunk_count), \
        count(*) FILTER (WHERE uri <> 'hidden.rs') FROM rag.chunks AS c JOIN rag.documents AS d ON d.id = document_id \
        WHERE c.id NOT IN (SELECT chunk_id FROM rag.embeddings)";
    assert_eq!(cluster.query_lines(hidden).await, ["t|2"]);

    // The owner sees all of them.
    let run = RunOutput::of(&mut embed(&cluster, &service, &[])).await;
    assert!(run.stderr.contains("split 4 documents of source code"), "{}", run.stderr);
    assert_eq!(
        (cluster.query_text(MARKED).await, cluster.query_text(MISSING).await),
        ("0".into(), "0".into())
    );
    cluster
        .execute(
            "ALTER TABLE rag.documents DISABLE ROW LEVEL SECURITY;
            ALTER TABLE rag.chunks DISABLE ROW LEVEL SECURITY",
        )
        .await;
    crate::assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_role_that_may_not_update_documents_embeds_them_as_text_and_reports_it_once() {
    let what = "a role that may not update documents embeds them as text";
    let Some(cluster) = start_with(what, &["a.rs", "b.rs", "c.rs"]).await else { return };
    let before = rows_without(&cluster, "").await;
    let service = Service::good(64).await;
    let run = RunOutput::of(&mut embed_as_worker(&cluster, &service, &[])).await;
    run.assert_refusal(
        "error: permission denied for table documents",
        "run passage doctor --store rag --as ROLE",
    );
    assert_eq!(rows_without(&cluster, "").await, before);

    // Any column lets the worker lock the rows, as it does while it writes an embedding.
    cluster
        .execute(
            "GRANT UPDATE (orphaned_at) ON rag.documents TO worker; GRANT UPDATE (metadata) ON rag.chunks TO worker",
        )
        .await;
    let run = RunOutput::of(&mut embed_as_worker(&cluster, &service, &[])).await;
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    run.assert_refusal(
        "source code stays split as text: permission denied for table documents",
        "run passage doctor --store rag --as ROLE",
    );
    assert_eq!(run.stderr.matches("stays split as text").count(), 1, "{}", run.stderr);
    assert_eq!(rows_without(&cluster, "").await, before);
    assert_eq!(cluster.query_text(MISSING).await, "0");

    // A worker that follows reports it once, and embeds what is ingested meanwhile.
    let mut worker = embed_as_worker(&cluster, &service, &["--follow", "--interval", "1"]);
    let worker = worker.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let embedded = async || {
        cluster.query_text(MISSING).await == "0"
            && cluster.query_text("SELECT count(*) FROM rag.documents").await == "5"
    };
    for uri in cases(["d.rs", "e.rs"]) {
        cluster.execute(&format!("SELECT FROM passage.ingest('{uri}', 'fn a() {{}}')")).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    }
    passage_tests::wait::until("the chunks of text are embedded", embedded).await;
    assert_eq!(cluster.query_text(MARKED).await, "5");
    let id = worker.id().expect("the worker runs").to_string();
    let signal = Command::new("kill").args(["-INT", &id]).status().await.unwrap();
    assert!(signal.success());
    let output = worker.wait_with_output().await.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("stays split as text").count(), 1, "{errors}");
}
