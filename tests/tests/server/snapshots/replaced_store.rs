//! A reindex that replaces the store: a call that waits for it answers from the new store, as a plain SELECT does.

use passage_tests::Cluster;
use passage_tests::cluster::session_lines;
use std::time::Duration;
use tokio::time::sleep;

/// Fills a store with a document of seven chunks and a strategy.
const FILL: &str = "
SELECT count(*) FROM passage.create_store('next');
INSERT INTO next.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'seven.txt');
INSERT INTO next.chunks (id, document_id, ordinal, section, content)
    SELECT ('aaaaaaaa-0000-0000-0000-00000000000' || n)::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n, '{A}', 'quokka' || n
    FROM generate_series(0, 6) AS n;
INSERT INTO next.strategies (name, base) VALUES ('wide', 'document')";

/// The locks of a reindex, in its order, and then its swap.
const LOCK: &str = "BEGIN; LOCK TABLE rag.chunks IN ACCESS EXCLUSIVE MODE;
    LOCK TABLE rag.documents, rag.strategies IN ACCESS EXCLUSIVE MODE";
const REPLACE: &str = "DROP SCHEMA rag CASCADE; ALTER SCHEMA next RENAME TO rag; COMMIT";

/// One call of each kind that reads a store.
const CALLS: [&str; 9] = [
    "SELECT count(*) FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000003', 'document')",
    "SELECT count(*) FROM passage.expand_context('aaaaaaaa-0000-0000-0000-000000000003', 'wide')",
    "SELECT count(*) FROM passage.expand_contexts('{aaaaaaaa-0000-0000-0000-000000000003}', NULL, 'section')",
    "SELECT count(*) FROM passage.reassemble('{aaaaaaaa-0000-0000-0000-000000000003}', NULL, 'merge')",
    "SELECT length(passage.assemble('aaaaaaaa-0000-0000-8000-000000000000', '{aaaaaaaa-0000-0000-0000-000000000003}'))",
    "SELECT count(*) FROM passage.search('quokka3')",
    "SELECT count(*) FROM passage.fragments('quokka3')",
    "SELECT count(*) FROM passage.outline(uri => 'seven.txt')",
    "SELECT count(*) FROM passage.ingest('new.txt', 'A new text.', 'text/plain')",
];

/// Calls while another session replaces the store, and returns what the call returned.
async fn replaced(cluster: &Cluster, call: &'static str, is_first: bool) -> Vec<String> {
    cluster.execute(FILL).await;
    let (replacing, caller) = (cluster.client().await, cluster.client().await);
    let expected =
        if is_first { cluster.query_lines(call).await } else { session_lines(&caller, call).await };
    replacing.batch_execute(LOCK).await.unwrap();
    let pid = session_lines(&caller, "SELECT pg_backend_pid()").await.remove(0);
    let calling = tokio::spawn(async move { session_lines(&caller, call).await });
    let waits = format!("SELECT count(*) FROM pg_locks WHERE pid = {pid} AND NOT granted");
    while cluster.query_text(&waits).await == "0" {
        assert!(!calling.is_finished(), "{call} does not wait");
        sleep(Duration::from_millis(5)).await;
    }
    replacing.batch_execute(REPLACE).await.unwrap();
    let answer = calling.await.unwrap();
    assert_eq!(answer, expected, "{call}");
    answer
}

#[tokio::test]
async fn a_call_that_waits_for_a_new_store_answers_from_it() {
    let cluster = Cluster::start().await;
    cluster.execute("DROP SCHEMA rag CASCADE").await;
    cluster.execute(&FILL.replace("next", "rag")).await;
    for is_first in [false, true] {
        for call in CALLS {
            let answer = replaced(&cluster, call, is_first).await;
            assert_ne!(answer, ["0"], "{call}");
        }
    }
}
