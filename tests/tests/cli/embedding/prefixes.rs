//! Prefixes of questions and documents: they are recorded, every later command uses them, and no stored text has them.

use super::embed::{run, with};
use crate::RunOutput;
use crate::embedding_service::{Request, Service};
use crate::mcp_tool::call_tool;
use passage_tests::Cluster;
use passage_tests::fixture;
use passage_tests::http_server::HttpServer;
use serde_json::json;

const RECORDED: &str = "SELECT value FROM rag.settings WHERE key = 'prefixes'";

/// A store with embeddings of the garden whose chunks were embedded after `passage: `, and its service.
async fn garden(what: &str) -> Option<(Cluster, Service)> {
    let cluster = Cluster::bare().await;
    if cluster.lacks_vector(what) {
        return None;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let service = Service::good(64).await;
    let prefixes = ["--query-prefix", "query: ", "--document-prefix", "passage: "];
    let init = run(&cluster, &service, &[&["init"][..], &prefixes].concat()).await;
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    let ingest = run(&cluster, &service, &["ingest", fixture!("client/garden")]).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    Some((cluster, service))
}

#[tokio::test]
async fn chunks_and_questions_get_the_prefixes_that_the_store_records() {
    let Some((cluster, service)) = garden("prefixes are recorded and used").await else { return };
    assert_eq!(
        cluster.query_text(RECORDED).await,
        r#"{"query": "query: ", "document": "passage: "}"#
    );
    let texts = service.texts();
    assert!(!texts.is_empty() && texts.iter().all(|text| text.starts_with("passage: ")));
    let stored = "SELECT count(*) FROM rag.chunks WHERE content LIKE 'passage: %' OR preamble LIKE '%passage: %'";
    assert_eq!(cluster.query_text(stored).await, "0");

    let question = "Varroa mites in the brood";
    for command in
        [&["search", question][..], &["fragments", question], &["embed", "--query", question]]
    {
        let run = run(&cluster, &service, command).await;
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{command:?}");
        let last = service.seen().last().unwrap().texts();
        assert_eq!(last, ["query: Varroa mites in the brood"], "{command:?}");
    }

    // A run without embeddings leaves a document that was embedded with a prefix.
    let again = run(&cluster, &service, &["ingest", "--no-embed", fixture!("client/garden")]).await;
    assert!(
        again.stdout.contains("unchanged") && !again.stdout.contains("replaced"),
        "{}",
        again.stdout
    );
    cluster.execute("DELETE FROM rag.embeddings").await;
    let asked = service.seen().len();
    run(&cluster, &service, &["embed"]).await;
    let texts: Vec<_> =
        service.seen()[asked..].iter().filter(|asked| !asked.is_first()).cloned().collect();
    assert!(!texts.is_empty());
    assert!(texts.iter().flat_map(Request::texts).all(|text| text.starts_with("passage: ")));
}

#[tokio::test]
async fn servers_embed_with_the_prefix_of_the_kind() {
    let Some((cluster, service)) = garden("servers embed with prefixes").await else { return };
    let server = HttpServer::start(with(&cluster, &service, &[]), &[]).await;
    let last = || service.seen().last().unwrap().texts();
    let body = json!({"query": "brood", "ranking": {"mode": "vector"}});
    assert_eq!(server.request("/search", Some(&body)).await.0, 200);
    assert_eq!(last(), ["query: brood"]);
    for (input_type, expected) in
        [(None, "query: x"), (Some("query"), "query: x"), (Some("document"), "passage: x")]
    {
        let body = json!({"input": "x", "input_type": input_type});
        let (status, answer) = server.request("/v1/embeddings", Some(&body)).await;
        assert_eq!((status, answer["data"][0]["embedding"].as_array().unwrap().len()), (200, 64));
        assert_eq!(last(), [expected]);
    }
    let body = json!({"input": "x", "input_type": "passage"});
    let (status, answer) = server.request("/v1/embeddings", Some(&body)).await;
    assert_eq!((status, &answer["error"]["hint"]), (400, &json!("Use query or document.")));

    let tool = with(&cluster, &service, &["mcp"]);
    let found = call_tool(tool, "search", json!({"query": "brood", "limit": 1})).await;
    assert_eq!(found["passages"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(last(), ["query: brood"]);

    // Another record counts from the next request on.
    cluster
        .execute("UPDATE rag.settings SET value = '{\"query\": \"q \", \"document\": \"\"}' WHERE key = 'prefixes'")
        .await;
    server.request("/v1/embeddings", Some(&json!({"input": "y"}))).await;
    assert_eq!(last(), ["q y"]);
    cluster.execute("UPDATE rag.settings SET value = '\"q \"' WHERE key = 'prefixes'").await;
    let (status, answer) = server.request("/v1/embeddings", Some(&json!({"input": "y"}))).await;
    assert_eq!(status, 409, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("\"prefixes\""), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn other_prefixes_are_refused_until_a_reindex() {
    let Some((cluster, service)) = garden("other prefixes are refused").await else { return };
    let other = ["--document-prefix", "text: "];
    for command in [
        &["ingest", fixture!("client/garden")][..],
        &["embed"],
        &["search", "a"],
        &["fragments", "a"],
    ] {
        let run = run(&cluster, &service, &[command, &other].concat()).await;
        run.assert_refusal("holds embeddings with the prefixes", "passage reindex");
    }
    let doctor = run(&cluster, &service, &[&["doctor"][..], &other].concat()).await;
    assert!(doctor.stdout.contains("holds embeddings with the prefixes"), "{}", doctor.stdout);

    let chunks = cluster.query_text("SELECT count(*) FROM rag.chunks").await;
    let asked = service.seen().len();
    let reindex =
        run(&cluster, &service, &[&["reindex", "--drop-former"][..], &other].concat()).await;
    assert_eq!(reindex.code, Some(0), "{}", reindex.stderr);
    assert_eq!(cluster.query_text(RECORDED).await, r#"{"query": "query: ", "document": "text: "}"#);
    let texts: Vec<String> = service.seen()[asked..]
        .iter()
        .filter(|asked| !asked.is_first())
        .flat_map(Request::texts)
        .collect();
    assert_eq!(texts.len().to_string(), chunks, "each chunk is embedded again");
    assert!(texts.iter().all(|text| text.starts_with("text: ")), "{texts:?}");
}

#[tokio::test]
async fn a_prefix_of_a_document_counts_within_the_length_of_the_model() {
    let cluster = Cluster::bare().await;
    if crate::lacks_embedding(&cluster, "a prefix counts within the length of the model") {
        return;
    }
    cluster.execute_as("postgres", "CREATE EXTENSION vector").await;
    let prefix = "word ".repeat(100);
    let run = |arguments: &[&str]| {
        let mut program = cluster.client_program();
        program.args(arguments).env("PASSAGE_DOCUMENT_PREFIX", &prefix);
        async move { RunOutput::of(&mut program).await }
    };
    let init = run(&["init"]).await;
    assert_eq!(init.code, Some(0), "{}", init.stderr);
    // The default model reads 254 wordpieces besides the special ones.
    let window = "SELECT value ->> 'max_with_preamble' FROM rag.settings WHERE key = 'chunk_sizes'";
    assert_eq!(cluster.query_text(window).await, "154");
    let ingest = run(&["ingest", fixture!("client/garden")]).await;
    assert_eq!(ingest.code, Some(0), "{}", ingest.stderr);
    let longest = "SELECT max(tokens) <= 154 FROM rag.chunks";
    assert_eq!(cluster.query_text(longest).await, "t");
}
