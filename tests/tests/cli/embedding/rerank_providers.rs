//! The providers of reranking: their requests and responses as their documentation describes them, and one error of each.

use super::rerank::{numbered_valves, score, uris};
use crate::RunOutput;
use crate::embedding_service::{Reply, Request, Service};
use passage_tests::Cluster;
use passage_tests::cases;
use serde_json::{Value, json};

const KEY: &str = "xyzzy-hunter2";

/// Searches with a provider at a service, and with a key for it.
async fn search(cluster: &Cluster, provider: &str, url: &str, options: &[&str]) -> RunOutput {
    let mut program = cluster.client_program();
    program.env("PASSAGE_RERANK_KEY", KEY).env("CO_API_KEY", "a key for another host");
    program.args(["search", "--mode", "text", "--json", "--strategy", "none", "--limit", "2"]);
    program.args(["--rerank-provider", provider, "--rerank-url", url, "--rerank-retries", "0"]);
    RunOutput::of(program.args(options).arg("valve")).await
}

/// Returns a field of a request as texts.
fn texts(request: &Request, field: &str) -> Vec<String> {
    let texts = request.body[field].as_array().unwrap_or_else(|| panic!("{}", request.body));
    texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Returns the results for texts, best first.
fn results(texts: &[String], name: &str) -> Vec<Value> {
    let result = |(index, text): (usize, &String)| json!({ "index": index, name: score(text) });
    let mut results: Vec<_> = texts.iter().enumerate().map(result).collect();
    results.sort_by(|a, b| b[name].as_f64().unwrap().total_cmp(&a[name].as_f64().unwrap()));
    results
}

/// Returns the field with the texts, the other fields of a request for a number of texts, and the response to it.
fn form(provider: &str, request: &Request) -> (&'static str, Value, Value) {
    let field = if provider == "tei" { "texts" } else { "documents" };
    let texts = texts(request, field);
    let ranked = |name| results(&texts, name);
    let count = texts.len();
    let (others, response) = match provider {
        "cohere" => (
            json!({"model": "judge", "query": "valve", "top_n": count}),
            json!({"id": "07734bd2", "results": ranked("relevance_score"), "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}}),
        ),
        "voyage" => (
            json!({"model": "judge", "query": "valve", "top_k": count}),
            json!({"object": "list", "data": ranked("relevance_score"), "model": "judge", "usage": {"total_tokens": 26}}),
        ),
        "jina" => (
            json!({"model": "judge", "query": "valve", "top_n": count}),
            json!({"model": "judge", "usage": {"total_tokens": 26}, "results": ranked("relevance_score")}),
        ),
        _ => (json!({"query": "valve", "truncate": true}), json!(ranked("score"))),
    };
    (field, others, response)
}

#[tokio::test]
async fn requests_have_the_form_of_the_provider() {
    let cluster = numbered_valves(20).await;
    for (provider, base, path, counts) in cases([
        ("cohere", "/v2", "/v2/rerank", &[40][..]),
        ("voyage", "/v1", "/v1/rerank", &[40]),
        ("jina", "/v1", "/v1/rerank", &[40]),
        // Its server takes 32 texts by default.
        ("tei", "", "/rerank", &[32, 8]),
        ("jina", "/v1?api-version=1", "/v1/rerank?api-version=1", &[40]),
    ]) {
        let service = Service::start(move |_, request| {
            let (_, _, response) = form(provider, request);
            Reply::Status(200, vec![], response.to_string())
        })
        .await;
        let url = service.url().replace("/v1", base);
        let run = search(&cluster, provider, &url, &["--rerank-model", "judge"]).await;
        assert_eq!(uris(&run), ["book/7.md", "book/6.md"], "{provider}: {}", run.stdout);
        let seen = service.seen();
        let count = |request: &Request| texts(request, form(provider, request).0).len();
        assert_eq!(seen.iter().map(count).collect::<Vec<_>>(), counts, "{provider}");
        for request in &seen {
            let key = format!("Bearer {KEY}");
            assert_eq!((&*request.path, request.authorization.as_deref()), (path, Some(&*key)));
            let (field, expected, _) = form(provider, request);
            let mut others = request.body.clone();
            others.as_object_mut().unwrap().remove(field);
            assert_eq!(others, expected, "{provider}");
        }
    }
}

#[tokio::test]
async fn an_error_of_a_provider_leaves_the_order_of_the_search() {
    let cluster = numbered_valves(3).await;
    let secret = format!("{KEY}: Valve 1 is in hall");
    for (provider, status, body, cause) in cases([
        (
            "cohere",
            401,
            json!({"id": "1", "message": secret}),
            "authentication failed (status 401)",
        ),
        ("voyage", 400, json!({"detail": secret}), "request rejected (status 400)"),
        (
            "jina",
            422,
            json!({"detail": [{"loc": ["body", "query"], "msg": secret, "type": "value_error"}]}),
            "request rejected (status 422)",
        ),
        (
            "tei",
            424,
            json!({"error": secret, "error_type": "Backend"}),
            "request rejected (status 424)",
        ),
        (
            "tei",
            429,
            json!({"error": "Model is overloaded", "error_type": "Overloaded"}),
            "status 429 (attempts: 1)",
        ),
    ]) {
        let reply = body.to_string();
        let service =
            Service::start(move |_, _| Reply::Status(status, vec![], reply.clone())).await;
        let run = search(&cluster, provider, &service.url(), &["--rerank-model", "judge"]).await;
        assert_eq!((run.code, uris(&run).len()), (Some(0), 2), "{}", run.stderr);
        let results: Value = serde_json::from_str(&run.stdout).unwrap();
        let notes = results["notes"].to_string();
        assert!(notes.contains(cause), "{provider}: {notes}");
        assert!(!notes.contains(KEY) && !notes.contains("in hall"), "{notes}");
        assert!(!run.stderr.contains(KEY), "{}", run.stderr);
    }
}

#[tokio::test]
async fn a_server_that_takes_fewer_texts_gets_smaller_requests() {
    let cluster = numbered_valves(10).await;
    let service = Service::start(|_, request| {
        let (_, _, response) = form("tei", request);
        let count = texts(request, "texts").len();
        if count > 8 {
            let error = format!("batch size {count} > maximum allowed batch size 8");
            let body = json!({"error": error, "error_type": "Validation"});
            return Reply::Status(422, vec![], body.to_string());
        }
        Reply::Status(200, vec![], response.to_string())
    })
    .await;
    let run = search(&cluster, "tei", &service.url(), &[]).await;
    assert_eq!(uris(&run), ["book/7.md", "book/6.md"], "{}", run.stdout);
    let count = |request: &Request| texts(request, "texts").len();
    assert_eq!(service.seen().iter().map(count).collect::<Vec<_>>(), [20, 10, 5, 5, 5, 5]);
}

#[tokio::test]
async fn the_key_of_a_vendor_is_only_for_its_own_address() {
    let cluster = numbered_valves(3).await;
    let service = Service::start(|_, request| {
        Reply::Status(200, vec![], form("cohere", request).2.to_string())
    })
    .await;
    let mut program = cluster.client_program();
    program.env("CO_API_KEY", KEY).args([
        "search",
        "--mode",
        "text",
        "--rerank-provider",
        "cohere",
    ]);
    program.args(["--rerank-url", &service.url(), "--rerank-model", "judge", "valve"]);
    let run = RunOutput::of(&mut program).await;
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    assert_eq!(service.seen()[0].authorization, None);
}

#[tokio::test]
async fn a_provider_without_its_model_or_address_is_a_usage_error() {
    let cluster = numbered_valves(1).await;
    for (options, cause, remedy) in cases([
        (
            &["--rerank-provider", "cohere"][..],
            "--rerank-provider cohere requires --rerank-model",
            "rerank-v3.5",
        ),
        (
            &["--rerank-provider", "tei"],
            "--rerank-provider tei requires --rerank-url",
            "http://localhost:8080",
        ),
    ]) {
        let mut program = cluster.client_program();
        program.args(["search", "--mode", "text", "valve"]).args(options);
        RunOutput::of(&mut program).await.assert_refusal(cause, remedy);
    }
}
