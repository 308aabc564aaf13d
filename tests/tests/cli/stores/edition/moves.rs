//! Moves of a database between the editions.

use super::snapshot::{OBJECTS_OF_USERS, assert_kept, kept};
use super::{editions, succeed};
use crate::run_client;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::{cases, fixture};

/// The documentation of the project, and code and data.
const DOCUMENTS: [&str; 3] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/guides"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../core/split/src/media_type"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../integrations/typescript/package.json"),
];

/// Starts a server whose database has the SQL edition, and a store with documents and embeddings.
async fn loaded() -> Cluster {
    let cluster = Cluster::bare().await;
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    }
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    succeed(&cluster, &["ingest", "--no-embed", DOCUMENTS[0], DOCUMENTS[1], DOCUMENTS[2]]).await;
    cluster
}

#[tokio::test]
async fn a_move_keeps_rows_answers_and_objects_of_users() {
    let cluster = loaded().await;
    if cluster.has_vector() {
        succeed(&cluster, &["init"]).await;
        succeed(&cluster, &["ingest", "--collection", "handbook", fixture!("handbook")]).await;
    }
    cluster.execute(OBJECTS_OF_USERS).await;
    let before = kept(&cluster).await;

    let moved = succeed(&cluster, &["init", "--edition", "native", "--no-embed"]).await;
    assert!(
        moved.contains(
            "the native extension of pg_passage, version 0.2.0, in place of the SQL edition"
        ),
        "{moved}"
    );
    assert_eq!(editions(&cluster).await, "0.2.0/f");
    assert_kept(&cluster, &before).await;
    // The database keeps its edition without the option.
    succeed(&cluster, &["init", "--no-embed"]).await;

    let moved = succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    assert!(
        moved.contains(
            "the SQL edition of pg_passage, version 0.2.0, in place of the native extension"
        ),
        "{moved}"
    );
    assert_eq!(editions(&cluster).await, "/t");
    assert_kept(&cluster, &before).await;
    succeed(&cluster, &["init", "--no-embed"]).await;
    assert_eq!(editions(&cluster).await, "/t");
    let again = succeed(&cluster, &["ingest", "--no-embed", DOCUMENTS[0]]).await;
    assert!(again.contains("0 documents added") || again.contains("unchanged"), "{again}");
}

#[tokio::test]
async fn a_move_also_adds_the_columns_of_partitions() {
    let cluster = loaded().await;
    succeed(&cluster, &["init", "--no-embed", "--store", "parts", "--partitions", "3"]).await;
    succeed(&cluster, &["ingest", "--no-embed", "--store", "parts", fixture!("handbook")]).await;
    let sql = "SELECT content, path, section_key, tsv FROM parts.chunks ORDER BY id";
    let before = cluster.query_lines(sql).await;
    for edition in cases(["native", "sql"]) {
        succeed(&cluster, &["init", "--no-embed", "--edition", edition]).await;
        assert_eq!(cluster.query_lines(sql).await, before);
        succeed(&cluster, &["doctor", "--no-embed", "--store", "parts"]).await;
    }
}

#[tokio::test]
async fn a_failure_in_a_move_leaves_everything() {
    let cluster = loaded().await;
    cluster.execute(OBJECTS_OF_USERS).await;
    // The last step of a move fails.
    let refuse = "CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no statistics today'; END $$;
        CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE STATISTICS') EXECUTE FUNCTION public.refuse()";
    cluster.execute_as(SUPERUSER, refuse).await;
    let before = kept(&cluster).await;
    let failed = ["init", "--no-embed", "--edition", "native"];
    run_client(&cluster, failed)
        .await
        .assert_refusal("no statistics today", "See the log of the server.");
    assert_kept(&cluster, &before).await;
    assert_eq!(editions(&cluster).await, "/t");
    cluster.execute_as(SUPERUSER, "DROP EVENT TRIGGER refuse").await;
    succeed(&cluster, &failed).await;
    cluster.execute_as(SUPERUSER, "CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE STATISTICS') EXECUTE FUNCTION public.refuse()").await;
    run_client(&cluster, ["init", "--no-embed", "--edition", "sql"])
        .await
        .assert_refusal("no statistics today", "See the log of the server.");
    assert_eq!(editions(&cluster).await, "0.2.0/f");
    assert_kept(&cluster, &before).await;
}

#[tokio::test]
async fn sessions_at_work_wait_for_a_move_and_then_go_on() {
    let cluster = loaded().await;
    let sql = "SELECT count(*), min(content) FROM passage.search('row level security')";
    let reader = cluster.client().await;
    let statement = reader.prepare(sql).await.unwrap();
    let before: (i64, String) = row(&reader.query_one(&statement, &[]).await.unwrap());
    for edition in cases(["native", "sql"]) {
        // A transaction that reads the store holds the move up.
        reader.batch_execute("BEGIN; SELECT FROM rag.chunks LIMIT 1").await.unwrap();
        let arguments = ["init", "--no-embed", "--edition", edition];
        let moving = succeed(&cluster, &arguments);
        tokio::pin!(moving);
        let early = tokio::time::timeout(std::time::Duration::from_millis(1500), &mut moving).await;
        assert!(early.is_err(), "the move did not wait: {early:?}");
        let within: (i64, String) = row(&reader.query_one(&statement, &[]).await.unwrap());
        assert_eq!(within, before);
        reader.batch_execute("COMMIT").await.unwrap();
        moving.await;
        let after: (i64, String) = row(&reader.query_one(&statement, &[]).await.unwrap());
        assert_eq!(after, before);
    }
}

fn row(row: &tokio_postgres::Row) -> (i64, String) {
    (row.get(0), row.get(1))
}
