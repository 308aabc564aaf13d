//! The output of `passage search`: for people, for terminals and as JSON.

use crate::commands::search::{QUESTIONS, garden, search_json};
use crate::{RunOutput, run_client, text_cluster};
use passage_tests::cluster::SUPERUSER;
use passage_tests::{Cluster, fixture};
use serde_json::{Value, json};

#[tokio::test]
async fn search_prints_the_counts_and_the_passages() {
    let Some(cluster) = garden("search shows people what it found").await else { return };
    let (question, uri, answer) = QUESTIONS[1];
    let shown = cluster
        .passage(["search", "--chunks", "--limit", "2", "--strategy", "document", question])
        .await;
    assert!(shown.starts_with("Best chunks\n\n1  Soil › Acidity\n"), "{shown}");
    let (chunks, passages) = shown.split_once("Passages\n").unwrap();
    assert!(chunks.contains(answer) && chunks.contains("by meaning 1 (0."), "{shown}");
    let whole = format!("1  Soil\n   {uri}:1-33  score ");
    assert!(passages.trim_start().starts_with(&whole), "{whole}\n{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours where no terminal is");
    let last = shown.lines().last().unwrap();
    assert!(last.starts_with("2 passages in ") && last.contains(" ms (embedding "), "{last}");

    let bounded = search_json(&cluster, &["--max-tokens", "60", question]).await;
    assert!(bounded["passages"][0]["content"].as_str().unwrap().contains(answer));
}

#[tokio::test]
async fn lines_of_hits_are_marked() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let search = ["search", "--strategy", "document", "--limit", "1", "varroa"];
    let shown = cluster.passage(search).await;
    let hit = "   ┃ Varroa mites sit in the brood";
    assert!(shown.contains(hit) && shown.contains("   │ # Keeping bees"), "{shown}");
    assert!(!shown.contains("┃ # Keeping bees") && !shown.contains("│ Varroa"), "{shown}");

    // A terminal gets the same text with colors. The digits of times may differ.
    let mut program = cluster.client_program();
    let coloured = RunOutput::of(program.env("CLICOLOR_FORCE", "1").args(search)).await.stdout;
    let plain = |text: &str| {
        let mut parts = text.split('\u{1b}');
        let first = parts.next().unwrap().to_owned();
        let rest = parts.map(|part| part.split_once('m').unwrap().1);
        first + &rest.collect::<String>()
    };
    let body = |text: &str| text.rsplit_once("1 passage in").unwrap().0.to_owned();
    assert_eq!(body(&plain(&coloured)), body(&shown));
    let marked = |line: &str| line.contains("\u{1b}[33m┃\u{1b}[0m Varroa mites");
    assert!(coloured.lines().any(marked), "{coloured}");
    let mut program = cluster.client_program();
    program.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").args(search);
    let plain = RunOutput::of(&mut program).await.stdout;
    assert_eq!(body(&plain), body(&shown));
}

#[tokio::test]
async fn search_prints_one_json_object_with_the_time_of_each_step() {
    let Some(cluster) = garden("search tells programs how long it took").await else { return };
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let output = search_json(&cluster, &["bees"]).await;
    assert_eq!(keys(&output), ["notes", "passages", "timing"]);
    assert_eq!(output["notes"], json!([]));
    let timing = &output["timing"];
    assert_eq!(keys(timing), ["connecting_ms", "embedding_ms", "loading_ms", "searching_ms"]);
    for (part, took) in timing.as_object().unwrap() {
        assert!(took.as_f64().is_some_and(|took| took > 0.0), "{part}: {took}");
    }
    let columns = "SELECT string_agg(name, ',' ORDER BY name) \
        FROM pg_proc, unnest(proargnames, proargmodes) AS argument (name, mode) \
        WHERE pronamespace = 'passage'::regnamespace AND proname = 'search' AND mode = 't' \
        AND name NOT IN ('spans', 'source_ids', 'explanation')";
    assert_eq!(keys(&output["passages"][0]).join(","), cluster.query_text(columns).await);
}

#[tokio::test]
async fn search_without_a_model_searches_words_and_says_so() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("search without a model searches words and says so") {
        return;
    }
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let no_model = |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.env_remove("PASSAGE_MODEL").env("XDG_CACHE_HOME", "/nowhere").args(arguments);
        program
    };
    let shown = RunOutput::of(&mut no_model(&["search", "varroa"])).await;
    assert!(shown.stdout.contains("garden/bees.md:"), "{}", shown.stdout);
    let note = "searching by words only, because no embedding model is available";
    let hint = "Name its folder with --model or PASSAGE_MODEL, or download the default model with passage model fetch.";
    assert_eq!(shown.stderr, format!("note: {note}\n  {hint}\n"));

    let run = RunOutput::of(&mut no_model(&["search", "--json", "varroa"])).await;
    let output: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(output["notes"], json!([{"message": note, "hint": hint}]));
    assert_eq!(run.stderr, "");

    // A search that requires the model fails without it.
    let asked = RunOutput::of(&mut no_model(&["search", "--mode", "hybrid", "varroa"])).await;
    asked.assert_refusal("/nowhere/passage/all-MiniLM-L6-v2", "--model");
}

#[tokio::test]
async fn notices_of_the_server_are_printed_once() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    cluster
        .execute_as(
            SUPERUSER,
            "CREATE FUNCTION admits(uri text) RETURNS boolean STABLE LANGUAGE plpgsql AS $$ BEGIN \
             RAISE NOTICE 'only a part is seen' USING HINT = 'Ask.', DETAIL = 'xyzzy-hunter2'; \
             RETURN true; END $$; \
             CREATE POLICY noted ON rag.documents USING (admits(uri)); \
             ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        )
        .await;
    let shown = run_client(&cluster, ["search", "varroa"]).await;
    assert!(shown.stdout.contains("garden/bees.md:"), "{}", shown.stdout);
    assert_eq!(shown.stderr, "note: only a part is seen\n  Ask.\n");
    let output = search_json(&cluster, &["varroa"]).await;
    assert_eq!(output["notes"], json!([{"message": "only a part is seen", "hint": "Ask."}]));
}

#[tokio::test]
async fn metadata_that_only_jsonb_accepts_is_printed_as_a_string() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let deep = "[".repeat(200) + &"]".repeat(200);
    for metadata in [r#"{"n": 1e400}"#.to_owned(), format!(r#"{{"deep": {deep}}}"#)] {
        cluster.execute(&format!("UPDATE rag.documents SET metadata = '{metadata}'")).await;
        let output = search_json(&cluster, &["--chunks", "varroa"]).await;
        let run = run_client(&cluster, ["fragments", "--json", "varroa"]).await;
        let fragment: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
        for row in [&output["passages"][0], &fragment] {
            let text = row["metadata"].as_str().unwrap();
            assert!(text.contains("0000000") || text.contains("[[[[[[["), "{text}");
            assert_eq!(row["uri"], "garden/bees.md");
        }
    }
}
