//! Sizes, statistics and indexes of shards, as `check_store`, `doctor` and the client's loads read them.

use crate::citus::{Citus, DIMENSIONS};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use passage_tests::wait::PATIENCE;
use std::time::Instant;

/// The layouts of Citus.
const STORES: [&str; 2] = ["tenant", "spread"];

/// Returns the findings of `passage doctor`, which fails if one is bad.
async fn doctor(node: &Cluster, role: &str, store: &str) -> String {
    let mut program = node.client_program();
    program.args(["doctor", "--store", store]).env("DATABASE_URL", node.url_as(role));
    let output = program.output().await.expect("passage runs");
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// Inserts documents of one chunk, with embeddings.
async fn insert(citus: &Citus, store: &str, documents: u32) {
    let id = "(left(md5(n::text)::uuid::text, 18) || '-8000-000000000000')::uuid";
    for sql in [
        format!(
            "INSERT INTO {store}.documents (id, uri, chunk_count) SELECT {id}, n, 1 FROM generate_series(1, {documents}) AS n"
        ),
        format!(
            "INSERT INTO {store}.chunks (id, document_id, ordinal, content) SELECT id, id, 0, 'text' FROM (SELECT {id} AS id FROM generate_series(1, {documents}) AS n) AS made"
        ),
        format!(
            "INSERT INTO {store}.embeddings (chunk_id, document_id, embedding) SELECT id, id, (SELECT array_agg(sin(n * place)) FROM generate_series(1, {DIMENSIONS}) AS place)::vector FROM (SELECT {id} AS id, n FROM generate_series(1, 500) AS n) AS made"
        ),
    ] {
        citus.coordinator().execute(&sql).await;
    }
}

#[tokio::test]
async fn statistics_dead_rows_and_sizes_are_those_of_the_shards() {
    let Some(mut citus) = Citus::start(DIMENSIONS).await else { return };
    for node in &citus.nodes {
        for setting in ["autovacuum = off", "effective_cache_size = '64kB'"] {
            node.execute_as(SUPERUSER, &format!("ALTER SYSTEM SET {setting}")).await;
        }
        node.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    }
    let coordinator = citus.coordinator();
    coordinator.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    for store in cases(STORES) {
        coordinator.execute(&format!("GRANT USAGE ON SCHEMA {store} TO reader")).await;
        coordinator
            .execute(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA {store} TO reader"))
            .await;
        let empty = doctor(coordinator, "owner", store).await;
        for absent in cases(["statistics", "dead rows", "vector index"]) {
            assert!(!empty.contains(absent), "{store}: {empty}");
        }
        insert(&citus, store, 30_000).await;
    }
    for store in cases(STORES) {
        for node in &citus.nodes {
            for role in cases(["owner", "reader"]) {
                let loaded = doctor(node, role, store).await;
                assert!(loaded.contains("missing, so search cannot estimate"), "{store}: {loaded}");
                let tables = ["chunks", "documents", "embeddings"]
                    .map(|table| format!(r#""{store}".{table}"#));
                assert!(loaded.contains(&format!("ANALYZE {};", tables.join(", "))), "{loaded}");
                assert!(!loaded.contains("dead rows"), "{store}: {loaded}");
                assert!(
                    loaded.contains("are larger than effective_cache_size"),
                    "{store}: {loaded}"
                );
                assert!(loaded.contains(" MB on all nodes"), "{store}: {loaded}");
            }
        }
        for table in ["documents", "chunks", "embeddings"] {
            coordinator.execute(&format!("ANALYZE {store}.{table}")).await;
        }
        let delete = format!("DELETE FROM {store}.documents WHERE uri::integer > 15000");
        coordinator.execute(&delete).await;
        // A session reports its counts when it is idle.
        let begun = Instant::now();
        let mut deleted = String::new();
        while !deleted.contains("dead rows") {
            assert!(begun.elapsed() < PATIENCE, "{store}: {deleted}");
            deleted = doctor(coordinator, "reader", store).await;
        }
        assert!(!deleted.contains("missing, so search"), "{store}: {deleted}");
        assert!(deleted.contains("50 % of a table"), "{store}: {deleted}");
        for table in ["documents", "chunks", "embeddings"] {
            coordinator.execute(&format!("VACUUM {store}.{table}")).await;
        }
        let vacuumed = doctor(coordinator, "reader", store).await;
        assert!(!vacuumed.contains("dead rows"), "{store}: {vacuumed}");
        let estimates = format!(
            "SELECT string_agg(relation || ' ' || estimate, ', ' ORDER BY relation) FROM _passage.shard_tables('{store}')"
        );
        let estimates = coordinator.query_text_as("reader", &estimates).await;
        assert_eq!(estimates, "chunks 15000, documents 15000, embeddings 500", "{store}");
    }
    // The other nodes are asked only for stores that have shards there.
    let of_tenant = coordinator
        .query_text(
            "SELECT nodename FROM citus_shards WHERE table_name = 'tenant.chunks'::regclass",
        )
        .await;
    let other =
        (1..3).find(|at| citus.nodes[*at].folder().display().to_string() != of_tenant).unwrap();
    citus.nodes[other].stop();
    let coordinator = citus.coordinator();
    let tenant = doctor(coordinator, "owner", "tenant").await;
    assert!(!tenant.contains("not checked"), "{tenant}");
    let spread = doctor(coordinator, "owner", "spread").await;
    assert!(spread.contains("shards were not checked: "), "{spread}");
    assert!(spread.contains("could not read the shards of store \"spread\" on node"), "{spread}");
}

#[tokio::test]
async fn an_invalid_index_of_one_shard_is_a_problem_of_the_store() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    for store in cases(STORES) {
        let check = format!("SELECT object, problem FROM passage.check_store('{store}')");
        let place = coordinator
            .query_rows_as(
                SUPERUSER,
                &format!("SELECT nodename, shardid FROM citus_shards WHERE table_name = '{store}.embeddings'::regclass ORDER BY shardid DESC LIMIT 1"),
            )
            .await;
        let (folder, shard) = (place[0][0].as_ref().unwrap(), place[0][1].as_ref().unwrap());
        let node = citus.nodes.iter().find(|node| node.folder().display().to_string() == *folder);
        let invalidate = format!(
            "SET allow_system_table_mods = on; UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{store}.embeddings_embedding_idx_{shard}'::regclass"
        );
        node.unwrap().execute_as(SUPERUSER, &invalidate).await;
        let expected = format!("{store}.embeddings_embedding_idx|index is invalid on 1 shard");
        for node in &citus.nodes {
            assert_eq!(node.query_lines(&check).await, [expected.as_str()]);
        }
        let found = doctor(coordinator, "owner", store).await;
        assert!(found.contains("index is invalid on 1 shard"), "{found}");
        let remedy = format!("SELECT remedy FROM passage.check_store('{store}')");
        coordinator.execute(&coordinator.query_text(&remedy).await).await;
        assert!(coordinator.query_lines(&check).await.is_empty(), "{store}");
    }
}

#[tokio::test]
async fn a_load_analyzes_the_shards_when_many_of_their_rows_have_changed() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("pages");
    std::fs::create_dir(&pages).unwrap();
    for number in 0..60 {
        std::fs::write(pages.join(format!("{number}.md")), format!("text {number}")).unwrap();
    }
    std::fs::write(folder.path().join("one.md"), "one more").unwrap();
    for node in &citus.nodes {
        node.execute_as(SUPERUSER, "ALTER SYSTEM SET autovacuum = off").await;
        node.execute_as(SUPERUSER, "SELECT pg_reload_conf()").await;
    }
    for store in cases(STORES) {
        let coordinator = citus.coordinator();
        let estimates = format!(
            "SELECT string_agg(is_analyzed || ' ' || estimate, ', ' ORDER BY relation) FROM _passage.shard_tables('{store}')"
        );
        let ingest = async |name: &str| {
            let mut program = coordinator.client_program();
            program.args(["ingest", name, "--no-embed", "--store", store]).current_dir(&folder);
            let output = program.output().await.expect("passage runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        ingest("pages").await;
        let all = "true 60, true 60, true 0";
        assert_eq!(coordinator.query_text(&estimates).await, all, "{store}");
        // One document changes few rows.
        ingest("one.md").await;
        assert_eq!(coordinator.query_text(&estimates).await, all, "{store}");
    }
}
