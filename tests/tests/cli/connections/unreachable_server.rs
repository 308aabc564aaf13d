//! Unreachable servers, and servers without the extension or the store: refusals with their remedy.

use crate::{
    RunOutput, SECRET, Sources, ingest_text, lacks_embedding, next_transaction, run_client,
    text_cluster,
};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;

/// Ingests text without embeddings into the server of a URL.
async fn ingest_at(cluster: &Cluster, url: &str, book: &str) -> RunOutput {
    let mut program = cluster.client_program();
    program.env("RUST_BACKTRACE", "1").env("DATABASE_URL", url);
    RunOutput::of(program.args(["ingest", "--no-embed", book])).await
}

#[tokio::test]
async fn an_unreachable_server_is_reported_without_the_password() {
    let mut cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    let book = sources.book();
    let folder = cluster.folder().display().to_string();
    for (url, message, remedy) in cases([
        (format!("postgresql://owner:{SECRET}@127.0.0.1:1/passage"), "Connection refused", "runs"),
        (
            format!("postgresql://owner:{SECRET}@[::/passage"),
            "invalid connection options",
            "postgresql://",
        ),
        (format!("password={SECRET} colour=red"), "invalid connection options", "Set DATABASE_URL"),
        ("postgresql:///passage?host=/nowhere".into(), "cannot connect", "Check that the server"),
        (
            format!("postgresql:///none?host={folder}&user=owner"),
            "\"none\" does not",
            "name another",
        ),
        (
            format!("postgresql:///passage?host={folder}&user=eve"),
            "\"eve\" does not",
            "Check the user",
        ),
    ]) {
        ingest_at(&cluster, &url, &book).await.assert_refusal(message, remedy);
    }
    let url = cluster.url();
    cluster.stop();
    ingest_at(&cluster, &url, &book)
        .await
        .assert_refusal("cannot connect", "Check that the server runs");
}

#[tokio::test]
async fn without_extension_or_store_the_refusal_names_init() {
    let cluster = Cluster::bare().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    let book = sources.book();
    for command in cases([&["ingest", "--no-embed", &book][..], &["outline", "a"], &["status"]]) {
        let run = run_client(&cluster, command).await;
        run.assert_refusal("pg_passage is not installed in the database", "Run passage init");
    }
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    for command in cases([&["ingest", "--no-embed", &book][..], &["outline", "a"], &["status"]]) {
        let run = run_client(&cluster, command).await;
        run.assert_refusal(
            "store \"rag\" does not exist",
            "passage init --store rag to create the store",
        );
    }
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'rag'";
    assert_eq!(cluster.query_text(schemas).await, "0");
}

#[tokio::test]
async fn init_without_privileges_names_the_role_to_ask_and_creates_nothing() {
    let cluster = Cluster::bare().await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE guest LOGIN").await;
    let init = ["init", "--no-embed"];
    let mut program = cluster.client_program();
    let run = RunOutput::of(program.env("DATABASE_URL", cluster.url_as("guest")).args(init)).await;
    run.assert_refusal(
        "permission denied to create extension",
        "Ask the owner of the database to run",
    );
    cluster.execute("CREATE EXTENSION pg_passage CASCADE").await;
    let mut program = cluster.client_program();
    let run = RunOutput::of(program.env("DATABASE_URL", cluster.url_as("guest")).args(init)).await;
    run.assert_refusal(
        "role \"guest\" may not create schema \"rag\"",
        "As the owner of the database, run GRANT CREATE ON DATABASE passage TO guest",
    );
    assert!(cluster.query_lines("SELECT store FROM passage.stores()").await.is_empty());
}

