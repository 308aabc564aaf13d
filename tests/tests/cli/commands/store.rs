//! `passage init`, `outline` and `status`.

use crate::{RunOutput, lacks_embedding, next_transaction, run_client, text_cluster};
use passage_tests::cluster::SUPERUSER;
use passage_tests::{Cluster, fixture};
use serde_json::{Value, json};

/// The relations, columns and indexes of a store.
const CATALOG: &str = "
    SELECT oid, relname, xmin FROM pg_class WHERE relnamespace IN ('rag'::regnamespace, 'passage'::regnamespace)
    UNION ALL SELECT oid, extname, xmin FROM pg_extension ORDER BY 1";

#[tokio::test]
async fn init_creates_extension_and_store_and_a_second_run_changes_nothing() {
    let cluster = Cluster::bare().await;
    let first = cluster.passage(["init", "--no-embed"]).await;
    assert_eq!(first, "the store \"rag\" is ready, without embeddings\n");
    assert_eq!(
        cluster.query_lines("SELECT store::text FROM passage.stores()").await,
        ["rag"],
        "the store is there"
    );
    let (catalog, next) = (cluster.query_lines(CATALOG).await, next_transaction(&cluster).await);

    let second = cluster.passage(["init", "--no-embed"]).await;
    assert_eq!(second, "the store \"rag\" already exists, without embeddings\n");
    let said = cluster.passage(["init", "--no-embed", "--json"]).await;
    let said: Value = serde_json::from_str(&said).unwrap();
    let expected = json!({ "store": "rag", "statements": 0, "model": null, "dimensions": null, "unembedded": 0, "installed": null });
    assert_eq!(said, expected);
    assert_eq!(cluster.query_lines(CATALOG).await, catalog);
    assert_eq!(next_transaction(&cluster).await, next);
}

#[tokio::test]
async fn init_creates_a_store_for_the_models_embeddings() {
    let cluster = Cluster::bare().await;
    if lacks_embedding(&cluster, "init creates a store for the model's embeddings") {
        return;
    }
    // pgvector is a trusted extension from 0.8 on; earlier ones need a superuser.
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    let init = ["init", "--store", "Mine", "--embedding-type", "halfvec", "--language", "german"];
    let first = cluster.passage(init).await;
    let with = "with embeddings of sentence-transformers/all-MiniLM-L6-v2, 384 dimensions";
    assert_eq!(first, format!("the store \"Mine\" is ready, {with}\n"));
    let sql = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute \
        WHERE attrelid = '\"Mine\".embeddings'::regclass AND attname = 'embedding'";
    assert_eq!(cluster.query_text(sql).await, "halfvec(384)");

    let garden = fixture!("client/garden/watering.txt");
    cluster.passage(["ingest", "--store", "Mine", garden]).await;
    let next = next_transaction(&cluster).await;
    assert!(cluster.passage(init).await.contains("already exists"));
    assert_eq!(next_transaction(&cluster).await, next);

    let output = cluster.passage(["search", "--store", "Mine", "how to water seedlings"]).await;
    assert!(output.contains("Seedlings are watered from below"), "{output}");
}

#[tokio::test]
async fn init_that_adds_embeddings_tells_how_many_chunks_lack_one() {
    let cluster = text_cluster().await;
    if lacks_embedding(&cluster, "init tells how many chunks lack an embedding") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION IF NOT EXISTS vector").await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden/watering.txt")]).await;
    let chunks = cluster.query_text("SELECT count(*) FROM rag.chunks").await;
    let added = cluster.passage(["init"]).await;
    let chunks = if chunks == "1" { "1 chunk".into() } else { format!("{chunks} chunks") };
    assert!(
        added.ends_with(&format!("\n{chunks} without an embedding: run passage embed\n")),
        "{added}"
    );
    assert!(!cluster.passage(["init"]).await.contains("passage embed"));
}

#[tokio::test]
async fn outline_prints_the_sections_of_a_document() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let outline = cluster.passage(["outline", "garden/bees.md"]).await;
    let titles: Vec<_> = outline
        .lines()
        .map(|line| line.split("  ").find(|part| !part.is_empty()).unwrap())
        .collect();
    assert_eq!(
        titles,
        ["Keeping bees", "The year of a colony", "Swarms", "Honey", "Mites"],
        "{outline}"
    );

    let json = cluster.passage(["outline", "garden/bees.md", "--json"]).await;
    let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[3]["section"], serde_json::json!(["Keeping bees", "Honey"]));
    let source = std::fs::read_to_string(fixture!("client/garden/bees.md")).unwrap();
    let line = source.lines().position(|line| line == "## Honey").unwrap() + 1;
    assert_eq!(rows[3]["first_line"], line);

    let none = run_client(&cluster, ["outline", "garden/wasps.md"]).await;
    none.assert_refusal(
        "no document has the uri \"garden/wasps.md\"",
        "begins with the folder's name",
    );
}

#[tokio::test]
async fn status_prints_the_counts_of_the_store() {
    let cluster = Cluster::start().await;
    let ingest = ["ingest", "--no-embed", "--sizer", "characters", fixture!("client/garden")];
    cluster.passage(ingest).await;
    let status: Value = serde_json::from_str(&cluster.passage(["status", "--json"]).await).unwrap();
    assert_eq!((&status["store"], &status["documents"]), (&"rag".into(), &4.into()));
    let chunks = cluster.query_text("SELECT count(*) FROM rag.chunks").await;
    assert_eq!(status["chunks"].to_string(), chunks);
    assert_eq!(status["embeddings"], if cluster.has_vector() { 0.into() } else { Value::Null });
    assert_eq!(status["settings"]["sizer"], "characters");

    let text = cluster.passage(["status"]).await;
    assert!(text.contains("documents  4\n"), "{text}");
    assert!(text.contains(&format!("chunks     {chunks}\n")), "{text}");
    assert!(text.contains(&format!("PostgreSQL {}", cluster.installation().version())), "{text}");
}

#[tokio::test]
async fn the_option_for_the_server_overrides_the_environment() {
    let cluster = text_cluster().await;
    let mut program = cluster.client_program();
    program.env("DATABASE_URL", "postgresql:///nowhere?host=/nowhere");
    let run = RunOutput::of(program.args(["status", "--database-url", &cluster.url()])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
