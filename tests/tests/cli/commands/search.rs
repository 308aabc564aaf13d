//! `passage search`: the right passage for a question, by meaning and by words.

use crate::{RunOutput, Sources, ingest_text, lacks_embedding, run_client, text_cluster};
use passage_tests::cases;
use passage_tests::{Cluster, fixture};
use serde_json::{Value, json};

/// Questions that do not use the words of the documents, each with the place of its answer.
pub const QUESTIONS: [(&str, &str, &str); 6] = [
    ("what can I do so that my bees do not fly away in May?", "garden/bees.md", "it has no room"),
    ("which fruit needs acidic ground?", "garden/soil.md", "Blueberries, heather"),
    ("how do I make pruning shears sharp again?", "garden/tools/blades.md", "wet stone along"),
    ("why do my tomatoes split?", "garden/watering.txt", "get much crack open"),
    ("parasites in the hive", "garden/bees.md", "Varroa mites"),
    ("what must not go on the compost heap?", "garden/soil.md", "roots of couch grass"),
];

pub async fn garden(what: &str) -> Option<Cluster> {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, what) {
        return None;
    }
    cluster.passage(["ingest", "--quiet", fixture!("client/garden")]).await;
    Some(cluster)
}

/// Returns the JSON output of a search.
pub async fn search_json(cluster: &Cluster, arguments: &[&str]) -> Value {
    let json = cluster.passage([&["search", "--json"], arguments].concat()).await;
    serde_json::from_str(&json).unwrap()
}

/// Returns the uris of the passages that a search returns, best first.
async fn uris(cluster: &Cluster, arguments: &[&str]) -> Vec<String> {
    let output = search_json(cluster, arguments).await;
    let uri = |passage: &Value| passage["uri"].as_str().unwrap().to_owned();
    output["passages"].as_array().unwrap().iter().map(uri).collect()
}

