//! `passage ingest`: folders, files, standard input, and their metadata.

use crate::{
    Sources, assert_sound, ingest_text, lacks_embedding, run_with_input, text_cluster, text_of,
};
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use passage_tests::{Cluster, fixture};

const URIS: &str = "SELECT uri FROM rag.documents ORDER BY uri COLLATE \"C\"";

#[tokio::test]
async fn a_folder_is_loaded_without_files_that_git_ignores() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        (".gitignore", "drafts/\n*.log\n!kept.log\n"),
        (".ignore", "private.md\n"),
        ("a.md", "# A\n\nOne.\n"),
        ("part/b.txt", "Two.\n"),
        ("part/.gitignore", "c.*\n"),
        ("part/c.md", "# Ignored\n"),
        ("kept.log", "Three.\n"),
        ("old.log", "ignored\n"),
        ("drafts/d.md", "# Ignored\n"),
        ("private.md", "# Ignored\n"),
        (".hidden.md", "# Hidden\n"),
        ("photo.jpg", "\u{fffd}"),
    ]);

    let run = ingest_text(&cluster, &[&sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.starts_with("3 documents added, 1 skipped; 3 chunks, 0 embedded, in "));
    assert!(run.stderr.contains("photo.jpg: not text"), "{}", run.stderr);
    assert_eq!(cluster.query_lines(URIS).await, ["book/a.md", "book/kept.log", "book/part/b.txt"]);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn the_uri_of_a_named_file_is_its_path_or_the_given_uri() {
    let cluster = text_cluster().await;
    let sources = Sources::with([(".gitignore", "*\n"), ("a.md", "# A\n\nOne.\n")]);
    let path = sources.write("b.md", "Two, without a title.\n");

    // A file that is named is loaded even if a pattern ignores it.
    ingest_text(&cluster, &[&path]).await;
    ingest_text(&cluster, &[&path, "--uri", "https://example.org/b", "--title", "B"]).await;
    let mut program = cluster.client_program();
    let here = program.current_dir(sources.book()).args(["ingest", "--no-embed", "./a.md"]);
    assert!(here.status().await.unwrap().success());

    let rows = "SELECT uri, title, media_type FROM rag.documents ORDER BY uri <> 'a.md', title";
    assert_eq!(
        cluster.query_lines(rows).await,
        [
            "a.md|A|text/markdown".to_owned(),
            // A URL gives neither media type nor title.
            "https://example.org/b|B|text/plain".to_owned(),
            format!("{path}|b.md|text/markdown"),
        ]
    );
}

#[tokio::test]
async fn standard_input_is_loaded_with_the_given_uri() {
    let cluster = text_cluster().await;
    let text = "# Piped\r\n\r\nThrough a pipe.";
    let arguments = ["ingest", "-", "--uri", "pipe.md", "--no-embed"];
    assert!(
        run_with_input(&cluster, text, &arguments).await.starts_with("1 document added; 1 chunk")
    );
    assert_eq!(text_of(&cluster, "pipe.md").await, text);
    assert!(run_with_input(&cluster, text, &arguments).await.contains("1 unchanged"));
}

#[tokio::test]
async fn equal_uris_of_different_collections_and_versions_are_different_documents() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    for (version, text) in cases([("1", "# One\n"), ("2", "# Two\n")]) {
        sources.write("a.md", text);
        let metadata = format!("{{\"since\": {version}}}");
        let options =
            ["--collection", "lib", "--version", version, "--metadata", &metadata, &sources.book()];
        assert_eq!(ingest_text(&cluster, &options).await.code, Some(0));
    }
    let rows = "SELECT collection, version, uri, documents.metadata, content FROM rag.documents \
        JOIN rag.chunks ON document_id = documents.id ORDER BY version";
    let [one, two] = &cluster.query_lines(rows).await[..] else { panic!("two documents") };
    assert_eq!(one, "lib|1|book/a.md|{\"since\": 1}|# One\n");
    assert_eq!(two, "lib|2|book/a.md|{\"since\": 2}|# Two\n");
}

#[tokio::test]
async fn every_chunk_is_embedded_and_the_settings_name_the_model() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "every chunk is embedded") {
        return;
    }
    cluster.passage(["ingest", fixture!("client/garden")]).await;
    let counts = "SELECT count(*) >= 10, count(embedding) = count(*), min(vector_dims(embedding)), \
        min(vector_norm(embedding)) > 0.999, max(vector_norm(embedding)) < 1.001 \
        FROM rag.chunks LEFT JOIN rag.embeddings ON chunk_id = id";
    assert_eq!(cluster.query_lines(counts).await, ["t|t|384|t|t"]);

    let settings = "SELECT key, value #>> '{}' FROM rag.settings \
        WHERE key IN ('model', 'dimensions', 'sizer') ORDER BY key";
    assert_eq!(
        cluster.query_lines(settings).await,
        ["dimensions|384", "model|sentence-transformers/all-MiniLM-L6-v2", "sizer|wordpieces"]
    );
    assert_eq!(cluster.query_text("SELECT max(tokens) <= 200 FROM rag.chunks").await, "t");
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn text_is_loaded_on_a_server_without_pgvector() {
    // A database without the extension `vector` is the same to the client.
    let cluster = Cluster::bare().await;
    cluster.passage(["init", "--no-embed"]).await;
    cluster.passage(["ingest", "--no-embed", fixture!("client/garden")]).await;
    let vector = "SELECT count(*) FROM pg_extension WHERE extname = 'vector'";
    assert_eq!(cluster.query_text(vector).await, "0");
    for file in ["soil.md", "bees.md", "tools/blades.md", "watering.txt"] {
        let text = std::fs::read_to_string(format!("{}/{file}", fixture!("client/garden")));
        assert_eq!(text_of(&cluster, &format!("garden/{file}")).await, text.unwrap());
    }
    let passages = "SELECT count(*) FROM passage.reassemble(ARRAY(SELECT id FROM rag.chunks), \
        NULL, 'document', output => '{\"max_distance\": \"document\"}')";
    assert_eq!(cluster.query_text(passages).await, "4");
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn a_role_with_privileges_on_the_tables_may_ingest_into_a_store_of_another_role() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", "# A\n")]);
    cluster
        .execute_as(SUPERUSER, "CREATE ROLE writer LOGIN; GRANT USAGE ON SCHEMA rag TO writer")
        .await;
    cluster
        .execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA rag TO writer")
        .await;
    for _ in 0..2 {
        let mut program = cluster.client_program();
        program.args(["ingest", "--no-embed", &sources.book()]);
        let output = program.env("DATABASE_URL", cluster.url_as("writer")).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        sources.write("a.md", "# A\n\nMore.\n");
    }
    assert_eq!(text_of(&cluster, "book/a.md").await, "# A\n\nMore.\n");
}
