//! Rights on the function that reads shards, which any role can call on any node.

use crate::citus::{Citus, DIMENSIONS, STORES};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// Returns a call of `_passage.shard_rows` with a statement of a caller, which names a relation.
fn call(statement: &str, relation: &str, number: i64, access: &str) -> String {
    format!(
        "SELECT _passage.shard_rows('00000000-0000-0000-0000-000000000000', NULL, 'spread', \
         ARRAY[$name${relation}$name$], '{{{number}}}', $statement${statement}$statement$, '{access}', NULL, '{{}}', '{{}}', NULL)"
    )
}

/// Returns the code and the message of the error that a call of a role raises.
async fn refusal(node: &Cluster, role: &str, sql: &str) -> String {
    let error = node.error_as(role, sql).await;
    format!("{} {}", error.code().code(), error.message())
}

#[tokio::test]
async fn a_role_without_rights_on_a_store_reads_none_of_its_shards() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    for role in ["stranger", "reader"] {
        coordinator.execute_as(SUPERUSER, &format!("CREATE ROLE {role} LOGIN")).await;
    }
    for store in cases(["tenant", "spread"]) {
        let ingest = format!(
            "SELECT count(*) FROM generate_series(1, 20) AS n, passage.ingest('page/' || n, 'confidential text ' || n, store => '{store}')"
        );
        coordinator.execute(&ingest).await;
        coordinator.execute(&format!("GRANT USAGE ON SCHEMA {store} TO stranger, reader")).await;
        coordinator
            .execute(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA {store} TO reader"))
            .await;
        let call_of = |function: &str| {
            format!("SELECT count(*) FROM passage.{function}, store => '{store}') AS found")
        };
        let calls = [
            call_of("search('confidential'"),
            call_of("search_hits('confidential'"),
            call_of("fragments('confidential'"),
            call_of("outline('page/1'"),
        ];
        for node in &citus.nodes {
            for call in &calls {
                assert_ne!(node.query_text_as("reader", call).await, "0", "{call}");
                let error = refusal(node, "stranger", call).await;
                assert!(error.starts_with("42501 permission denied for table "), "{call}: {error}");
            }
        }
    }

    // The caller names the shards of the store itself, on the node that has them.
    let shards = coordinator
        .query_rows_as(
            SUPERUSER,
            "SELECT nodename, shardid FROM citus_shards WHERE table_name = 'spread.chunks'::regclass ORDER BY shardid",
        )
        .await;
    assert_eq!(shards.len(), 8);
    let read = r#"SELECT content FROM "spread"."chunks""#;
    for shard in &shards {
        let (folder, number) = (shard[0].as_deref().unwrap(), shard[1].as_deref().unwrap());
        let number: i64 = number.parse().unwrap();
        let node = citus.nodes.iter().find(|node| node.folder().display().to_string() == folder);
        for access in cases(["any", "index"]) {
            let call = call(read, r#""spread"."chunks""#, number, access);
            assert!(!node.unwrap().query_text_as("reader", &call).await.is_empty());
            let error = refusal(node.unwrap(), "stranger", &call).await;
            assert_eq!(error, format!("42501 permission denied for table chunks_{number}"));
        }
    }

    // Citus takes the call to the shards. Each role may read their keys.
    let spread = call(read, r#""spread"."chunks""#, 1, "any")
        .replace("'00000000-0000-0000-0000-000000000000', NULL", "k.document_id, k.tableoid")
        + " FROM spread.shard_keys AS k";
    for node in &citus.nodes {
        let of_any = spread.replace(
            r#"SELECT content FROM "spread"."chunks""#,
            r#"SELECT rolpassword FROM pg_catalog.pg_authid WHERE '"spread"."chunks"' IS NOT NULL"#,
        );
        let error = refusal(node, "stranger", &of_any).await;
        assert_eq!(error, "42501 permission denied for table pg_authid");
    }
}

#[tokio::test]
async fn shard_rows_runs_statements_of_a_caller_with_its_own_rights_and_writes_nothing() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    citus.coordinator().execute_as(SUPERUSER, "CREATE ROLE stranger LOGIN").await;
    for node in &citus.nodes {
        node.execute_as(SUPERUSER, "SET citus.enable_ddl_propagation = off; CREATE SCHEMA other; CREATE TABLE other.secret_7 AS SELECT 'hidden' AS content; GRANT USAGE ON SCHEMA other TO stranger; CREATE TABLE other.own_7 (content text); ALTER TABLE other.own_7 OWNER TO stranger").await;
        let (secret, own) = (r#""other"."secret""#, r#""other"."own""#);
        for (statement, relation, expected) in [
            // A table of another schema, by its shard, by its name, and by a condition.
            (
                r#"SELECT content FROM "other"."secret""#,
                secret,
                "42501 permission denied for table secret_7",
            ),
            (
                "SELECT content FROM other.secret_7",
                own,
                "42501 permission denied for table secret_7",
            ),
            (
                r#"SELECT (SELECT content FROM other.secret_7) FROM "other"."own""#,
                own,
                "42501 permission denied for table secret_7",
            ),
            (
                "SELECT rolpassword FROM pg_catalog.pg_authid",
                own,
                "42501 permission denied for table pg_authid",
            ),
            (
                "SELECT pg_catalog.pg_read_file('PG_VERSION')",
                own,
                "42501 permission denied for function pg_read_file",
            ),
            // A write, also of the caller's own table.
            (
                r#"INSERT INTO "other"."own" VALUES ('x') RETURNING content"#,
                own,
                "0A000 INSERT is not allowed in a non-volatile function",
            ),
            (
                r#"WITH deleted AS (DELETE FROM "other"."own" RETURNING content) SELECT content FROM deleted"#,
                own,
                "0A000 SELECT is not allowed in a non-volatile function",
            ),
            (
                r#"SELECT content FROM "other"."own" FOR UPDATE"#,
                own,
                "0A000 SELECT FOR UPDATE is not allowed in a non-volatile function",
            ),
        ] {
            let error = refusal(node, "stranger", &call(statement, relation, 7, "any")).await;
            assert_eq!(error, expected, "{statement}");
        }
        for statement in [
            r#"UPDATE "other"."own" SET content = '' "#,
            r#"DROP TABLE "other"."own""#,
            r#"TRUNCATE "other"."own""#,
            "SET ROLE postgres",
            "COMMIT",
            "SELECT 1; SELECT 2",
            "DO 'BEGIN END'",
            "COPY other.own_7 TO PROGRAM 'true'",
            "",
        ] {
            let error = refusal(node, "stranger", &call(statement, own, 7, "any")).await;
            assert_eq!(
                error, "22023 invalid statement for the shards of store \"spread\"",
                "{statement}"
            );
        }
        // The rows are packed, so the name of the role is part of the bytes.
        let role = call("SELECT current_user::pg_catalog.text", own, 7, "any");
        let is_own = format!("SELECT position('stranger'::bytea IN ({role})) > 0");
        assert_eq!(node.query_text_as("stranger", &is_own).await, "t");
        assert_eq!(node.query_text_as("stranger", "SELECT count(*) FROM other.own_7").await, "0");
    }
}

#[tokio::test]
async fn rows_that_were_not_written_are_hidden_or_have_moved() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    coordinator.execute_as(SUPERUSER, "CREATE ROLE writer LOGIN").await;
    for store in cases(STORES) {
        let grant = format!(
            "GRANT USAGE ON SCHEMA {store} TO writer; GRANT ALL ON ALL TABLES IN SCHEMA {store} TO writer"
        );
        coordinator.execute(&grant).await;
        let written = format!("SELECT _passage.must_have_written('documents', 1, 0, '{store}')");
        let code = if store == "plain" { "42501" } else { "40001" };
        let error = refusal(coordinator, "writer", &written).await;
        assert!(error.starts_with(code), "{store}: {error}");
        // One table with a policy is enough to hide rows.
        coordinator
            .execute(&format!("ALTER TABLE {store}.documents ENABLE ROW LEVEL SECURITY"))
            .await;
        let error = refusal(coordinator, "writer", &written).await;
        assert!(error.starts_with("42501"), "{store}: {error}");
    }
}
