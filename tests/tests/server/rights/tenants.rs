//! Row-level security: no function returns what a policy hides from the role.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{OWNER, SUPERUSER, is_sql_edition};
use tokio_postgres::{Client, SimpleQueryMessage};

const TENANTS: &str = include_str!("../../../fixtures/tenants.sql");
const EVERY_READ: &str = include_str!("../../../fixtures/every_read.sql");

/// The document and the middle chunk of Alice's guide.
const STEPS: &str = "aaaaaaaa-0000-0000-0000-000000000003";

async fn tenants() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.execute_as(SUPERUSER, &format!("SET ROLE NONE; GRANT CREATE ON DATABASE passage TO {OWNER}; ALTER ROLE {OWNER} CREATEROLE")).await;
    cluster.execute(TENANTS).await;
    cluster
}

#[tokio::test]
async fn hidden_rows_do_not_change_any_answer() {
    let cluster = tenants().await;
    let everything = cluster.query_lines(EVERY_READ).await.join("\n");
    assert!(everything.contains("alice: hidden first step") && everything.contains("bob: steps"));

    for (role, other) in cases([("alice", "bob"), ("bob", "alice")]) {
        let seen = cluster.query_lines_as(role, EVERY_READ).await;
        assert!(!seen.join("\n").contains("hidden"), "{role} sees what is for editors");
        assert!(!seen.join("\n").contains(&format!("{other}: ")), "{role} sees {other}'s");

        // The answer is the same as from a store without the hidden rows.
        let sql = format!(
            "BEGIN; DELETE FROM rag.documents WHERE collection <> '{role}';
            DELETE FROM rag.chunks WHERE content LIKE '%hidden%'; {EVERY_READ}; ROLLBACK"
        );
        assert_eq!(seen, cluster.query_lines(&sql).await);
    }
}

#[tokio::test]
async fn a_search_by_embedding_under_a_policy_returns_all_visible_hits() {
    let cluster = tenants().await;
    if cluster.lacks_vector("search by embedding under policies") {
        return;
    }
    // A thousand chunks of Bob are nearer than the first one of Alice.
    cluster
        .execute(
            "INSERT INTO rag.chunks (id, document_id, ordinal, content)
            SELECT gen_random_uuid(), 'bbbbbbbb-0000-0000-8000-000000000000', n, 'bob: near' FROM generate_series(100, 1099) AS n;
            INSERT INTO rag.embeddings
            SELECT id, document_id, (ARRAY[CASE WHEN document_id < 'b0000000-0000-0000-0000-000000000000' THEN -1 ELSE 1 END, ordinal / 1000.0]
                || array_fill(0.01, '{382}'))::real[]::vector
            FROM rag.chunks;
            ALTER TABLE rag.embeddings ENABLE ROW LEVEL SECURITY;
            CREATE POLICY readers ON rag.embeddings FOR SELECT TO alice, bob
                USING (EXISTS (SELECT FROM rag.chunks WHERE chunks.id = embeddings.chunk_id));
            GRANT SELECT ON rag.embeddings TO alice, bob; ANALYZE rag.embeddings, rag.chunks",
        )
        .await;
    let sql = "SELECT content FROM passage.search_hits(embedding => ('[1' || repeat(',0', 383) || ']')::vector::real[]) ORDER BY rank";
    let seen = cluster.query_lines_as("alice", sql).await;
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!(seen.iter().all(|content| content.starts_with("alice: ")), "{seen:?}");
    let near = cluster.query_lines_as("bob", sql).await;
    assert_eq!(
        (near.len(), near.iter().filter(|content| *content == "bob: near").count()),
        (10, 6)
    );
}

#[tokio::test]
async fn a_hidden_hit_has_no_context() {
    let cluster = tenants().await;
    for id in
        cases(["aaaaaaaa-0000-0000-0000-000000000002", "bbbbbbbb-0000-0000-0000-000000000003"])
    {
        for sql in cases([
            format!("SELECT role FROM passage.expand_context('{id}', 'document')"),
            format!("SELECT role FROM passage.expand_contexts('{{{id}}}', NULL, 'document')"),
            format!("SELECT rank FROM passage.reassemble('{{{id}}}', NULL, 'document')"),
            format!(
                "SELECT true WHERE passage.assemble('bbbbbbbb-0000-0000-8000-000000000000', '{{{id}}}') <> ''"
            ),
        ]) {
            assert_eq!(cluster.query_lines_as("alice", &sql).await, [""; 0], "{sql}");
            assert_ne!(
                cluster
                    .query_lines(
                        &sql.replace("bbbbbbbb-0000-0000-8", &format!("{}-0000-0000-8", &id[..8]))
                    )
                    .await,
                [""; 0],
                "{sql}"
            );
        }
    }
}

