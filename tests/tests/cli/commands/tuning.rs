//! The recipe that tunes a store: its commands run, on real documents.

use crate::lacks_embedding;
use passage_tests::cluster::client_path;
use passage_tests::markdown::{Page, root};
use passage_tests::{Cluster, path_with};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tokio::process::Command;

/// Runs commands in a folder, and returns what they print.
async fn run(cluster: &Cluster, folder: &Path, commands: &str) -> String {
    let mut shell = Command::new("sh");
    // A client program has the variables for the server and the model.
    let program = cluster.client_program();
    let variables = program.as_std().get_envs().filter_map(|(name, value)| Some((name, value?)));
    shell.args(["-ec", commands]).current_dir(folder).envs(variables);
    shell.env("PATH", path_with(client_path().parent()));
    let output = shell.output().await.unwrap();
    assert!(output.status.success(), "{commands}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_recipe_compares_strategies_weights_and_chunk_sizes_on_real_documents() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "the recipe that tunes a store") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    fs::create_dir(&docs).unwrap();
    for name in ["aho-corasick-design.md", "libjpeg-usage.txt"] {
        fs::copy(root().join("tests/quality/docs").join(name), docs.join(name)).unwrap();
    }
    run(&cluster, folder.path(), "passage ingest --quiet docs").await;

    let recipe = Page::read("docs/recipes/tune.md");
    let mut printed = String::new();
    for block in recipe.blocks().iter().filter(|block| block.language == "sh") {
        printed += &run(&cluster, folder.path(), &block.text).await;
    }
    for row in [
        "text, none ",
        "hybrid, section ",
        "hybrid, default, {\"text_weight\":0.5} ",
        "large, hybrid, default ",
        " to +",
    ] {
        assert!(printed.contains(row), "{row}\n{printed}");
    }

    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let [all, tuning, held_out] =
        ["questions", "tuning", "held-out"].map(|name| read(&format!("{name}.jsonl")));
    assert_eq!((all.lines().count(), tuning.lines().count()), (40, 20));
    assert!(held_out.lines().all(|line| !tuning.contains(line) && all.contains(line)));
    // Both halves have questions of titles and of sentences.
    assert!(
        [&tuning, &held_out]
            .iter()
            .all(|half| half.contains("\"section\"") && half.contains("\"text\""))
    );

    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let largest = report["summary"].as_array().unwrap().iter().filter(|row| row["budget"] == 4096);
    let largest: Vec<&Value> = largest.collect();
    assert_eq!(largest.len(), 2);
    for row in &largest {
        assert!(row["recall"].as_f64().unwrap() > 0.8, "{row}");
    }
    assert_eq!(largest[1]["difference"]["questions"], 20);
    assert_eq!(report["configurations"][1]["store"], "small");
}
