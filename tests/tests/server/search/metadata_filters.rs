/*!
Conditions on metadata, compared with a model over random metadata and random filters.

Documents and chunks have metadata with missing keys, nulls, numbers as texts, dates in several spellings and nested
objects. Each filter runs without indexes, with indexes that split the statement, and by embedding.
*/

mod model;

use super::indexes::plans;
use crate::rng::Rng;
use model::{FILTER_KEYS, any_filter, any_metadata, merged, selects};
use passage_tests::Cluster;
use serde_json::{Map, Value, json};
use tokio_postgres::Client;
use uuid::Uuid;

const SEED: u64 = 36;
const CHUNKS: u32 = 120;
const FILTERS: u32 = 300;

/// A chunk, with its metadata merged into that of its document.
type Row = (Uuid, Map<String, Value>);

/// Loads documents of two chunks, each with random metadata.
async fn load(client: &Client, has_vector: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut rng = Rng::new(SEED, 0);
    let (documents, chunks) = (
        "INSERT INTO rag.documents (uri, metadata) VALUES ($1, $2) RETURNING id",
        "INSERT INTO rag.chunks (document_id, ordinal, content, metadata) VALUES ($1, $2, 'word', $3) RETURNING id",
    );
    for number in 0..CHUNKS / 2 {
        let of_document = any_metadata(&mut rng, 70);
        let values = (number.to_string(), Value::Object(of_document.clone()));
        let document: Uuid =
            client.query_one(documents, &[&values.0, &values.1]).await.unwrap().get(0);
        for ordinal in 0..2 {
            let of_chunk = any_metadata(&mut rng, 25);
            let metadata = Value::Object(of_chunk.clone());
            let row = client.query_one(chunks, &[&document, &ordinal, &metadata]).await.unwrap();
            rows.push((row.get(0), merged(&of_document, &of_chunk)));
        }
    }
    if has_vector {
        let embeddings =
            "INSERT INTO rag.embeddings SELECT id, document_id, '[1,0,0]' FROM rag.chunks";
        client.batch_execute(embeddings).await.unwrap();
    }
    rows
}

/// Returns the chunks that a search finds, sorted.
async fn found(client: &Client, call: &str, filter: &Value) -> Vec<Uuid> {
    let filter = json!({ "metadata": filter });
    let sql = format!(
        "SELECT chunk_id FROM passage.search_hits({call}, max_hits => 1000, filter => $1) ORDER BY 1"
    );
    let rows =
        client.query(&sql, &[&filter]).await.unwrap_or_else(|error| panic!("{filter}: {error:?}"));
    rows.iter().map(|row| row.get(0)).collect()
}

/// Compares the chunks that random filters find with those of the model, and returns how many filters find some.
async fn compare(client: &Client, rows: &[Row], calls: &[&str]) -> usize {
    let mut selective = 0;
    for number in 1..=FILTERS {
        let filter = any_filter(&mut Rng::new(SEED, number), 3);
        let mut expected: Vec<_> = rows
            .iter()
            .filter(|(_, metadata)| selects(&filter, metadata))
            .map(|(id, _)| *id)
            .collect();
        expected.sort_unstable();
        selective += usize::from((1..rows.len()).contains(&expected.len()));
        for call in calls {
            assert_eq!(found(client, call, &filter).await, expected, "{call} {filter}");
        }
    }
    selective
}

#[tokio::test]
async fn conditions_select_what_the_model_selects() {
    let cluster = Cluster::without_store().await;
    let client = cluster.client().await;
    let dimensions = if cluster.has_vector() { "3" } else { "NULL" };
    client
        .batch_execute(&format!("SELECT passage.create_store(dimensions => {dimensions})"))
        .await
        .unwrap();
    let rows = load(&client, cluster.has_vector()).await;
    let calls: &[&str] =
        if cluster.has_vector() { &["'word'", "embedding => '{1,0,0}'"] } else { &["'word'"] };
    let selective = compare(&client, &rows, calls).await;
    assert!(selective > FILTERS as usize / 3, "only {selective} filters find some chunks");
    let indexes = FILTER_KEYS.map(|key| {
        let key = key.replace('\'', "''");
        format!("CREATE INDEX ON rag.documents ((metadata -> '{key}'));")
    });
    client.batch_execute(&indexes.concat()).await.unwrap();
    client.batch_execute("CREATE INDEX ON rag.chunks USING gin (metadata); ANALYZE").await.unwrap();
    compare(&client, &rows, calls).await;
}

#[tokio::test]
async fn hostile_keys_and_values_are_data() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    client.batch_execute("CREATE TABLE public.bystander (id integer)").await.unwrap();
    let hostile = [
        "'; DROP TABLE public.bystander; --",
        "' OR true --",
        "\") OR (\"",
        "$1",
        "$$x$$",
        "\\",
        "\\'",
        "%_",
        "a')) OR pg_sleep(60) IS NULL --",
        "${x}",
        "{}",
        "\u{202e}\n\t",
        "E'\\''",
        "a.b",
        "rag.chunks",
        "\"rag\".\"chunks\"",
    ];
    for (number, text) in hostile.iter().enumerate() {
        let metadata = json!({ *text: *text });
        let sql = "WITH d AS (INSERT INTO rag.documents (uri, metadata) VALUES ($1, $2) RETURNING id)
            INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, 0, 'word' FROM d RETURNING id";
        client.query_one(sql, &[&number.to_string(), &metadata]).await.unwrap();
    }
    // With this setting a backslash in a literal of a statement would escape its quote.
    for setting in ["on", "off"] {
        client
            .batch_execute(&format!(
                "SET standard_conforming_strings = {setting}; SET escape_string_warning = off"
            ))
            .await
            .unwrap();
        for text in hostile {
            let like = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            for test in [
                json!(text),
                json!({ "$eq": text }),
                json!({ "$in": [text] }),
                json!({ "$like": like }),
                json!({ "$between": [text, text] }),
            ] {
                let found = found(&client, "'word'", &json!({ text: test })).await;
                assert_eq!(found.len(), 1, "{text} {test}");
            }
            let missing = json!({ text: { "x": { "$gt": text } } });
            assert!(found(&client, "'word'", &missing).await.is_empty(), "{text}");
        }
    }
    assert_eq!(cluster.query_text("SELECT count(*) FROM public.bystander").await, "0");
}

#[tokio::test]
async fn statements_have_neither_keys_nor_values() {
    let cluster = Cluster::start().await;
    let sql = "SELECT * FROM passage.search_hits('word', filter => '{\"metadata\": {\"$or\": [
        {\"marked\": {\"$gte\": \"marked\", \"$like\": \"marked%\", \"$in\": [\"marked\", 4711]}},
        {\"marked\": {\"marked\": {\"$between\": [4711, 4712]}}}, {\"marked\": \"marked\"}]},
        \"collection\": [\"marked\"], \"version\": [\"latest\", \"marked*\", \"marked\"], \"uri\": \"marked\"}')";
    let plans = plans(&cluster, sql).await;
    let statements: Vec<_> = plans.split("Query Text: ").skip(1).collect();
    let inner: Vec<_> = statements
        .iter()
        .filter(|text| !text.starts_with("SELECT * FROM passage.search_hits"))
        .collect();
    assert!(inner.len() >= 3, "{plans}");
    for statement in inner {
        // The plan behind the text has the values of the parameters.
        let text = statement.lines().next().unwrap();
        assert!(!text.contains("marked") && !text.contains("471"), "{text}");
    }
}