/// Returns what a session sees of Alice's guide from its middle, on one line.
async fn sees(client: &Client) -> String {
    let sql = format!(
        "SELECT string_agg(content, '; ') FROM passage.expand_context('{STEPS}', 'document')"
    );
    let messages = client.simple_query(&sql).await.unwrap();
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    row.unwrap_or_default()
}

#[tokio::test]
async fn a_session_that_changes_its_role_sees_the_rows_of_each_role() {
    let cluster = tenants().await;
    let client = cluster.client_as(SUPERUSER).await;
    // Often enough for every plan to be kept.
    for _ in 0..8 {
        client.batch_execute("RESET ROLE").await.unwrap();
        assert!(sees(&client).await.contains("hidden"));
        client.batch_execute("SET ROLE alice").await.unwrap();
        let alice = sees(&client).await;
        assert!(alice.contains("alice: the end") && !alice.contains("hidden"), "{alice}");
        client.batch_execute("SET ROLE bob").await.unwrap();
        assert_eq!(sees(&client).await, "");
        client.batch_execute("SET ROLE owner").await.unwrap();
        assert!(sees(&client).await.contains("hidden"));
    }
}

#[tokio::test]
async fn a_session_sees_changes_of_tables_and_policies_at_once() {
    let cluster = tenants().await;
    let alice = cluster.client_as("alice").await;
    let before = sees(&alice).await;
    assert!(!before.contains("hidden"));

    cluster.execute("DROP VIEW IF EXISTS rag.chunks_embedded").await;
    cluster.execute("ALTER TABLE rag.chunks ADD COLUMN added text").await;
    assert_eq!(sees(&alice).await, before);
    cluster.execute("ALTER TABLE rag.chunks ALTER COLUMN preamble DROP DEFAULT, ALTER COLUMN kind TYPE varchar").await;
    assert_eq!(sees(&alice).await, before);
    // The SQL edition reads stores with all columns.
    for column in ["unit", "tokens"].iter().filter(|_| !is_sql_edition()) {
        cluster.execute(&format!("ALTER TABLE rag.chunks DROP COLUMN {column}")).await;
        assert_eq!(sees(&alice).await, before);
    }

    cluster.execute("ALTER POLICY readers ON rag.chunks USING (true)").await;
    assert!(sees(&alice).await.contains("alice: hidden overview"));
    cluster.execute("ALTER POLICY readers ON rag.chunks USING (ordinal = 3)").await;
    assert!(sees(&alice).await.starts_with("alice: steps"));
    assert!(!sees(&alice).await.contains("the end"));
    cluster.execute("DROP POLICY readers ON rag.chunks").await;
    assert_eq!(sees(&alice).await, "");
    cluster.execute("ALTER TABLE rag.chunks DISABLE ROW LEVEL SECURITY").await;
    assert!(sees(&alice).await.contains("hidden"));
    cluster.execute("REVOKE SELECT ON rag.chunks FROM alice").await;
    let error = alice.simple_query("SELECT * FROM passage.expand_context(gen_random_uuid())").await;
    assert_eq!(error.unwrap_err().code().unwrap().code(), "42501");
}

#[tokio::test]
async fn a_renamed_and_replaced_store_is_read_by_its_name() {
    let cluster = tenants().await;
    let owner = cluster.client().await;
    assert!(sees(&owner).await.contains("alice: steps"));
    cluster
        .execute(
            "SELECT passage.create_store('green');
            INSERT INTO green.documents (id, uri) SELECT id, collection FROM rag.documents;
            INSERT INTO green.chunks (id, document_id, ordinal, content) SELECT id, document_id, ordinal, 'green' FROM rag.chunks;
            ALTER SCHEMA rag RENAME TO blue; ALTER SCHEMA green RENAME TO rag",
        )
        .await;
    assert_eq!(sees(&owner).await, ["green"; 8].join("; "));
}

#[tokio::test]
async fn column_privileges_apply() {
    let cluster = tenants().await;
    cluster.execute("REVOKE SELECT ON rag.chunks FROM bob; GRANT SELECT (id, document_id, ordinal) ON rag.chunks TO bob").await;
    for sql in [
        "SELECT content FROM passage.expand_context('bbbbbbbb-0000-0000-0000-000000000003')",
        "SELECT rank FROM passage.reassemble('{bbbbbbbb-0000-0000-0000-000000000003}')",
        "SELECT passage.assemble('bbbbbbbb-0000-0000-8000-000000000000', '{bbbbbbbb-0000-0000-0000-000000000003}')",
    ] {
        let error = cluster.error_as("bob", sql).await;
        assert_eq!(error.code().code(), "42501", "{sql}");
    }
}
