//! Reranking by a local model.

use super::rerank::{uris, valves};
use crate::RunOutput;
use passage::rerank::CrossEncoder;
use passage_tests::Cluster;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the folder of a small model with random weights.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/embed/tests/fixtures/rerank/bert")
}

/// Returns the results of a search for all chunks.
async fn search(cluster: &Cluster, options: &[&str]) -> Value {
    let mut program = cluster.client_program();
    program.args(["search", "--mode", "text", "--json", "--chunks", "--limit", "20"]);
    let run = RunOutput::of(program.args(["--strategy", "none"]).args(options).arg("valve")).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[tokio::test]
async fn a_local_model_orders_the_passages() {
    let cluster = valves().await;
    let folder = folder();
    let folder = folder.to_str().unwrap();
    let model = CrossEncoder::load(Path::new(folder)).unwrap();
    let plain = search(&cluster, &[]).await;
    let mut expected: Vec<f64> = plain["chunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chunk| model.score("valve", chunk["content"].as_str().unwrap()).unwrap())
        .collect();
    expected.sort_by(|a, b| b.total_cmp(a));
    assert!(expected[0] > expected[19], "the model distinguishes texts: {expected:?}");

    let found = search(&cluster, &["--rerank-model", folder, "--rerank-context", "hit"]).await;
    let scores = |found: &Value, list: &str| {
        let rows = found[list].as_array().unwrap().iter();
        rows.map(|row| row["score"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    // JSON has one digit less than a double can need.
    let equals = |(score, expected): (f64, &f64)| (score - expected).abs() < 1e-12;
    assert!(scores(&found, "chunks").into_iter().zip(&expected).all(equals), "{found}");
    assert!(equals((scores(&found, "passages")[0], &expected[0])));
    assert!(found["timing"]["reranking_ms"].as_f64().is_some_and(|time| time > 0.0));
    assert!(found["timing"]["loading_ms"].as_f64().is_some_and(|time| time > 0.0));
}

#[tokio::test]
async fn a_folder_without_a_rerank_model_is_an_error_with_a_remedy() {
    let cluster = valves().await;
    let run = async |folder: &str| {
        let mut program = cluster.client_program();
        program.env("PASSAGE_RERANK_MODEL", folder);
        RunOutput::of(program.args(["search", "--mode", "text", "--json", "valve"])).await
    };
    run("judge").await.assert_refusal(
        "cannot read file \"judge/config.json\" of the rerank model",
        "If it is the model of a service, name the service with --rerank-url",
    );
    let embedding_model = passage_tests::cluster::model_path().expect("there is a model");
    run(embedding_model.to_str().unwrap()).await.assert_refusal(
        "it has no tensor classifier.weight, so it does not score pairs of texts",
        "Use a cross-encoder with one label",
    );
    assert_eq!(uris(&run("").await).len(), 10);
}
