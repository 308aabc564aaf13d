//! The SQL edition: the commands of the client in a database without the extension, as a role without superuser.

use super::succeed;
use crate::Sources;
use crate::mcp_tool::call_tool;
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use passage_tests::http_server::HttpServer;
use serde_json::{Value, from_str, json};

/// Functions of the edition's schemas that are in a library.
const IN_LIBRARY: &str = "SELECT count(*) FROM pg_proc JOIN pg_language ON pg_language.oid = prolang \
    JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE lanname = 'c' AND nspname IN ('passage', '_passage')";

#[tokio::test]
async fn each_command_works_without_the_extension() {
    let cluster = Cluster::bare().await;
    let sources = Sources::with([
        (
            "guide.md",
            "# Guide\n\n## Quorum\n\nA quorum needs three nodes.\n\n## Logs\n\nLogs rotate at night.\n",
        ),
        (
            "main.py",
            "import os\n\n\ndef rotate(path):\n    \"\"\"Rotates the logs.\"\"\"\n    os.rename(path, path + '.1')\n",
        ),
        ("setup.json", "{\"nodes\": [{\"name\": \"a\", \"quorum\": true}, {\"name\": \"b\"}]}\n"),
    ]);
    let book = sources.book();
    let succeed = async |arguments: &[&str]| succeed(&cluster, arguments).await;
    succeed(&["init", "--edition", "sql", "--no-embed"]).await;
    assert_eq!(cluster.query_text(IN_LIBRARY).await, "0");
    assert_eq!(
        cluster.query_text("SELECT count(*) FROM pg_extension WHERE extname = 'pg_passage'").await,
        "0"
    );
    // A second run finds the edition.
    succeed(&["init", "--no-embed"]).await;

    let loaded = succeed(&["ingest", "--no-embed", &book]).await;
    assert!(loaded.starts_with("3 documents added"), "{loaded}");
    let found = succeed(&["search", "how many nodes does a quorum need"]).await;
    assert!(found.contains("A quorum needs three nodes."), "{found}");
    assert!(found.contains("guide.md"), "{found}");
    let outline = succeed(&["outline", "book/guide.md"]).await;
    assert!(outline.contains("Quorum"), "{outline}");
    let again = succeed(&["ingest", "--no-embed", &book]).await;
    assert!(again.contains("3 unchanged"), "{again}");
    succeed(&["status"]).await;
    let health = succeed(&["doctor", "--no-embed"]).await;
    assert!(health.contains("SQL edition"), "{health}");
    let exported = succeed(&["export", "--jsonl", "documents"]).await;
    assert_eq!(exported.matches("\"uri\":\"book/main.py\"").count(), 1, "{exported}");
    succeed(&["reindex", "--no-embed"]).await;
    let found = succeed(&["search", "rotate logs"]).await;
    assert!(found.contains("main.py"), "{found}");

    if cluster.lacks_vector("the SQL edition with embeddings") {
        return;
    }
    cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
    succeed(&["init", "--store", "vectors"]).await;
    succeed(&["ingest", "--store", "vectors", &book]).await;
    // No chunk has a word of the question.
    let found = succeed(&["search", "--store", "vectors", "majority of machines"]).await;
    assert!(found.contains("A quorum needs three nodes."), "{found}");
}

#[tokio::test]
async fn status_http_and_agents_name_the_edition_and_what_it_lacks() {
    let cluster = Cluster::bare().await;
    succeed(&cluster, &["init", "--edition", "sql", "--no-embed"]).await;
    let status: Value = from_str(&succeed(&cluster, &["status", "--json"]).await).unwrap();
    let lacks = status["lacks"].clone();
    assert_eq!((&status["edition"], &status["extension"]), (&json!("sql"), &json!("0.2.0")));
    assert!(lacks.as_array().unwrap().contains(&json!("passage.adopt")), "{lacks}");
    let called = call(&cluster, "list_collections").await;
    assert_eq!(called["lacks"], lacks);
    let described = described(&cluster).await;
    assert_eq!((&described["edition"], &described["lacks"]), (&json!("sql"), &lacks));

    succeed(&cluster, &["init", "--edition", "native", "--no-embed"]).await;
    let status: Value = from_str(&succeed(&cluster, &["status", "--json"]).await).unwrap();
    assert_eq!((&status["edition"], &status["lacks"]), (&json!("native"), &Value::Null));
    assert_eq!(call(&cluster, "list_collections").await["lacks"], Value::Null);
    let described = self::described(&cluster).await;
    assert_eq!((&described["edition"], &described["lacks"]), (&json!("native"), &json!([])));
}

/// Calls a tool for agents.
async fn call(cluster: &Cluster, tool: &str) -> Value {
    let mut program = cluster.client_program();
    program.args(["mcp", "--no-embed"]);
    call_tool(program, tool, json!({})).await
}

/// Returns the description of the store that a server over HTTP gives.
async fn described(cluster: &Cluster) -> Value {
    let server = HttpServer::start(cluster.client_program(), &["--no-embed"]).await;
    let (status, described) = server.request("/store", None).await;
    assert_eq!(status, 200, "{described}");
    server.stop().await;
    described
}
