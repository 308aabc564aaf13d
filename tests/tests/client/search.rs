//! `passage search`: the right passage to a question, with real embeddings.

use crate::{lacks_embedding, ran};
use passage_tests::{Cluster, fixture};
use serde_json::Value;

/// Questions in other words than the garden's documents, each with where its answer stands.
const QUESTIONS: [(&str, &str, &str); 6] = [
    ("what can I do so that my bees do not fly away in May?", "garden/bees.md", "it has no room"),
    ("which fruit wants acidic ground?", "garden/soil.md", "Blueberries, heather"),
    ("how do I make pruning shears sharp again?", "garden/tools/blades.md", "wet stone along"),
    ("why do my tomatoes split?", "garden/watering.txt", "get much crack open"),
    ("parasites in the hive", "garden/bees.md", "Varroa mites"),
    ("what must not go on the compost heap?", "garden/soil.md", "roots of couch grass"),
];

async fn garden(what: &str) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, what) {
        return None;
    }
    cluster.passage(["ingest", "--quiet", fixture!("client/garden")]).await;
    Some(cluster)
}

#[tokio::test]
async fn a_question_finds_the_passage_that_answers_it() {
    let Some(cluster) = garden("a question finds the passage that answers it").await else {
        return;
    };
    for (question, uri, answer) in QUESTIONS {
        let json = cluster.passage(["search", "--json", "--limit", "3", question]).await;
        let found: Value = serde_json::from_str(&json).unwrap();
        let first = &found["passages"][0];
        assert_eq!((&first["rank"], &first["uri"]), (&1.into(), &uri.into()), "{question}");
        let content = first["content"].as_str().unwrap();
        assert!(content.contains(answer), "{question}\n{content}");

        // Its lines are those of the file.
        let source = std::fs::read_to_string(fixture!("client/").to_owned() + uri).unwrap();
        let line = |key: &str| usize::try_from(first[key].as_u64().unwrap()).unwrap();
        let lines: Vec<_> = source.lines().collect();
        let cited = lines[line("first_line") - 1..line("last_line")].join("\n");
        assert!(cited.contains(answer), "{question}\n{cited}");

        let scores: Vec<_> = found["chunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|chunk| chunk["score"].as_f64())
            .collect();
        assert!(scores.len() == 3 && scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    }
}

#[tokio::test]
async fn people_see_the_best_chunk_and_the_passages() {
    let Some(cluster) = garden("search shows people what it found").await else { return };
    let (question, uri, answer) = QUESTIONS[1];
    let shown = cluster.passage(["search", "--chunks", "--strategy", "document", question]).await;
    assert!(shown.starts_with("The best chunk by itself\n   Soil › Acidity\n"), "{shown}");
    let (chunk, passages) = shown.split_once("The passages\n").unwrap();
    assert!(chunk.contains(answer) && chunk.contains("score 0."), "{shown}");
    let whole = format!("1  Soil\n   {uri}:1-33  score ");
    assert!(passages.trim_start().starts_with(&whole), "{whole}\n{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours where no terminal is");

    let bounded = cluster.passage(["search", "--json", "--max-tokens", "60", question]).await;
    let bounded: Value = serde_json::from_str(&bounded).unwrap();
    assert!(bounded["passages"][0]["content"].as_str().unwrap().contains(answer));
}

#[tokio::test]
async fn an_empty_question_or_store_finds_nothing_and_is_no_error() {
    let cluster = Cluster::start().await;
    assert_eq!(cluster.passage(["search", "  "]).await, "nothing found\n");
    let json = cluster.passage(["search", "", "--json"]).await;
    assert_eq!(json, "{\"chunks\":[],\"passages\":[]}\n");
    if !lacks_embedding(&cluster, "a search in an empty store finds nothing") {
        assert_eq!(cluster.passage(["search", "anything"]).await, "nothing found\n");
    }
}

#[tokio::test]
async fn search_refuses_what_it_does_not_know() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "search refuses an unknown strategy") {
        return;
    }
    let wide = ran(&cluster, ["search", "--strategy", "wide", "anything"]).await;
    wide.refuses("unrecognized strategy \"wide\"", "passage.strategies()");
    let none = ran(&cluster, ["search", "--store", "none", "anything"]).await;
    none.refuses("store \"none\" does not exist", "passage init --store none");
    cluster.execute("SELECT passage.create_store('text')").await;
    let text = ran(&cluster, ["search", "--store", "text", "anything"]).await;
    text.refuses("the store \"text\" has no embeddings", "passage init --store text");
}
