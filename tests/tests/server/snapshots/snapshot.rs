//! Snapshots: a call sees exactly the rows that the statement sees that makes the call.

use passage_tests::Cluster;
use passage_tests::cluster::session_lines;

/// The chunk in the middle of a document of seven.
const HIT: &str = "aaaaaaaa-0000-0000-0000-000000000003";

async fn seven_chunks() -> Cluster {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "INSERT INTO rag.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'seven.txt');
            INSERT INTO rag.chunks (id, document_id, ordinal, section, content)
            SELECT ('aaaaaaaa-0000-0000-0000-00000000000' || n)::uuid, 'aaaaaaaa-0000-0000-8000-000000000000', n, '{A}', n
            FROM generate_series(0, 6) AS n",
        )
        .await;
    cluster
}

/// Returns SQL for the answers of every function about the document, on one line.
fn seen() -> String {
    format!(
        "(SELECT string_agg(content, '' ORDER BY ordinal) FROM passage.expand_context('{HIT}', 'document'))
        || ' ' || (SELECT string_agg(content, '' ORDER BY ordinal) FROM passage.expand_contexts('{{{HIT}}}', NULL, 'section'))
        || ' ' || (SELECT string_agg(content, '' ORDER BY rank) FROM passage.reassemble('{{{HIT}}}', NULL, 'document', output => passage.output(separator => '')))
        || ' ' || (SELECT sum(chunks) FROM passage.outline(uri => 'seven.txt'))
        || ' ' || passage.assemble('aaaaaaaa-0000-0000-8000-000000000000', ARRAY(SELECT id FROM rag.chunks), '')"
    )
}

const ALL: &str = "0123456 0123456 0123456 7 0123456";

#[tokio::test]
async fn a_call_sees_the_earlier_writes_of_its_transaction() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    assert_eq!(session_lines(&client, &format!("SELECT {}", seen())).await, [ALL]);
    client.batch_execute("BEGIN; DELETE FROM rag.chunks WHERE ordinal = 6").await.unwrap();
    let rest = "012345 012345 012345 6 012345";
    assert_eq!(session_lines(&client, &format!("SELECT {}", seen())).await, [rest]);
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(session_lines(&client, &format!("SELECT {}", seen())).await, [ALL]);
}

#[tokio::test]
async fn a_call_does_not_see_the_writes_of_its_own_statement() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    // The transaction has written before, and the statement writes while the functions run.
    client
        .batch_execute("BEGIN; UPDATE rag.chunks SET kind = 'prose' WHERE ordinal = 0")
        .await
        .unwrap();
    let sql = format!(
        "WITH removed AS (DELETE FROM rag.chunks WHERE ordinal > 3 RETURNING ordinal), counted AS (SELECT count(*) FROM removed)
        SELECT count || ': ' || {} FROM counted",
        seen()
    );
    assert_eq!(session_lines(&client, &sql).await, [format!("3: {ALL}")]);
    assert_eq!(
        session_lines(&client, &format!("SELECT {}", seen())).await,
        ["0123 0123 0123 4 0123"]
    );
}

#[tokio::test]
async fn a_call_sees_a_row_that_its_statement_deletes() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    client.batch_execute("BEGIN; UPDATE rag.chunks SET kind = 'prose'").await.unwrap();
    let sql = "DELETE FROM rag.chunks
        WHERE (SELECT count(*) FROM passage.expand_context(chunks.id, 'document')) = 7 RETURNING ordinal";
    assert_eq!(session_lines(&client, sql).await.len(), 7);
}

#[tokio::test]
async fn calls_in_a_stable_function_share_its_snapshot() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    let sql = format!(
        "CREATE FUNCTION seen() RETURNS text LANGUAGE sql STABLE AS $$SELECT {}$$;
        CREATE FUNCTION deletes() RETURNS text LANGUAGE sql VOLATILE AS $$DELETE FROM rag.chunks WHERE ordinal > 3; SELECT seen()$$",
        seen()
    );
    client.batch_execute(&sql).await.unwrap();
    // The first call runs before the deletion, and the third one has the same snapshot.
    let sql = "SELECT concat_ws('; ', seen(), deletes(), seen())";
    assert_eq!(session_lines(&client, sql).await, [format!("{ALL}; 0123 0123 0123 4 0123; {ALL}")]);
}

#[tokio::test]
async fn a_cursor_keeps_its_snapshot() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    let sql = format!(
        "BEGIN; DECLARE passages CURSOR FOR SELECT {}; DELETE FROM rag.chunks WHERE ordinal = 6",
        seen()
    );
    client.batch_execute(&sql).await.unwrap();
    assert_eq!(session_lines(&client, "FETCH passages").await, [ALL]);
}

#[tokio::test]
async fn a_repeatable_read_transaction_does_not_see_later_commits() {
    let cluster = seven_chunks().await;
    let (reader, writer) = (cluster.client().await, cluster.client().await);
    reader.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await.unwrap();
    let sql = format!("SELECT {}", seen());
    assert_eq!(session_lines(&reader, &sql).await, [ALL]);
    writer.batch_execute("DELETE FROM rag.chunks WHERE ordinal > 3").await.unwrap();
    assert_eq!(session_lines(&reader, &sql).await, [ALL]);
    assert_eq!(session_lines(&writer, &sql).await, ["0123 0123 0123 4 0123"]);
    reader.batch_execute("COMMIT").await.unwrap();
    assert_eq!(session_lines(&reader, &sql).await, ["0123 0123 0123 4 0123"]);
}

#[tokio::test]
async fn a_read_only_session_may_call_the_functions() {
    let cluster = seven_chunks().await;
    let client = cluster.client().await;
    client.batch_execute("SET default_transaction_read_only = on").await.unwrap();
    assert_eq!(session_lines(&client, &format!("SELECT {}", seen())).await, [ALL]);
}

#[tokio::test]
async fn a_standby_gives_the_same_answers_as_its_primary() {
    let mut cluster = seven_chunks().await;
    cluster.stop();
    std::fs::write(cluster.folder().join("data/standby.signal"), "").unwrap();
    cluster.start_again().await;
    assert_eq!(cluster.query_text("SELECT pg_is_in_recovery()").await, "t");
    assert_eq!(cluster.query_text(&format!("SELECT {}", seen())).await, ALL);
    assert_eq!(cluster.query_text("SELECT count(*) FROM passage.strategies('rag')").await, "9");
}