#[tokio::test]
async fn a_question_finds_the_passage_that_answers_it() {
    let Some(cluster) = garden("a question finds the passage that answers it").await else {
        return;
    };
    for (question, uri, answer) in cases(QUESTIONS) {
        let output = search_json(&cluster, &["--chunks", "--limit", "3", question]).await;
        let first = &output["passages"][0];
        assert_eq!((&first["rank"], &first["uri"]), (&1.into(), &uri.into()), "{question}");
        let content = first["content"].as_str().unwrap();
        assert!(content.contains(answer), "{question}\n{content}");

        // The line numbers are those of the file.
        let source = std::fs::read_to_string(fixture!("client/").to_owned() + uri).unwrap();
        let line = |key: &str| usize::try_from(first[key].as_u64().unwrap()).unwrap();
        let lines: Vec<_> = source.lines().collect();
        let cited = lines[line("first_line") - 1..line("last_line")].join("\n");
        assert!(cited.contains(answer), "{question}\n{cited}");

        let chunks = output["chunks"].as_array().unwrap();
        let scores: Vec<_> = chunks.iter().map(|chunk| chunk["score"].as_f64()).collect();
        assert!(scores.len() == 3 && scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
        assert_eq!(chunks[0]["score"], first["score"], "{question}");
    }
}

#[tokio::test]
async fn a_passage_is_found_by_its_meaning_or_by_a_part_of_a_name() {
    let Some(cluster) = garden("a passage is found by meaning or by words").await else { return };
    let sources = Sources::with([(
        "pump.ts",
        "export function primeCisternPump(litres: number) {\n  return litres > 3;\n}\n",
    )]);
    cluster.passage(["ingest", "--quiet", &sources.book()]).await;

    // No document has all of these words, and two of them carry the meaning.
    let question = "parasites of honey insects";
    assert_eq!(uris(&cluster, &["--mode", "text", "parasites"]).await, [""; 0]);
    let hit = search_json(&cluster, &["--chunks", question]).await["chunks"][0].clone();
    assert_eq!((&hit["uri"], &hit["vector_rank"]), (&"garden/bees.md".into(), &1.into()), "{hit}");

    // A part of an identifier means nothing to the model; only full text search finds it.
    assert_eq!(uris(&cluster, &["--mode", "text", "cistern"]).await, ["book/pump.ts"]);
    let hit = search_json(&cluster, &["--chunks", "cistern"]).await["chunks"][0].clone();
    assert_eq!((&hit["uri"], &hit["text_rank"]), (&"book/pump.ts".into(), &1.into()), "{hit}");
}

#[tokio::test]
async fn filters_select_documents_and_chunks() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("old.md", "# Guide\n\nTurn the valve.\n\n## Safety\n\nThe valve is hot.\n"),
        ("new.md", "# Guide\n\nTurn the valve twice.\n"),
        ("valve.rs", "/// The valve.\nfn open() {}\n"),
        ("lost.md", "# Lost\n\nThere was a valve.\n"),
    ]);
    for (name, arguments) in [
        ("old.md", &["--collection", "boiler", "--version", "1"][..]),
        ("new.md", &["--collection", "boiler", "--version", "2"]),
        ("valve.rs", &["--metadata", r#"{"team": "heat"}"#]),
        ("lost.md", &[]),
    ] {
        let path = format!("{}/{name}", sources.book());
        ingest_text(&cluster, &[&[&*path, "--uri", name], arguments].concat()).await;
    }
    cluster.execute("UPDATE rag.documents SET orphaned_at = now() WHERE uri = 'lost.md'").await;

    for (arguments, expected) in [
        (&[][..], &["new.md", "old.md", "valve.rs"][..]),
        (&["--collection", "boiler"], &["new.md", "old.md"]),
        (&["--collection", ""], &["valve.rs"]),
        (&["--collection", "boiler", "--version", "2"], &["new.md"]),
        (&["--uri", "%e_.md"], &["new.md"]),
        (&["--uri", "o%"], &["old.md"]),
        (&["--media-type", "text/x-rust"], &["valve.rs"]),
        (&["--media-type", "text/m*"], &["new.md", "old.md"]),
        (&["--kind", "code"], &["valve.rs"]),
        (&["--path", "Guide.Safety"], &["old.md"]),
        (&["--metadata", r#"{"team": "heat"}"#], &["valve.rs"]),
        (&["--include-orphaned"], &["lost.md", "new.md", "old.md", "valve.rs"]),
        (&["--uri", "%.md", "--kind", "code"], &[]),
    ] {
        let mut returned = uris(&cluster, &[arguments, &["valve"]].concat()).await;
        returned.sort();
        returned.dedup();
        assert_eq!(returned, expected, "{arguments:?}");
    }
    for (arguments, count) in cases([(["--limit", "1"], 1), (["--candidates", "1"], 1)]) {
        assert_eq!(uris(&cluster, &[&arguments[..], &["valve"]].concat()).await.len(), count);
    }
}

#[tokio::test]
async fn passages_are_as_large_as_requested_and_in_the_requested_order() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let chunks = |output: &Value| output["passages"][0]["chunk_ids"].as_array().unwrap().len();
    let all = cluster.query_text("SELECT max(chunk_count) FROM rag.documents").await;
    let whole = search_json(&cluster, &["--strategy", "document", "varroa"]).await;
    assert_eq!(chunks(&whole).to_string(), all);
    assert_eq!(whole["passages"][0]["truncated"], false);
    assert_eq!(chunks(&search_json(&cluster, &["--strategy", "none", "varroa"]).await), 1);
    for limit in ["--max-chunks=2", "--max-tokens=150"] {
        let cut = search_json(&cluster, &["--strategy", "document", limit, "varroa"]).await;
        assert_eq!((chunks(&cut), &cut["passages"][0]["truncated"]), (2, &true.into()), "{limit}");
    }

    // The better answer is much later in the document than the other one.
    let filler = |number| format!("## Part {number}\n\n{}\n\n", "Nothing of it here. ".repeat(25));
    let parts: String = (2..9).map(filler).collect();
    let sources = Sources::with([(
        "pump.md",
        format!("# Pump\n\nA cistern.\n\n{parts}## Cistern\n\nThe cistern, and the cistern.\n"),
    )]);
    ingest_text(&cluster, &[&sources.book()]).await;
    for (order, expected) in [("score", [1, 2]), ("document", [2, 1])] {
        let search = ["--strategy", "none", "--order-by", order, "cistern"];
        let output = search_json(&cluster, &search).await;
        let passages = output["passages"].as_array().unwrap();
        let ranks: Vec<_> = passages.iter().map(|passage| &passage["rank"]).collect();
        assert_eq!(ranks, expected, "{order}");
    }
}

#[tokio::test]
async fn the_sections_that_a_hit_links_to_follow_its_passage() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("night.md", "# Night\n\nIf the alarm rings, see [the valve](valves.md#closing).\n".into()),
        ("valves.md", "# Valves\n\nOld ones.\n\n## Closing\n\nTurn it to the right.\n".to_owned()),
    ]);
    ingest_text(&cluster, &[&sources.book()]).await;
    for (links, expected) in [("0", vec!["night.md"]), ("1", vec!["night.md", "valves.md"])] {
        let search = ["--strategy", "none", "--limit", "1", "--links", links, "alarm"];
        let output = search_json(&cluster, &search).await;
        let passages = output["passages"].as_array().unwrap();
        let uri = |passage: &Value| {
            passage["uri"].as_str().unwrap().rsplit('/').next().map(str::to_owned)
        };
        let uris: Vec<_> = passages.iter().filter_map(uri).collect();
        assert_eq!(uris, expected);
        assert_eq!(
            passages.iter().filter(|passage| passage["hit_ids"] == json!([])).count(),
            uris.len() - 1
        );
    }
    let text = cluster.passage(["search", "--strategy", "none", "--links", "1", "alarm"]).await;
    assert!(text.contains("linked by a hit"), "{text}");
    let chunk =
        cluster.query_text("SELECT id::text FROM rag.chunks WHERE content LIKE '%alarm%'").await;
    let context =
        cluster.passage(["context", "--strategy", "none", "--links", "1", "--json", &chunk]).await;
    assert!(context.lines().any(|line| line.contains("\"role\":\"linked\"")), "{context}");
}