#[tokio::test]
async fn ingest_without_privileges_on_the_store_writes_nothing() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", format!("# A\n\n{SECRET}\n")), ("b.md", "# B\n".into())]);
    let book = sources.book();
    cluster.execute_as(SUPERUSER, "CREATE ROLE guest LOGIN").await;
    let url = cluster.url_as("guest");
    let ask = "As the owner of the store, run passage doctor --store rag --as";
    ingest_at(&cluster, &url, &book).await.assert_refusal("permission denied for schema rag", ask);

    cluster.execute("GRANT USAGE ON SCHEMA rag TO guest").await;
    cluster.execute("GRANT SELECT ON ALL TABLES IN SCHEMA rag TO guest").await;
    ingest_at(&cluster, &url, &book)
        .await
        .assert_refusal("permission denied for table settings", ask);

    // After the owner has ingested once, a run does not write the settings.
    sources.write("b.md", "# B\n\nFirst.\n");
    ingest_text(&cluster, &[&format!("{book}/b.md"), "--uri", "book/b.md"]).await;
    let next = next_transaction(&cluster).await;
    let refused = r#"role "guest" may not ingest documents into store "rag""#;
    ingest_at(&cluster, &url, &book)
        .await
        .assert_refusal(refused, "GRANT INSERT, UPDATE ON rag.documents TO guest;");
    assert_eq!(next_transaction(&cluster).await, next, "the refused run wrote nothing");

    cluster.execute("GRANT INSERT, UPDATE ON rag.documents TO guest").await;
    ingest_at(&cluster, &url, &book)
        .await
        .assert_refusal(refused, "run GRANT INSERT, UPDATE, DELETE ON rag.chunks TO guest;");
    let rows = "SELECT uri, chunk_count FROM rag.documents";
    assert_eq!(cluster.query_lines(rows).await, ["book/b.md|1"]);
}

#[tokio::test]
async fn embeddings_of_another_model_or_dimension_are_refused() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "embeddings of another model or dimension are refused") {
        return;
    }
    let sources = Sources::with([("a.md", "# A\n")]);
    let book = sources.book();
    cluster.execute("SELECT passage.create_store('three', dimensions => 3)").await;
    cluster.execute("SELECT passage.create_store('text')").await;
    cluster
        .execute("INSERT INTO rag.settings (key, value) VALUES ('model', '\"other@0123\"')")
        .await;
    let next = next_transaction(&cluster).await;

    let name = "Name the store's model with --model";
    let model = "not of sentence-transformers/all-MiniLM-L6-v2 (384 dimensions)";
    for command in cases([["ingest", &*book], ["search", "anything"]]) {
        let other = run_client(&cluster, command).await;
        other.assert_refusal(
            &format!("\"rag\" holds embeddings of other@0123 (384 dimensions), {model}"),
            name,
        );
        let three = run_client(&cluster, [&command[..], &["--store", "three"]].concat()).await;
        three.assert_refusal("\"three\" holds embeddings of an unknown model (3 dimensions)", name);
    }
    for command in cases([&["ingest", &*book][..], &["search", "anything", "--mode", "hybrid"]]) {
        let text = run_client(&cluster, [command, &["--store", "text"]].concat()).await;
        text.assert_refusal("store \"text\" has no embeddings", "use --no-embed");
    }
    assert_eq!(next_transaction(&cluster).await, next);
    let init = run_client(&cluster, ["init", "--store", "three"]).await;
    init.assert_refusal("store \"three\" has dimensions 3, not 384", "store");
    let dimensions = "SELECT value FROM three.settings WHERE key = 'dimensions'";
    assert_eq!(cluster.query_text(dimensions).await, "3");
}

#[tokio::test]
async fn init_with_embeddings_on_a_server_without_pgvector_names_no_embed() {
    let cluster = Cluster::bare().await;
    if cluster.has_vector() {
        let what = "init names --no-embed on a server without pgvector";
        cluster.installation().report_skipped(what, "pgvector is installed");
        return;
    }
    let run = run_client(&cluster, ["init"]).await;
    run.assert_refusal(
        "extension \"vector\" is not available",
        "create a store without embeddings: --no-embed",
    );
    let extensions = "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'";
    assert_eq!(cluster.query_lines(extensions).await, [""; 0]);
}
