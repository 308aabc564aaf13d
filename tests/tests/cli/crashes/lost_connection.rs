//! A connection that holds a lock is lost: the run ends and writes nothing more, and the next run does
//! the rest.

use crate::embedding_service::{Reply, Service};
use crate::reindex::collection::{CHUNKS, MISSING, book, embedded, with};
use crate::reindex::store::SCHEMAS;
use crate::{RunOutput, Sources, assert_sound};
use passage_tests::cluster::SUPERUSER;
use passage_tests::{Cluster, wait};
use std::collections::HashSet;
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Child;
use tokio::time::timeout;

/// How soon a run must end after it lost its lock. The stuck service would hold it for minutes.
const SOON: Duration = Duration::from_mins(1);

/// Terminates the sessions that a query returns, and returns their number.
async fn end(cluster: &Cluster, sessions: &str) -> String {
    let sql = format!(
        "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM ({sessions}) AS session"
    );
    cluster.query_text_as(SUPERUSER, &sql).await
}

/// Waits for the end of a run, which must be soon and with an error.
async fn assert_ends_soon(run: Child) -> Output {
    let output = timeout(SOON, run.wait_with_output()).await;
    let output = output.expect("the run continues without its lock").unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Waits until a query returns true.
async fn until(cluster: &Cluster, sql: &str) {
    wait::until(sql, async || cluster.query_text_as(SUPERUSER, sql).await == "t").await;
}

#[tokio::test]
async fn a_reindex_that_loses_its_lock_ends_and_replaces_nothing() {
    let sources = Sources::with([("a.md", book(40))]);
    let what = "a reindex that loses its lock ends and replaces nothing";
    let Some(cluster) = embedded(what, &sources).await else { return };
    let chunks = cluster.query_lines(CHUNKS).await;
    let stuck =
        Service::start(|number, _| if number < 2 { Reply::Embeddings(64) } else { Reply::Silence })
            .await;
    let mut program = with(&cluster, &stuck, &["reindex"]);
    program.env("PASSAGE_EMBED_MODEL", "other").args(["--embed-batch", "8"]);
    let run = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(
        &cluster,
        "SELECT count(*) > 0 FROM pg_stat_user_tables WHERE schemaname = 'rag_reindex' AND relname = 'chunks' AND n_live_tup > 0",
    )
    .await;
    let gate = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 \
        AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('passage reindex rag', 0)";
    assert_eq!(end(&cluster, gate).await, "1");
    let output = assert_ends_soon(run).await;
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("connection to the server was lost")
            || stderr.contains("terminating connection"),
        "{stderr}"
    );
    assert!(stderr.contains("Run the command again"), "{stderr}");
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag rag_reindex");
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);

    let service = Service::good(64).await;
    let mut program = with(&cluster, &service, &["reindex", "--drop-former"]);
    let again = RunOutput::of(program.env("PASSAGE_EMBED_MODEL", "other")).await;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag");
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_worker_that_loses_its_claims_ends_and_writes_nothing_more() {
    let sources = Sources::with([("a.md", book(40))]);
    let what = "a worker that loses its claims ends and writes nothing more";
    let Some(cluster) = embedded(what, &sources).await else { return };
    cluster.execute("DELETE FROM rag.embeddings").await;
    let stuck =
        Service::start(|number, _| if number < 4 { Reply::Embeddings(64) } else { Reply::Silence })
            .await;
    let embed = ["embed", "--embed-batch", "8", "--embed-concurrency", "1"];
    let mut program = with(&cluster, &stuck, &embed);
    let run = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(&cluster, "SELECT count(*) > 0 FROM rag.embeddings").await;
    let claims = "SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory'";
    assert_eq!(end(&cluster, claims).await, "1");
    let done: usize =
        cluster.query_text("SELECT count(*) FROM rag.embeddings").await.parse().unwrap();
    // Another worker claims the chunks while the first one may still rely on its claims.
    let service = Service::good(64).await;
    let (output, other) = tokio::join!(assert_ends_soon(run), async {
        RunOutput::of(&mut with(&cluster, &service, &["embed"])).await
    });
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("connection to the server was lost")
            || stderr.contains("terminating connection"),
        "{stderr}"
    );
    let all: usize = cluster.query_text("SELECT count(*) FROM rag.chunks").await.parse().unwrap();
    assert!(
        other.stdout.starts_with(&format!("{} chunks embedded", all - done)),
        "{done} of {all}: {}{}",
        other.stdout,
        other.stderr
    );
    let texts: HashSet<String> = service.texts().into_iter().collect();
    assert_eq!((texts.len(), service.texts().len()), (all - done, all - done), "each once");
    assert_eq!(cluster.query_text(MISSING).await, "0");
    assert_sound(&cluster).await;
}