#[tokio::test]
async fn min_similarity_filters_in_a_store_with_embeddings() {
    let Some(cluster) = garden("similarity is a filter").await else { return };
    let (question, uri, _) = QUESTIONS[2];
    assert_eq!(uris(&cluster, &["--min-similarity", "0.4", question]).await, [uri]);
    assert_eq!(uris(&cluster, &["--min-similarity", "0.99", question]).await, [""; 0]);
    let beyond = run_client(&cluster, ["search", "--min-similarity", "-2", question]).await;
    beyond.assert_refusal("\"min_similarity\" is out of range", "from -1 to 1");
}

#[tokio::test]
async fn a_search_by_words_loads_no_model() {
    let cluster = Cluster::start().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    cluster.execute("SELECT passage.create_store('text')").await;
    let garden = fixture!("client/garden");
    cluster.passage(["ingest", "--no-embed", "--store", "text", garden]).await;
    for arguments in cases([["--mode", "text"], ["--store", "text"]]) {
        let mut program = cluster.client_program();
        program.env("PASSAGE_MODEL", "/nowhere").args(["search", "--json", "varroa"]);
        let run = RunOutput::of(program.args(arguments)).await;
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{arguments:?}");
        let output: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(output["passages"][0]["uri"], "garden/bees.md");
        let timing = &output["timing"];
        assert_eq!((&timing["loading_ms"], &timing["embedding_ms"]), (&Value::Null, &Value::Null));
    }
}

#[tokio::test]
async fn an_empty_question_or_store_returns_no_passage_without_error() {
    let cluster = Cluster::start().await;
    assert_eq!(cluster.passage(["search", "  "]).await, "nothing found\n");
    let nothing = search_json(&cluster, &[""]).await;
    assert_eq!((&nothing["passages"], &nothing["chunks"]), (&json!([]), &Value::Null));
    assert_eq!(cluster.passage(["search", "--mode", "text", "?"]).await, "nothing found\n");
    if !lacks_embedding(&cluster, "a search in an empty store returns nothing") {
        assert_eq!(cluster.passage(["search", "anything"]).await, "nothing found\n");
        let nothing = search_json(&cluster, &["--chunks", "anything"]).await;
        assert_eq!((&nothing["passages"], &nothing["chunks"]), (&json!([]), &json!([])));
    }
}

#[tokio::test]
async fn search_refuses_unknown_values() {
    let cluster = text_cluster().await;
    let wide = run_client(&cluster, ["search", "--strategy", "wide", "anything"]).await;
    wide.assert_refusal("unrecognized strategy \"wide\"", "passage.strategies()");
    for mode in cases([&[][..], &["--mode", "text"]]) {
        let none = [&["search", "--store", "none", "anything"], mode].concat();
        let none = run_client(&cluster, none).await;
        none.assert_refusal("store \"none\" does not exist", "passage init --store none");
    }
}

#[tokio::test]
async fn a_search_that_finds_nothing_shows_why() {
    let cluster = text_cluster().await;
    cluster
        .passage(["ingest", "--quiet", "--no-embed", "--collection", "guide", fixture!("handbook")])
        .await;
    for (arguments, notice) in [
        (["--collection", "giude", "rotation"], "no document has collection \"giude\""),
        (["--version", "2", "rotation"], "no document has version \"2\""),
        (["--mode", "text", "the of"], "the query has only stop words"),
    ] {
        let output = run_client(&cluster, [&["search"], &arguments[..]].concat()).await;
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        assert!(output.stderr.contains(notice), "{}", output.stderr);
        let json = search_json(&cluster, &arguments).await;
        assert!(json["notes"].to_string().contains(&notice.replace('"', "\\\"")), "{json}");
    }
    // The version of the collection is empty, and the highest.
    let found = uris(&cluster, &["--version", "latest", "rotation"]).await;
    assert!(found[0].ends_with("logging.md"), "{found:?}");
}
