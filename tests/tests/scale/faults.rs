//! Faults of a distributed store, which `check_store` finds from each node.

use crate::citus::{Citus, DIMENSIONS};

#[tokio::test]
async fn check_store_finds_faults_in_the_rows_of_one_shard() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    let ingest = "SELECT count(*) FROM generate_series(1, 40) AS n, passage.ingest('page/' || n, E'# Page ' || n || E'\\n\\nfirst\\n\\n## More\\n\\n' || repeat('words of a text. ', 100), splitting => passage.splitting(max_size => 60), store => 'spread')";
    coordinator.execute(ingest).await;
    let check = "SELECT object, regexp_replace(problem, '\\d+', 'N', 'g') FROM passage.check_store('spread', true) WHERE problem !~ 'embedding' ORDER BY 1, 2";
    assert!(coordinator.query_lines(check).await.is_empty());
    let id = async |uri: &str| {
        coordinator
            .query_text(&format!("SELECT id FROM spread.documents WHERE uri = '{uri}'"))
            .await
    };
    let [counted, sparse, apart, copied] =
        [id("page/1").await, id("page/2").await, id("page/3").await, id("page/4").await];
    let copy = "01234567-89ab-4def-8000-000000000000";
    for fault in [
        format!("UPDATE spread.documents SET chunk_count = 99 WHERE id = '{counted}'"),
        format!(
            "UPDATE spread.chunks SET ordinal = 1000 WHERE document_id = '{sparse}' AND ordinal = 1"
        ),
        format!(
            "UPDATE spread.chunks SET start_byte = start_byte + 1, end_byte = end_byte + 1 WHERE document_id = '{apart}' AND ordinal = 1"
        ),
        format!(
            "INSERT INTO spread.documents (id, uri, chunk_count) VALUES ('{copy}', 'page/4', 0)"
        ),
    ] {
        coordinator.execute(&fault).await;
    }
    let mut expected = vec![
        format!("document {counted}|chunk_count is N, but there are N chunks"),
        format!("document {sparse}|ordinals are not dense from N: N chunks from N to N"),
        format!("document {sparse}|spans that do not touch the previous span: N"),
        format!("document {apart}|spans that do not touch the previous span: N"),
        format!(
            "document {}|uri, collection and version are those of N documents",
            copied.clone().min(copy.to_owned())
        ),
    ];
    expected.sort();
    for node in &citus.nodes {
        assert_eq!(node.query_lines(check).await, expected);
    }
    // The remedies name the rows.
    let remedy = format!(
        "SELECT remedy FROM passage.check_store('spread', true) WHERE object = 'document {counted}' AND problem ~ 'chunk_count'"
    );
    coordinator.execute(&coordinator.query_text(&remedy).await).await;
    let remedy = "SELECT remedy FROM passage.check_store('spread', true) WHERE problem ~ '^uri'";
    let remedy = coordinator.query_text(remedy).await;
    assert!(remedy.contains(&copied) && remedy.contains(copy), "{remedy}");
    coordinator.execute(&format!("DELETE FROM spread.documents WHERE id = '{copy}'")).await;
    for uri in ["page/2", "page/3"] {
        let again = format!("SELECT passage.remove('{uri}', store => 'spread')");
        coordinator.execute(&again).await;
    }
    assert!(coordinator.query_lines(check).await.is_empty());
}

#[tokio::test]
async fn check_store_reports_a_distributed_schema_with_local_tables() {
    let Some(citus) = Citus::start(DIMENSIONS).await else { return };
    let coordinator = citus.coordinator();
    let ddl = "SELECT * FROM passage.create_store('stranded', dry_run => true)";
    let ddl = coordinator.query_lines(ddl).await.join("\n");
    let client = coordinator.client().await;
    // As a function of another program would do it.
    let create = format!(
        "SET citus.enable_schema_based_sharding = on; CREATE SCHEMA stranded; DO $do$ BEGIN\n{}\nEND $do$",
        ddl.replace("CREATE SCHEMA", "CREATE SCHEMA IF NOT EXISTS")
    );
    client.batch_execute(&create).await.unwrap();
    let check = "SELECT object, problem FROM passage.check_store('stranded')";
    let expected = ["stranded|schema is distributed by Citus, but its tables are not"];
    assert_eq!(coordinator.query_lines(check).await, expected);
    let remedy = coordinator.query_text("SELECT remedy FROM passage.check_store('stranded')").await;
    let (_, drop) = remedy.split_once("then run ").unwrap();
    coordinator.execute(drop).await;
    coordinator.execute("SELECT passage.create_store('stranded', distributed => 'schema')").await;
    assert!(coordinator.query_lines(check).await.is_empty());
}
