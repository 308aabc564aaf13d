//! `passage upgrade` of the SQL edition and of the native extension.

use super::succeed;
use crate::run_client;
use passage_tests::Cluster;
use passage_tests::{cases, fixture};

/// Makes of the functions those of an earlier release: other arguments, other results, and functions and types that no longer
/// exist or do not exist yet.
const EARLIER: &str = "
    COMMENT ON FUNCTION _passage.sql_edition() IS 'version of the SQL edition: 0.1.0';
    CREATE TYPE _passage.former AS (a integer);
    CREATE FUNCTION _passage.former_step(a integer) RETURNS _passage.former LANGUAGE sql RETURN ROW(a)::_passage.former;
    CREATE FUNCTION passage.former(a integer) RETURNS integer BEGIN ATOMIC SELECT (_passage.former_step(a)).a; END;
    DROP FUNCTION passage.store_stats;
    DROP FUNCTION passage.stores;
    CREATE FUNCTION passage.stores() RETURNS TABLE (name text) LANGUAGE sql RETURN 'a'::text;
    DROP FUNCTION passage.strategies;
    CREATE FUNCTION passage.strategies(shop name) RETURNS text LANGUAGE sql RETURN 'a';
    REVOKE EXECUTE ON FUNCTION passage.remove FROM PUBLIC;";

/// All functions and types with their definitions, comments and privileges.
const DEFINITIONS: &str = "
    SELECT pg_get_functiondef(pg_proc.oid), obj_description(pg_proc.oid, 'pg_proc'), proacl
    FROM pg_proc WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) AND proname <> 'remove'
    UNION ALL
    SELECT typname, string_agg(attname || format_type(atttypid, atttypmod), ',' ORDER BY attnum), NULL
    FROM pg_type JOIN pg_attribute ON attrelid = typrelid
    WHERE typnamespace IN ('passage'::regnamespace, '_passage'::regnamespace) GROUP BY typname
    ORDER BY 1";

#[tokio::test]
async fn upgrade_replaces_functions_and_keeps_what_uses_them() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    succeed(&cluster, &["ingest", "--no-embed", fixture!("handbook")]).await;
    let definitions = cluster.query_lines(DEFINITIONS).await;
    cluster
        .execute("CREATE VIEW public.found AS SELECT content FROM passage.search('backup')")
        .await;
    let files = "SELECT pg_relation_filenode('rag.chunks')::text";
    let file = cluster.query_text(files).await;
    let found = cluster.query_lines("SELECT * FROM public.found").await;
    assert!(!found.is_empty());
    cluster.execute(EARLIER).await;

    for command in cases([&["status"][..], &["search", "backup"], &["init", "--no-embed"]]) {
        run_client(&cluster, command)
            .await
            .assert_refusal("pg_passage 0.1.0 is too old for this client", "Run passage upgrade.");
    }
    let doctor = run_client(&cluster, ["doctor", "--no-embed"]).await;
    assert!(
        doctor.stdout.contains("version 0.1.0, and the client has version 0.2.0"),
        "{}",
        doctor.stdout
    );
    assert!(doctor.stdout.contains("passage upgrade"), "{}", doctor.stdout);

    let output = succeed(&cluster, &["upgrade"]).await;
    assert!(
        output.contains("pg_passage has version 0.2.0 (SQL edition), before 0.1.0"),
        "{output}"
    );
    assert!(output.contains("the store \"rag\" is complete"), "{output}");
    assert_eq!(cluster.query_lines(DEFINITIONS).await, definitions);
    assert_eq!(cluster.query_lines("SELECT * FROM public.found").await, found);
    // No table was written again.
    assert_eq!(cluster.query_text(files).await, file);
    let privilege = "SELECT has_function_privilege('pg_monitor', oid, 'EXECUTE')::text FROM pg_proc WHERE oid = 'passage.remove'::regproc";
    assert_eq!(cluster.query_text(privilege).await, "false");
    let again = succeed(&cluster, &["upgrade", "--json"]).await;
    assert!(again.contains("\"former_version\":\"0.2.0\""), "{again}");
}

#[tokio::test]
async fn upgrade_repairs_an_edition_that_lacks_functions() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    let definitions = cluster.query_lines(DEFINITIONS).await;
    cluster.execute("DROP FUNCTION _passage.store_settings").await;
    run_client(&cluster, ["status"]).await.assert_refusal("store_settings", "Run passage upgrade.");
    succeed(&cluster, &["upgrade"]).await;
    assert_eq!(cluster.query_lines(DEFINITIONS).await, definitions);
    succeed(&cluster, &["status"]).await;
}

#[tokio::test]
async fn a_view_of_a_function_that_no_longer_exists_prevents_an_upgrade() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    cluster.execute(EARLIER).await;
    for (create, message, drop) in cases([
        (
            "CREATE VIEW public.old AS SELECT passage.former(1)",
            "view public.old",
            "DROP VIEW public.old",
        ),
        (
            "CREATE VIEW public.old AS SELECT passage.strategies('a')",
            "cannot change",
            "DROP VIEW public.old",
        ),
    ]) {
        cluster.execute(create).await;
        let before = cluster.query_lines(DEFINITIONS).await;
        run_client(&cluster, ["upgrade"])
            .await
            .assert_refusal(message, "create them again afterwards");
        assert_eq!(cluster.query_lines(DEFINITIONS).await, before);
        cluster.execute(drop).await;
    }
    succeed(&cluster, &["upgrade"]).await;
}

#[tokio::test]
async fn upgrade_leaves_a_newer_edition_and_a_database_without_one() {
    let cluster = Cluster::bare().await;
    run_client(&cluster, ["upgrade"])
        .await
        .assert_refusal("pg_passage is not installed in the database", "Run passage init");
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    cluster
        .execute(
            "COMMENT ON FUNCTION _passage.sql_edition() IS 'version of the SQL edition: 9.0.0'",
        )
        .await;
    run_client(&cluster, ["upgrade"]).await.assert_refusal(
        "pg_passage 9.0.0 in the database is newer than this client",
        "Install version 9.0.0 of the client.",
    );
}

#[tokio::test]
async fn upgrade_updates_the_native_extension() {
    let cluster = Cluster::without_store().await;
    let output = succeed(&cluster, &["upgrade"]).await;
    assert!(output.contains("pg_passage has version 0.2.0 already"), "{output}");
    assert!(output.contains("the store \"rag\" does not exist"), "{output}");
}
