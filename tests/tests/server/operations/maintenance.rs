//! Maintenance of a store that is in use: VACUUM, REINDEX and ANALYZE, as the page about operations advises.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use passage_tests::cluster::{DATABASE, SUPERUSER};
use passage_tests::wait::until;
use passage_tests::{Cluster, fixture};

const STORE: &str = "SELECT passage.create_store('rag', 8);
    INSERT INTO rag.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'a');
    INSERT INTO rag.chunks (id, document_id, ordinal, content)
    SELECT ('aaaaaaaa-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n, 'word' || n % 50
    FROM generate_series(0, 2999) AS n;
    INSERT INTO rag.embeddings SELECT id, document_id, ARRAY(SELECT sin(ordinal * i)::real FROM generate_series(1, 8) AS i) FROM rag.chunks";

/// Searches for a chunk that does not change, and for one in the part that is replaced.
const SEARCH: &str = "SELECT chunk_id FROM passage.search_hits(NULL, ARRAY(SELECT sin(2718 * i)::real FROM generate_series(1, 8) AS i), max_hits => 1)";

/// The statements of the page under a heading.
fn statements(heading: &str, first: &str) -> Vec<String> {
    let page = include_str!("../../../../docs/guides/operations.md");
    let (_, section) = page.split_once(heading).expect("the page has the heading");
    let (_, block) = section.split_once(first).expect("the page has the block");
    let block = format!("{first}{}", block.split("```").next().unwrap());
    block.split_inclusive(";\n").map(|statement| statement.trim().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vector_index_is_built_again_while_the_store_is_read_and_written() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("maintenance of the vector index") {
        return;
    }
    cluster.execute(STORE).await;
    cluster.execute("ANALYZE").await;
    let size = "SELECT pg_relation_size('rag.embeddings_embedding_idx')";
    let size = async || cluster.query_text(size).await.parse::<u64>().unwrap();
    let first = size().await;
    let expected = cluster.query_lines(SEARCH).await;
    assert_eq!(expected, ["aaaaaaaa-0000-0000-0000-000000002718"]);

    // New embeddings of the first 2,000 chunks leave dead elements in the graph.
    let replace = "UPDATE rag.embeddings SET embedding = ARRAY(SELECT cos(ordinal * i)::real FROM generate_series(1, 8) AS i)::vector
        FROM rag.chunks WHERE id = chunk_id AND ordinal < 2000";
    cluster.execute(replace).await;
    let grown = size().await;
    assert!(grown > first * 3 / 2, "{first}, {grown}");

    let ended = Arc::new(AtomicBool::new(false));
    let (search, other) = (cluster.client().await, cluster.client().await);
    let reads = tokio::spawn({
        let (ended, expected) = (Arc::clone(&ended), expected.clone());
        async move {
            let mut count = 0;
            while !ended.load(Ordering::Relaxed) || count == 0 {
                let row = search
                    .query_one(&format!("SELECT chunk_id::text FROM ({SEARCH}) AS s"), &[])
                    .await;
                assert_eq!(row.unwrap().get::<_, String>(0), expected[0]);
                count += 1;
            }
            count
        }
    });
    let writes = tokio::spawn({
        let ended = Arc::clone(&ended);
        async move {
            let mut count = 0;
            while !ended.load(Ordering::Relaxed) || count == 0 {
                let update = "UPDATE rag.embeddings SET embedding = embedding WHERE chunk_id = 'aaaaaaaa-0000-0000-0000-000000000001'";
                other.batch_execute(update).await.unwrap();
                count += 1;
            }
            count
        }
    });
    let session = cluster.client().await;
    let statements = statements("**The vector index.**", "SET maintenance_work_mem");
    assert_eq!(statements.len(), 3);
    for statement in &statements {
        session.batch_execute(&statement.replace("4GB", "64MB")).await.unwrap();
    }
    ended.store(true, Ordering::Relaxed);
    assert!(reads.await.unwrap() > 5 && writes.await.unwrap() > 5);
    let rebuilt = size().await;
    assert!(rebuilt < first * 11 / 10, "{first}, {grown}, {rebuilt}");
    assert_eq!(cluster.query_lines(SEARCH).await, expected);
    assert_eq!(
        cluster.query_lines("SELECT * FROM passage.check_store(data => true)").await,
        [""; 0]
    );
}

#[tokio::test]
async fn a_cancelled_build_is_reported_and_searches_go_on() {
    let cluster = Cluster::without_store().await;
    if cluster.lacks_vector("maintenance of the vector index") {
        return;
    }
    cluster.execute(STORE).await;
    // A transaction that uses the table lets REINDEX CONCURRENTLY wait.
    let blocker = cluster.client().await;
    blocker.batch_execute("BEGIN; SELECT count(*) FROM rag.embeddings").await.unwrap();
    let client = cluster.client().await;
    let cancel = client.cancel_token();
    let building = tokio::spawn(async move {
        client.batch_execute("REINDEX INDEX CONCURRENTLY rag.embeddings_embedding_idx").await
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'REINDEX%' AND wait_event_type = 'Lock'";
    until("the build waits", async || cluster.query_text_as(SUPERUSER, waits).await == "1").await;
    cancel.cancel_query(tokio_postgres::NoTls).await.unwrap();
    assert!(building.await.unwrap().is_err());
    blocker.batch_execute("COMMIT").await.unwrap();

    let problems =
        cluster.query_lines("SELECT object, problem, remedy FROM passage.check_store()").await;
    assert_eq!(
        problems,
        [
            "rag.embeddings_embedding_idx_ccold|index is invalid|DROP INDEX CONCURRENTLY rag.embeddings_embedding_idx_ccold;"
        ]
    );
    assert_eq!(cluster.query_lines(SEARCH).await, ["aaaaaaaa-0000-0000-0000-000000002718"]);
    cluster.execute("DROP INDEX CONCURRENTLY rag.embeddings_embedding_idx_ccold").await;
    assert_eq!(cluster.query_lines("SELECT * FROM passage.check_store()").await, [""; 0]);
}

#[tokio::test]
async fn statistics_are_enough_to_monitor_a_store() {
    let cluster = Cluster::start().await;
    cluster.passage(["ingest", "--no-embed", fixture!("handbook")]).await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor").await;
    cluster.execute("GRANT USAGE ON SCHEMA rag TO monitor; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO monitor").await;
    cluster
        .execute("DELETE FROM rag.chunks WHERE ordinal > 1; SELECT pg_stat_force_next_flush()")
        .await;
    let dead = statements("## Monitor", "SELECT relname, n_live_tup").join("");
    let rows = cluster.query_rows_as("monitor", &dead).await;
    assert_eq!(rows[0][0].as_deref(), Some("chunks"), "{rows:?}");
    assert!(rows[0][2].as_deref().unwrap().parse::<u32>().unwrap() > 1, "{rows:?}");
    let indexes = statements("## Monitor", "SELECT indexrelname AS index").join("");
    let rows = cluster.query_rows_as("monitor", &indexes).await;
    assert!(rows.iter().any(|row| row[0].as_deref() == Some("chunks_tsv_idx")), "{rows:?}");
    assert_ne!(
        cluster.query_lines_as("monitor", "SELECT * FROM passage.store_stats()").await,
        [""; 0]
    );
    assert_eq!(cluster.query_text("SELECT current_database()").await, DATABASE);
}
