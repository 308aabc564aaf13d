//! `passage serve` while the database server restarts, through a pooler, and after its callers disconnect.

use crate::text_cluster;
use futures_util::future::join_all;
use passage_tests::cases;
use passage_tests::cluster::OWNER;
use passage_tests::http_server::{HttpServer, request};
use passage_tests::wait::until;
use passage_tests::{Cluster, fixture};
use serde_json::{Value, json};

/// Returns a search by words.
fn search() -> Value {
    json!({"query": "collector signal", "ranking": {"mode": "text"}, "max_passages": 2})
}

/// Returns the uris of the rows of an answer.
fn uris((status, answer): (u16, Value)) -> Vec<String> {
    assert_eq!(status, 200, "{answer}");
    let rows = answer["results"].as_array().expect("it has rows");
    rows.iter().map(|row| row["uri"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn requests_succeed_again_after_the_database_server_restarts() {
    let mut cluster = text_cluster().await;
    cluster.passage(["ingest", "--quiet", "--no-embed", fixture!("handbook")]).await;
    let server = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    let before = uris(server.request("/search", Some(&search())).await);
    assert!(before[0].ends_with("logging.md"), "{before:?}");

    cluster.stop();
    let (status, answer) = server.request("/search", Some(&search())).await;
    assert_eq!(status, 503, "{answer}");
    assert_eq!(server.request("/ready", None).await, (503, json!({"status": "not ready"})));
    assert_eq!(server.request("/health", None).await, (200, json!({"status": "ok"})));

    cluster.start_again().await;
    assert_eq!(uris(server.request("/search", Some(&search())).await), before);
    // The last check counts for a second.
    until("the server is ready", async || server.request("/ready", None).await.0 == 200).await;
    server.stop().await;
}

#[tokio::test]
async fn a_server_starts_before_its_database() {
    let cluster = Cluster::bare().await;
    let server = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    let (status, answer) = server.request("/search", Some(&search())).await;
    assert_eq!(status, 500, "{answer}");
    assert_eq!(server.request("/ready", None).await.0, 503);
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    cluster.passage(["init", "--no-embed"]).await;
    cluster.passage(["ingest", "--quiet", "--no-embed", fixture!("handbook")]).await;
    assert!(!uris(server.request("/search", Some(&search())).await).is_empty());
    server.stop().await;
}

#[tokio::test]
async fn clients_share_the_connections_of_a_transaction_pooler() {
    let cluster = text_cluster().await;
    let settings = "pool_mode = transaction\ndefault_pool_size = 2";
    let Some(pooler) = cluster.pooler("passage serve through a pooler", settings).await else {
        return;
    };
    cluster.passage(["ingest", "--quiet", "--no-embed", fixture!("handbook")]).await;
    let mut client = cluster.client_program();
    client.env("DATABASE_URL", pooler.url_as(OWNER));
    let server = HttpServer::start(client, &["--no-embed"]).await;
    let expected = uris(server.request("/search", Some(&search())).await);
    let searches = (0..8).map(|_| async {
        for _ in 0..10 {
            assert_eq!(uris(server.request("/search", Some(&search())).await), expected);
        }
    });
    join_all(searches).await;
    server.stop().await;
}

#[tokio::test]
async fn a_server_of_a_store_that_does_not_exist_names_the_remedy() {
    let cluster = text_cluster().await;
    let server =
        HttpServer::start(cluster.client_program(), &["--no-embed", "--store", "none"]).await;
    let (status, answer) = server.request("/search", Some(&search())).await;
    assert_eq!(status, 500, "{answer}");
    let error = &answer["error"];
    assert!(error["message"].as_str().unwrap().contains("\"none\""), "{error}");
    assert!(!error["hint"].as_str().unwrap().is_empty(), "{error}");
    server.stop().await;
}

#[tokio::test]
async fn a_caller_that_has_sent_another_request_and_disconnects_cancels_its_statement() {
    let cluster = text_cluster().await;
    cluster.passage(["ingest", "--quiet", "--no-embed", fixture!("handbook")]).await;
    let server =
        HttpServer::start(cluster.client_program(), &["--no-embed", "--timeout", "600"]).await;
    let mut lock = cluster.client().await;
    let waiting = async |count: &str| {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        let has = async || cluster.query_text(sql).await == count;
        until(&format!("{count} statements wait"), has).await;
    };
    let search = request("/search", Some(&search()));
    // Nothing, a request, one that is not complete, several, and more than the server reads ahead.
    let incomplete = search[..search.len() - 10].to_owned();
    for sent in
        cases([String::new(), search.clone(), incomplete, search.repeat(3), search.repeat(2_000)])
    {
        let lock = lock.transaction().await.unwrap();
        lock.batch_execute("LOCK TABLE rag.chunks").await.unwrap();
        let mut connection = server.connect().await;
        connection.send(&search).await;
        waiting("1").await;
        connection.send(&sent).await;
        // The server has read what it reads ahead.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        drop(connection);
        waiting("0").await;
        lock.rollback().await.unwrap();
    }
    // Requests on one connection are answered in their order, whether or not the caller waits.
    let mut connection = server.connect().await;
    connection.send(&search).await;
    for _ in 0..3 {
        let (status, text) = connection.request("/search", Some(&self::search())).await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&text));
    }
    server.stop().await;
}

#[tokio::test]
async fn an_answer_without_results_has_notes() {
    let cluster = text_cluster().await;
    let ingest = ["ingest", "--quiet", "--no-embed", "--collection", "guide", fixture!("handbook")];
    cluster.passage(ingest).await;
    let server = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    for path in ["/search", "/search_hits", "/fragments"] {
        let body = json!({"query": "collector", "filter": {"collection": ["giude"]}});
        let (status, answer) = server.request(path, Some(&body)).await;
        assert_eq!((status, &answer["results"]), (200, &json!([])), "{answer}");
        let notes = answer["notes"].to_string();
        assert!(notes.contains("giude") && notes.contains("Perhaps you mean"), "{path}: {notes}");
        let body =
            json!({"query": "collector", "filter": {"collection": ["guide"], "version": "latest"}});
        assert!(!uris(server.request(path, Some(&body)).await).is_empty(), "{path}");
    }
    server.stop().await;
}
