//! Reranking by a service: its requests, its failures, and which settings may name it.

use crate::embedding_service::{Reply, Request, Service};
use crate::{RunOutput, Sources, ingest_text, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const KEY: &str = "xyzzy-hunter2";

/// Returns a store of ten documents about valves. Only the service knows that document 7 answers best.
pub async fn valves() -> Cluster {
    numbered_valves(10).await
}

/// Returns a store of documents about valves, each with two chunks.
pub async fn numbered_valves(count: usize) -> Cluster {
    let cluster = text_cluster().await;
    let text = |number: usize| {
        format!(
            "# Valve {number}\n\nThe valve number {number} is in hall {number}.\n\n## Maintenance\n\nOil valve {number} every week.\n"
        )
    };
    let files: Vec<_> = (0..count).map(|number| (format!("{number}.md"), text(number))).collect();
    let sources = Sources::with(files.iter().map(|(name, text)| (&**name, text)));
    let run = ingest_text(&cluster, &["--max-size", "60", &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    cluster
}

/// Returns the texts of a rerank request.
pub fn documents(asked: &Request) -> Vec<&str> {
    asked.body["documents"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Answers with a score for each text, the best first, as services do.
pub fn reply(asked: &Request, score: impl Fn(&str) -> f64) -> Reply {
    let mut results: Vec<_> = documents(asked)
        .into_iter()
        .enumerate()
        .map(|(index, text)| json!({"index": index, "relevance_score": score(text)}))
        .collect();
    results.sort_by(|a, b| {
        b["relevance_score"].as_f64().unwrap().total_cmp(&a["relevance_score"].as_f64().unwrap())
    });
    Reply::Status(200, vec![], json!({"id": "1", "results": results, "meta": {}}).to_string())
}

/// Prefers the valves with the higher numbers up to 7.
pub fn score(text: &str) -> f64 {
    let number = text.split("alve ").nth(1).and_then(|rest| rest[..1].parse::<u32>().ok());
    number.map_or(0.0, |number| if number > 7 { -1.0 } else { f64::from(number) / 10.0 })
}

/// Searches with a service, and with a key for it.
async fn search(cluster: &Cluster, service: &Service, options: &[&str]) -> RunOutput {
    let mut program = cluster.client_program();
    program
        .env("PASSAGE_RERANK_KEY", KEY)
        .env("PASSAGE_API_KEY", "another key")
        .env("RUST_BACKTRACE", "1");
    program.args(["search", "--mode", "text", "--rerank-url", &service.url()]).args(options);
    RunOutput::of(program.arg("valve")).await
}

pub fn uris(run: &RunOutput) -> Vec<String> {
    let results: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
    let passages = results["passages"].as_array().unwrap();
    passages.iter().map(|passage| passage["uri"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_service_orders_the_passages() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let options =
        ["--json", "--chunks", "--limit", "3", "--rerank-model", "judge", "--strategy", "none"];
    let run = search(&cluster, &service, &options).await;
    assert_eq!(uris(&run), ["book/7.md", "book/6.md", "book/5.md"]);
    let results: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(results["passages"][0]["score"], 0.7);
    assert_eq!(
        (&results["chunks"][0]["score"], &results["chunks"][0]["rank"]),
        (&json!(0.7), &json!(1))
    );
    assert_eq!(results["chunks"].as_array().unwrap().len(), 3);
    assert_eq!(results["notes"], json!([]));
    assert!(results["timing"]["reranking_ms"].as_f64().is_some_and(|time| time > 0.0));

    let seen = service.seen();
    let [asked] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!(
        (&*asked.path, asked.authorization.as_deref()),
        ("/v1/rerank", Some(&*format!("Bearer {KEY}")))
    );
    let texts = documents(asked);
    assert_eq!(
        (&asked.body["model"], &asked.body["query"], &asked.body["top_n"]),
        (&json!("judge"), &json!("valve"), &json!(texts.len()))
    );
    assert_eq!(asked.body.as_object().unwrap().len(), 4);
    // All chunks are candidates, each with its title and sections.
    assert_eq!(texts.len(), 20);
    assert!(
        texts
            .iter()
            .any(|text| text.starts_with("Valve 7") && text.ends_with("Oil valve 7 every week.\n")),
        "{texts:?}"
    );

    let run = search(&cluster, &service, &["--limit", "1"]).await;
    assert!(run.stdout.contains("book/7.md:"), "{}", run.stdout);
    assert!(run.stdout.contains("ms (reranking "), "{}", run.stdout);
    assert_eq!(run.stderr, "");
    assert_eq!(service.seen()[1].body.as_object().unwrap().len(), 3, "a model is optional");
}

#[tokio::test]
async fn notes_of_the_search_stay_when_it_is_reranked() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let notes = async |options: &[&str]| {
        let mut program = cluster.client_program();
        program.args(["search", "--mode", "text", "--json", "mantenance"]).args(options);
        let run = RunOutput::of(&mut program).await;
        let results: Value = serde_json::from_str(&run.stdout).unwrap();
        results["notes"].clone()
    };
    let plain = notes(&[]).await;
    assert!(
        plain[0]["message"].as_str().is_some_and(|note| note.contains("maintenance")),
        "{plain}"
    );
    assert_eq!(notes(&["--rerank-url", &service.url()]).await, plain);
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn the_context_decides_what_the_model_reads() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let texts = async |context: &str| {
        let options =
            ["--json", "--limit", "2", "--strategy", "document", "--rerank-context", context];
        let run = search(&cluster, &service, &options).await;
        let asked = service.seen().pop().unwrap();
        let texts: Vec<_> = documents(&asked).into_iter().map(ToOwned::to_owned).collect();
        (uris(&run), texts)
    };
    let best = ["book/7.md", "book/6.md"];
    let (found, texts_of_hits) = texts("hit").await;
    assert_eq!((&found[..], texts_of_hits.len()), (&best.map(String::from)[..], 20));
    assert!(
        texts_of_hits.contains(&"## Maintenance\n\nOil valve 7 every week.\n".into()),
        "{texts_of_hits:?}"
    );
    let (found, texts_of_sections) = texts("section").await;
    assert_eq!((&found[..], texts_of_sections.len()), (&best.map(String::from)[..], 20));
    assert!(
        texts_of_sections.iter().all(|text| text.starts_with("Valve ")),
        "{texts_of_sections:?}"
    );
    let (found, passages) = texts("passage").await;
    assert_eq!((&found[..], passages.len()), (&best.map(String::from)[..], 10));
    let is_whole = |text: &String| text.contains("is in hall 7") && text.contains("Oil valve 7");
    assert!(passages.iter().any(is_whole), "{passages:?}");
}

#[tokio::test]
async fn limits_and_budgets_apply_to_reranked_passages() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    // Both chunks of a document share a passage, and still there are as many passages as asked for.
    let run =
        search(&cluster, &service, &["--json", "--limit", "4", "--strategy", "document"]).await;
    assert_eq!(uris(&run), ["book/7.md", "book/6.md", "book/5.md", "book/4.md"]);
    let run = search(
        &cluster,
        &service,
        &["--json", "--limit", "4", "--strategy", "document", "--order-by", "document"],
    )
    .await;
    assert_eq!(uris(&run).len(), 4);
    let run =
        search(&cluster, &service, &["--json", "--max-tokens", "40", "--strategy", "none"]).await;
    let results: Value = serde_json::from_str(&run.stdout).unwrap();
    let tokens: u64 = results["passages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|passage| passage["tokens"].as_u64().unwrap())
        .sum();
    assert!((10..=40).contains(&tokens), "{tokens}");
    let run = search(&cluster, &service, &["--json", "--rerank-candidates", "5"]).await;
    assert!(!uris(&run).is_empty());
    assert_eq!(documents(service.seen().last().unwrap()).len(), 5);
    // Chunks that the service leaves out are not in the results.
    let three = Service::start(|_, asked| {
        let results: Vec<_> = (0..documents(asked).len())
            .filter(|index| index % 7 == 0)
            .map(|index| json!({"index": index, "relevance_score": index}))
            .collect();
        Reply::Status(200, vec![], json!({ "results": results }).to_string())
    })
    .await;
    assert_eq!(uris(&search(&cluster, &three, &["--json", "--strategy", "none"]).await).len(), 3);
    // Without hits the client sends no request.
    let mut program = cluster.client_program();
    program.args(["search", "--mode", "text", "--rerank-url", &three.url(), "zebra"]);
    assert_eq!(RunOutput::of(&mut program).await.stdout, "nothing found\n");
    assert_eq!(three.seen().len(), 1);
}

#[tokio::test]
async fn a_failing_service_leaves_the_order_of_the_search_with_a_note() {
    let cluster = valves().await;
    let mut program = cluster.client_program();
    let plain = RunOutput::of(program.args(["search", "--mode", "text", "--json", "valve"])).await;
    let expected = uris(&plain);
    for (status, body, cause, remedy) in cases([
        (
            401,
            "{\"message\": \"xyzzy-hunter2\"}",
            "authentication failed (status 401)",
            "PASSAGE_RERANK_KEY",
        ),
        (404, "", "unknown address or model (status 404)", "--rerank-model"),
        (418, "", "request rejected (status 418)", "--rerank-candidates"),
        (302, "", "request rejected (status 302)", "Read the log"),
        (503, "", "status 503 (attempts: 2)", "again later"),
        (200, "<html>", "invalid response", "names a rerank service"),
        (200, "{\"results\": []}", "it has no results", "names a rerank service"),
        (
            200,
            "{\"results\": [{\"index\": 99, \"relevance_score\": 1}]}",
            "an index is repeated or out of range",
            "names a rerank service",
        ),
        (413, "", "too long", "names a rerank service"),
    ]) {
        let elsewhere = Service::good(8).await;
        let location = elsewhere.url();
        let service = Service::start(move |_, _| {
            Reply::Status(
                status,
                vec![("Location", location.clone()), ("Retry-After", "0".into())],
                body.into(),
            )
        })
        .await;
        let options = ["--rerank-retries", "1"];
        let run = search(&cluster, &service, &[&options[..], &["--json"]].concat()).await;
        assert_eq!((run.code, uris(&run)), (Some(0), expected.clone()), "{status}");
        let results: Value = serde_json::from_str(&run.stdout).unwrap();
        let note = &results["notes"][0];
        let message = note["message"].as_str().unwrap();
        assert!(message.starts_with("passages are in the order of the search, because reranking failed: rerank service at 127.0.0.1:"), "{message}");
        assert!(
            message.contains(cause) && note["hint"].as_str().unwrap().contains(remedy),
            "{status}: {note}"
        );
        let text = search(&cluster, &service, &options).await;
        assert!(
            text.stderr.starts_with("note: passages are in the order of the search"),
            "{}",
            text.stderr
        );
        assert!(!text.stderr.contains(KEY) && !run.stdout.contains(KEY), "{}", text.stderr);
        assert!(elsewhere.seen().is_empty(), "a redirect was followed");
    }
    // A service that does not answer in time, that breaks the connection, and that does not exist.
    for silent in [true, false] {
        let service =
            Service::start(move |_, _| if silent { Reply::Silence } else { Reply::Break }).await;
        let started = Instant::now();
        let run = search(
            &cluster,
            &service,
            &["--json", "--rerank-timeout", "1", "--rerank-retries", "0"],
        )
        .await;
        assert_eq!(uris(&run), expected);
        assert!(
            run.stdout.contains(if silent {
                "reranking failed: it took longer than 1 s"
            } else {
                "connection lost (attempts: 1)"
            }),
            "{}",
            run.stdout
        );
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
        assert_eq!(service.seen().len(), 1);
    }
    let mut program = cluster.client_program();
    program.args([
        "search",
        "--mode",
        "text",
        "--json",
        "--rerank-url",
        "http://127.0.0.1:1/v1",
        "--rerank-retries",
        "0",
        "valve",
    ]);
    let run = RunOutput::of(&mut program).await;
    assert_eq!((run.code, uris(&run)), (Some(0), expected));
}

#[tokio::test]
async fn a_busy_service_is_retried_and_long_texts_are_cut() {
    let cluster = valves().await;
    let service = Service::start(|number, asked| match number {
        0 => Reply::Status(429, vec![("Retry-After", "0".into())], String::new()),
        1 => Reply::Break,
        _ => reply(asked, score),
    })
    .await;
    let run = search(&cluster, &service, &["--json", "--limit", "1"]).await;
    assert_eq!((uris(&run), service.seen().len()), (vec!["book/7.md".to_owned()], 3));

    let sources = Sources::with([("long.md", "valve ".repeat(150))]);
    assert_eq!(ingest_text(&cluster, &["--store", "long", &sources.book()]).await.code, Some(1));
    cluster.execute("SELECT passage.create_store('long')").await;
    assert_eq!(ingest_text(&cluster, &["--store", "long", &sources.book()]).await.code, Some(0));
    let short = Service::start(|_, asked| {
        if documents(asked).iter().any(|text| text.len() > 300) {
            return Reply::Status(
                400,
                vec![],
                "{\"message\": \"maximum context length is 300\"}".into(),
            );
        }
        reply(asked, |_| 0.5)
    })
    .await;
    let run = search(&cluster, &short, &["--json", "--store", "long"]).await;
    assert_eq!(uris(&run), ["book/long.md"]);
    assert!(run.stdout.contains("\"notes\":[]") && short.seen().len() == 3, "{}", run.stdout);
}

#[tokio::test]
async fn a_found_file_cannot_name_a_rerank_service_and_keys_are_not_sent_in_plain_text() {
    let (cluster, service) = (valves().await, Service::start(|_, asked| reply(asked, score)).await);
    let folder = tempfile::tempdir().unwrap();
    let run = async |arguments: &[&str], key: &str, proxy: &str| {
        let mut program = cluster.client_program();
        program.current_dir(folder.path()).env("HOME", folder.path()).env_remove("XDG_CONFIG_HOME");
        program.env("PASSAGE_RERANK_KEY", key).env("http_proxy", proxy);
        RunOutput::of(program.args(["search", "--mode", "text", "valve"]).args(arguments)).await
    };
    for line in cases([
        format!("rerank-url = \"{}\"", service.url()),
        "rerank-model = \"m\"".into(),
        "rerank-provider = \"cohere\"".into(),
        "rerank-context = \"passage\"".into(),
        "rerank-candidates = 1000".into(),
    ]) {
        fs::write(folder.path().join("passage.toml"), format!("{line}\n")).unwrap();
        let refused = run(&[], KEY, "").await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        refused.assert_refusal("passage.toml, line 1: ", "--config passage.toml");
    }
    assert!(service.seen().is_empty());
    fs::write(
        folder.path().join("passage.toml"),
        format!("[search]\nrerank-url = \"{}\"\n", service.url()),
    )
    .unwrap();
    let proxy = Service::good(8).await;
    let named = run(&["--config", "passage.toml", "--limit", "1"], KEY, &proxy.url()).await;
    assert!(named.stdout.contains("book/7.md"), "{}{}", named.stdout, named.stderr);
    assert_eq!((service.seen().len(), proxy.seen().len()), (1, 0));
    fs::remove_file(folder.path().join("passage.toml")).unwrap();

    let refused = run(&["--rerank-url", "http://example.invalid/v1"], KEY, "").await;
    refused.assert_refusal(
        "rerank service at example.invalid: the API key would be sent over unencrypted HTTP",
        "Use https:// in --rerank-url",
    );
    let refused = run(&["--rerank-url", "ftp://example.invalid/"], "", "").await;
    refused
        .assert_refusal("the URL must begin with https:// or http://", "Set --rerank-url to a URL");
    // An empty address turns reranking off, and an address may end with the path of the request.
    assert_eq!(run(&["--rerank-url", ""], KEY, "").await.stderr, "");
    assert_eq!(
        run(&["--rerank-url", "http://127.0.0.1:1/", "--no-rerank"], "", "").await.stderr,
        ""
    );
    let whole = format!("{}/rerank", service.url());
    assert_eq!(run(&["--rerank-url", &whole], "", "").await.stderr, "");
    let last = service.seen().pop().unwrap();
    assert_eq!((&*last.path, last.authorization), ("/v1/rerank", None));
}
