//! The SQL edition: the commands of the client in a database without the extension, as a role without superuser.

use crate::{RunOutput, Sources};
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;

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
    let succeed = async |arguments: &[&str]| {
        let mut program = cluster.client_program();
        let run = RunOutput::of(program.env("DATABASE_URL", cluster.url()).args(arguments)).await;
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
        run.stdout
    };
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
