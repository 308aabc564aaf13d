//! Reranking in `passage serve` and `passage mcp`.

use super::rerank::{reply, score, valves};
use crate::embedding_service::{Reply, Service};
use crate::mcp_tool::call_tool;
use passage_tests::Cluster;
use passage_tests::http_server::HttpServer;
use serde_json::{Value, json};

/// Starts `passage serve` with a rerank service.
async fn serve(cluster: &Cluster, service: &Service) -> HttpServer {
    let options = ["--no-embed", "--rerank-url", &service.url(), "--rerank-timeout", "1"];
    let options = [&options[..], &["--rerank-retries", "0"]].concat();
    HttpServer::start(cluster.client_program(), &options).await
}

fn uris(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    results.iter().map(|row| row["uri"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn post_search_is_reranked_unless_the_request_turns_it_off() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let server = serve(&cluster, &service).await;
    let search = async |changes: Value| {
        let mut body = json!({"query": "valve", "max_passages": 3, "strategy": "none"});
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        server.request("/search", Some(&body)).await
    };
    let (status, reranked) = search(json!({})).await;
    assert_eq!(
        (status, &reranked["reranked"], &reranked["notes"]),
        (200, &json!(true), &json!([]))
    );
    assert_eq!(uris(&reranked), ["book/7.md", "book/6.md", "book/5.md"]);
    assert_eq!(search(json!({"rerank": true})).await.1, reranked);

    let (_, plain) = search(json!({"rerank": false})).await;
    assert_eq!((&plain["reranked"], service.seen().len()), (&json!(false), 2));
    assert_ne!(uris(&plain), uris(&reranked));
    // The other arguments hold for reranked passages too.
    let (_, explained) = search(json!({"output": {"explain": true}, "max_passages": 1})).await;
    assert!(explained["results"][0]["explanation"].is_array(), "{explained}");
    let shown: Vec<_> = reranked["results"][0]["chunk_ids"].as_array().unwrap().clone();
    let (_, others) = search(json!({"skip": shown})).await;
    assert!(!others.to_string().contains(shown[0].as_str().unwrap()), "{others}");

    for (changes, cause) in [
        (json!({"rerank": "no"}), "argument \"rerank\" must be true or false"),
        (json!({"wrong": 1}), "unknown argument \"wrong\" of search"),
        (json!({"query": " ", "rerank": true}), "\"rerank\" needs a query"),
    ] {
        let (status, answer) = search(changes).await;
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(status == 400 && message.contains(cause), "{status}: {message}");
    }
    let (status, answer) =
        server.request("/search_hits", Some(&json!({"query": "valve", "rerank": false}))).await;
    assert_eq!(status, 400, "{answer}");

    let (_, openapi) = server.request("/openapi.json", None).await;
    let operation = &openapi["paths"]["/search"]["post"];
    let schema = |part: &Value| part["content"]["application/json"]["schema"]["properties"].clone();
    assert!(schema(&operation["requestBody"])["rerank"]["type"].is_array(), "{operation}");
    assert_eq!(schema(&operation["responses"]["200"])["reranked"]["type"], "boolean");
    assert_eq!(server.request("/store", None).await.1["reranks"], true);
}

#[tokio::test]
async fn a_failing_reranker_leaves_the_order_and_callers_do_not_learn_its_host() {
    let cluster = valves().await;
    let body = json!({"query": "valve", "max_passages": 3, "strategy": "none"});
    let server = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    let (_, plain) = server.request("/search", Some(&body)).await;
    assert_eq!(
        (&plain["reranked"], server.request("/store", None).await.1["reranks"].as_bool()),
        (&json!(false), Some(false))
    );
    let mut wish = body.clone();
    wish["rerank"] = true.into();
    let (status, answer) = server.request("/search", Some(&wish)).await;
    assert!(
        status == 400 && answer["error"]["hint"].as_str().unwrap().contains("--rerank-model"),
        "{answer}"
    );

    for silent in [false, true] {
        let service = Service::start(move |_, _| {
            if silent { Reply::Silence } else { Reply::Status(500, vec![], "valve".into()) }
        })
        .await;
        let server = serve(&cluster, &service).await;
        let (status, answer) = server.request("/search", Some(&body)).await;
        assert_eq!((status, &answer["reranked"]), (200, &json!(false)));
        assert_eq!(answer["results"], plain["results"]);
        let note = answer["notes"][0]["message"].as_str().unwrap();
        let cause = if silent { "it took longer than 1 s" } else { "the server prints the cause" };
        let expected =
            format!("passages are in the order of the search, because reranking failed: {cause}");
        assert_eq!(note, expected);
    }
}

#[tokio::test]
async fn the_tool_search_is_reranked() {
    let cluster = valves().await;
    let service = Service::start(|_, asked| reply(asked, score)).await;
    let mut program = cluster.client_program();
    program.args(["mcp", "--no-embed", "--rerank-url", &service.url()]);
    let arguments = json!({"query": "valve", "limit": 2, "strategy": "none"});
    let found = call_tool(program, "search", arguments).await;
    assert_eq!(found["reranked"], true, "{found}");
    assert_eq!(found["passages"][0]["uri"], "book/7.md");
}
