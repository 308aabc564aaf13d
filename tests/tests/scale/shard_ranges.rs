//! Stores of many shards, and of shards for one document alone.

use crate::citus::{Citus, DIMENSIONS};
use crate::nodes::rows;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// Ingests documents of a few chunks, and analyzes them.
async fn fill(citus: &Citus, store: &str) {
    citus.ingest_pages(store).await;
    citus.coordinator().execute(&format!("ANALYZE {store}.documents, {store}.chunks")).await;
}

/// Queries for one document, for one chunk, and for all shards.
const QUERIES: [&str; 6] = [
    "SELECT count(*) FROM passage.search_hits('skewed', max_hits => 1000, store => '$STORE')",
    "SELECT outline, chunks FROM passage.outline('page/3', store => '$STORE')",
    "SELECT ordinal, content FROM passage.expand_context((SELECT c.id FROM $STORE.chunks AS c JOIN $STORE.documents AS d ON d.id = c.document_id WHERE d.uri = 'page/3' AND ordinal = 0), 'document', store => '$STORE')",
    "SELECT uri, content FROM passage.search('common lexeme3', store => '$STORE')",
    "SELECT uri, content FROM passage.fragments('lexeme3', store => '$STORE')",
    "SELECT count(*) FROM passage.search_hits('common', max_hits => 1000, store => '$STORE')",
];

#[tokio::test]
async fn a_store_of_256_shards_returns_the_rows_of_a_plain_store() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let create = "SELECT passage.create_store('many', dimensions => 32, distributed => 'document')";
    let client = citus.coordinator().client().await;
    client.batch_execute(&format!("SET citus.shard_count = 256; {create}")).await.unwrap();
    let count = "SELECT count(*) FROM citus_shards WHERE table_name = 'many.chunks'::regclass";
    assert_eq!(citus.coordinator().query_text(count).await, "256");
    for store in ["plain", "many"] {
        fill(&citus, store).await;
        // All these chunks are in one shard, which returns more of them than its share.
        let long = format!(
            "SELECT passage.ingest('long', string_agg('# Part ' || n || E'\\n\\nskewed', E'\\n\\n'), store => '{store}') FROM generate_series(1, 700) AS n"
        );
        citus.coordinator().execute(&long).await;
    }
    for query in cases(QUERIES) {
        let query = |store| query.replace("$STORE", store);
        let expected = citus.coordinator().query_lines(&query("plain")).await;
        assert!(!expected.is_empty(), "{query}", query = query("plain"));
        for node in &citus.nodes {
            assert_eq!(node.query_lines(&query("many")).await, expected, "{}", query("many"));
        }
    }
}

#[tokio::test]
async fn a_shard_for_one_document_is_read_and_written() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    fill(&citus, "spread").await;
    let queries = QUERIES.map(|query| query.replace("$STORE", "spread"));
    let mut expected = Vec::new();
    let session = coordinator.client().await;
    for query in &queries {
        expected.push(rows(&session, query).await.unwrap());
    }
    // The document's shard has one hash, and a shard on each side of it has the others.
    for uri in ["page/3", "page/4"] {
        let id = format!("SELECT id FROM spread.documents WHERE uri = '{uri}'");
        let id = coordinator.query_text(&id).await;
        let isolate = format!(
            "SELECT isolate_tenant_to_new_shard('spread.documents', '{id}', 'CASCADE', 'block_writes')"
        );
        coordinator.execute_as(SUPERUSER, &isolate).await;
    }
    let narrow = "SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'spread.chunks'::regclass AND shardminvalue = shardmaxvalue";
    assert_eq!(coordinator.query_text(narrow).await, "2");
    let without_rows = "SELECT count(*) FROM spread.shard_keys WHERE document_id IN (SELECT id FROM spread.documents)";
    assert_eq!(coordinator.query_text(without_rows).await, "0");
    for (query, expected) in queries.iter().zip(&expected) {
        assert_eq!(rows(&session, query).await.as_ref(), Ok(expected), "{query}");
        for node in &citus.nodes {
            assert_eq!(&node.query_lines(query).await, expected, "{query}");
        }
    }
    coordinator.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    coordinator.execute("GRANT USAGE ON SCHEMA spread TO reader").await;
    let error = coordinator.error_as("reader", &queries[0]).await;
    assert!(error.message().starts_with("permission denied"), "{}", error.message());
    coordinator.execute("GRANT SELECT ON ALL TABLES IN SCHEMA spread TO reader").await;
    for (query, expected) in queries.iter().zip(&expected) {
        assert_eq!(&coordinator.query_lines_as("reader", query).await, expected, "{query}");
    }
    // In a transaction, on a shard that the transaction has written.
    session.batch_execute("BEGIN").await.unwrap();
    let change =
        "SELECT outcome FROM passage.ingest('page/3', E'# Page 3\\n\\nnovelty', store => 'spread')";
    assert_eq!(rows(&session, change).await.unwrap(), ["replaced"]);
    let search = "SELECT uri FROM passage.search('novelty', store => 'spread')";
    assert_eq!(rows(&session, search).await.unwrap(), ["page/3"]);
    let remove = "SELECT documents FROM passage.remove('page/4', store => 'spread')";
    assert_eq!(rows(&session, remove).await.unwrap(), ["1"]);
    session.batch_execute("COMMIT").await.unwrap();
    let outline = "SELECT outline FROM passage.outline('page/4', store => 'spread')";
    for node in &citus.nodes {
        assert_eq!(node.query_lines(search).await, ["page/3"]);
        assert!(node.query_lines(outline).await.is_empty());
        let problems = node
            .query_lines(
                "SELECT * FROM passage.check_store('spread', true) WHERE problem !~ 'embedding'",
            )
            .await;
        assert!(problems.is_empty(), "{problems:?}");
    }
}
