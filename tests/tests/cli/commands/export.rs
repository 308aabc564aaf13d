//! `export` and `ingest --jsonl`: what one writes, the other takes back unchanged.

use crate::*;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use serde_json::{Value, json};
use std::io::Write;

/// Documents of every family of media types, empty ones, and characters that JSON, terminals or COPY treat specially.
fn sources() -> Vec<(&'static str, String)> {
    let odd = "\u{1}\u{7f}\u{85}\u{2028}\u{feff}\u{202e}\u{fdd0}\u{10ffff}e\u{301}\u{200d}👩‍👩‍👧\\\"\\N\t\r\n";
    vec![
        ("a.md", "# A\n\ntext\n\n## B\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".repeat(40)),
        ("page.html", "<title>T</title><main><h1>Fish</h1><p>See <a href=x.html>it</a>.</p></main>".into()),
        ("n.ipynb", r##"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# N"]}]}"##.into()),
        ("code.py", "import os\n\nclass A:\n    def b(self):\n        return os\n\n".repeat(60)),
        ("api/code.rs", "use std::fmt;\n\nfn main() {}\n".repeat(60)),
        ("data.json", json!({"list": (0..300).map(|n| json!({"n": n})).collect::<Vec<_>>()}).to_string()),
        ("data.csv", "a,b\n".to_owned() + &"1,\"2\n3\"\n".repeat(300)),
        ("data.yaml", "a:\n  - b: 1\n".into()),
        ("data.toml", "[a]\nb = 1\n".into()),
        ("data.xml", "<a><b>c</b></a>".into()),
        ("doc.rst", "Title\n=====\n\ntext\n".into()),
        ("q.sql", "SELECT 1;\n".repeat(200)),
        ("odd.txt", odd.repeat(50)),
        ("crlf.md", "# C\r\n\r\nx\r\n".repeat(50)),
        ("blank.md", "\n \r\n".into()),
        ("empty.md", String::new()),
        ("empty.py", String::new()),
    ]
}

async fn export(cluster: &Cluster, arguments: &[&str]) -> String {
    let output = run_client(cluster, ["export"].iter().chain(arguments)).await;
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    output.stdout
}

/// Ingests lines into a store, and returns the output of the run.
async fn ingest_lines(cluster: &Cluster, lines: &str, arguments: &[&str]) -> RunOutput {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines.as_bytes()).unwrap();
    let path = file.path().to_str().unwrap();
    run_client(cluster, ["ingest", path, "--no-embed"].iter().chain(arguments)).await
}

/// Fails with the first line that differs.
#[track_caller]
fn assert_same(before: &str, after: &str) {
    for (number, (before, after)) in before.lines().zip(after.lines()).enumerate() {
        assert_eq!(before, after, "line {}", number + 1);
    }
    assert_eq!(before.len(), after.len());
}

/// All values of a store that an export has.
const ROWS: &str = "SELECT d.id, collection, version, uri, title, media_type, source_media_type, d.metadata, chunk_count, c.id, ordinal, \
    level, section, kind, unit, content, preamble, tokens, start_byte, end_byte, first_line, last_line, c.metadata \
    FROM STORE.documents AS d LEFT JOIN STORE.chunks AS c ON c.document_id = d.id ORDER BY collection, version, uri, ordinal";

#[tokio::test]
async fn an_export_of_chunks_is_ingested_into_the_same_rows() {
    let cluster = text_cluster().await;
    let files = Sources::with(sources());
    for collection in cases([
        &[] as &[&str],
        &["--collection", "it's", "--version", "1.0"],
        &[
            "--collection",
            "b",
            "--metadata",
            r#"{"a": [1.5, null, {"ü": "\u2028"}], "n": 18446744073709551615}"#,
        ],
    ]) {
        let run =
            run_client(&cluster, ["ingest", "--no-embed", &files.book()].iter().chain(collection))
                .await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    // Ids, metadata and missing values that only SQL writes.
    cluster
        .execute(
            "INSERT INTO rag.documents (id, uri, media_type) VALUES ('11111111-2222-4333-8444-555555555555', 'sql/own.md', 'Text/Markdown');
             INSERT INTO rag.chunks (document_id, ordinal, content, metadata) VALUES
                ('11111111-2222-4333-8444-555555555555', 3, 'a', '{\"key\": {\"deep\": [1]}, \"imports\": [\"os\"]}'),
                ('11111111-2222-4333-8444-555555555555', 7, 'b', '{\"imports\": 3}')",
        )
        .await;
    let lines = export(&cluster, &[]).await;
    assert_eq!(lines, export(&cluster, &["--jsonl", "chunks"]).await);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(lines.contains("\"uri\":\"book/empty.md\",\"title\":\"empty.md\",\"media_type\":\"text/markdown\",\"chunks\":0"), "{lines}");

    cluster.execute("SELECT passage.create_store('copy')").await;
    let run = ingest_lines(&cluster, &lines, &["--jsonl", "chunks", "--store", "copy"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_same(&lines, &export(&cluster, &["--store", "copy"]).await);
    let client_rows = format!(
        "SELECT * FROM ({}) AS rows WHERE uri <> 'sql/own.md'",
        ROWS.replace("STORE", "rag")
    );
    let rows = cluster.query_lines(&client_rows).await;
    assert_eq!(rows, cluster.query_lines(&client_rows.replace("rag.", "copy.")).await);
    assert!(rows.len() > 200, "{}", rows.len());

    // A second run changes nothing, and neither does one into the store itself.
    let again = ingest_lines(&cluster, &lines, &["--jsonl", "chunks", "--store", "copy"]).await;
    assert!(again.stdout.starts_with("0 documents added, 52 unchanged"), "{}", again.stdout);
    ingest_lines(&cluster, &lines, &["--jsonl", "chunks"]).await;
    assert_same(&lines, &export(&cluster, &[]).await);
    assert_eq!(rows, cluster.query_lines(&client_rows).await);
}

#[tokio::test]
async fn an_export_of_documents_is_ingested_into_the_same_documents_and_chunks() {
    let cluster = text_cluster().await;
    let files = Sources::with(sources());
    for collection in cases([
        &[] as &[&str],
        &["--collection", "b", "--version", "2", "--kind", "api-reference", "--metadata", "a=b"],
    ]) {
        run_client(&cluster, ["ingest", "--no-embed", &files.book()].iter().chain(collection))
            .await;
    }
    let lines = export(&cluster, &["--jsonl", "documents"]).await;
    assert_eq!(lines.lines().count(), 2 * sources().len());
    cluster.execute("SELECT passage.create_store('copy')").await;
    let run = ingest_lines(&cluster, &lines, &["--jsonl", "documents", "--store", "copy"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_same(&lines, &export(&cluster, &["--jsonl", "documents", "--store", "copy"]).await);
    let rows = cluster.query_lines(&ROWS.replace("STORE", "rag")).await;
    assert_eq!(rows, cluster.query_lines(&ROWS.replace("STORE", "copy")).await);
}

#[tokio::test]
async fn embeddings_are_exported_and_ingested_without_a_model() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "an export of embeddings") {
        return;
    }
    let files = Sources::with(sources());
    let run = run_client(&cluster, ["ingest", &files.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = export(&cluster, &[]).await;
    assert!(lines.contains("\"model\":\"sentence-transformers/all-MiniLM-L6-v2\",\"embedding\":["));

    for (store, embedding_type) in
        cases([("copy", "vector"), ("half", "halfvec"), ("bits", "binary")])
    {
        cluster.execute(&format!("SELECT passage.create_store('{store}', dimensions => 384, embedding_type => '{embedding_type}')")).await;
        let arguments = ["--jsonl", "chunks", "--store", store, "--model", "/nowhere"];
        let run = ingest_lines(&cluster, &lines, &arguments).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    assert_same(&lines, &export(&cluster, &["--store", "copy"]).await);
    let rows = "SELECT chunk_id, document_id, embedding FROM rag.embeddings ORDER BY 1";
    assert_eq!(
        cluster.query_lines(rows).await,
        cluster.query_lines(&rows.replace("rag.", "copy.")).await
    );
    let halves = export(&cluster, &["--store", "half"]).await;
    let run = ingest_lines(&cluster, &halves, &["--jsonl", "chunks", "--store", "half"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_same(&halves, &export(&cluster, &["--store", "half"]).await);
    assert_same(&halves, &export(&cluster, &["--store", "bits"]).await);
    let found =
        run_client(&cluster, ["search", "--store", "copy", "--mode", "vector", "fish"]).await;
    assert!(found.stdout.contains("Fish"), "{}{}", found.stdout, found.stderr);

    // A changed embedding replaces the stored one. Another model is refused.
    let mut line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let first = json!({"uri": line["uri"], "id": line["id"], "content": "x", "embedding": vec![0.5; 384], "model": line["model"]});
    let run =
        ingest_lines(&cluster, &first.to_string(), &["--jsonl", "chunks", "--store", "copy"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stored = format!(
        "SELECT content || (embedding::real[])[1] FROM copy.embeddings JOIN copy.chunks ON id = chunk_id WHERE id = '{}'",
        line["id"].as_str().unwrap()
    );
    assert_eq!(cluster.query_text(&stored).await, "x0.5");
    line["model"] = json!("ada");
    let other =
        ingest_lines(&cluster, &line.to_string(), &["--jsonl", "chunks", "--store", "copy"]).await;
    other.assert_refusal(
        "store \"copy\" holds embeddings of sentence-transformers/all-MiniLM-L6-v2",
        "--model",
    );
    cluster.execute("SELECT passage.create_store('bare')").await;
    let none = ingest_lines(&cluster, &lines, &["--jsonl", "chunks", "--store", "bare"]).await;
    none.assert_refusal("store \"bare\" has no embeddings", "passage init --store bare");
}

#[tokio::test]
async fn a_large_document_is_exported_and_ingested_unchanged() {
    let cluster = text_cluster().await;
    let line = "A line of a large document with a few words, 漢字 and \"quotes\".\n";
    let files = Sources::with([("large.md", line.repeat(20_000_000 / line.len()))]);
    ingest_text(&cluster, &[&files.book()]).await;
    cluster.execute("SELECT passage.create_store('copy')").await;
    for content in cases(["chunks", "documents"]) {
        let lines = export(&cluster, &["--jsonl", content]).await;
        let run = ingest_lines(&cluster, &lines, &["--jsonl", content, "--store", "copy"]).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_same(&lines, &export(&cluster, &["--jsonl", content, "--store", "copy"]).await);
    }
}

#[tokio::test]
async fn an_export_shows_one_moment_and_only_the_requested_documents() {
    let cluster = text_cluster().await;
    let files = Sources::with([("a.md", "a"), ("b.md", "b")]);
    for collection in cases(["one", "two"]) {
        run_client(&cluster, ["ingest", "--no-embed", "--collection", collection, &files.book()])
            .await;
    }
    cluster.execute("UPDATE rag.documents SET orphaned_at = now() WHERE uri = 'book/b.md' AND collection = 'two'").await;
    let uris = async |arguments: &[&str]| {
        let lines = export(&cluster, arguments).await;
        let uri = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            format!("{}/{}", line["collection"].as_str().unwrap(), line["uri"].as_str().unwrap())
        };
        lines.lines().map(uri).collect::<Vec<_>>()
    };
    assert_eq!(uris(&[]).await, ["one/book/a.md", "one/book/b.md", "two/book/a.md"]);
    assert_eq!(uris(&["--collection", "two"]).await, ["two/book/a.md"]);
    assert_eq!(uris(&["--collection", "two", "--include-orphaned"]).await.len(), 2);
    assert_eq!(uris(&["--version", "9"]).await, [""; 0]);

    // Lines of other collections than that of the run are refused.
    let lines = export(&cluster, &[]).await;
    let refused =
        ingest_lines(&cluster, &lines, &["--jsonl", "chunks", "--collection", "one"]).await;
    refused.assert_refusal(":3: \"collection\" must be that of this run", "passage ingest --help");
}

/// The id of a chunk.
const CHUNK: &str = "0b3f4a70-9d0e-4d6c-a1c2-3d4e5f607182";

/// Returns a line with a short chunk, and changes of it.
fn line(uri: &str, changes: Value) -> String {
    let mut line = json!({"uri": uri, "content": "c"});
    let Value::Object(changes) = changes else { panic!("{changes} is not an object") };
    line.as_object_mut().unwrap().extend(changes);
    line.to_string()
}

#[tokio::test]
async fn invalid_ids_and_embeddings_are_refused_with_their_line() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("embeddings in JSON lines") {
        return;
    }
    let vector = vec![0.25; 384];
    let huge = format!(
        r#"{{"uri": "x", "content": "c", "embedding": [{}]}}"#,
        "1,".repeat(49_999_999) + "1"
    );
    for (lines, message) in cases([
        (line("x", json!({"id": "x"})), ":1: \"id\" must be a uuid"),
        (line("x", json!({"id": 7})), ":1: \"id\" must be a string"),
        (
            line("x", json!({"embedding": vector})),
            ":1: \"embedding\" requires \"model\", or the option --model-name",
        ),
        (
            line("x", json!({"embedding": [1, 2, 3], "model": "m"})),
            ":1: \"embedding\" must have 384 dimensions, not 3",
        ),
        (
            line("x", json!({"embedding": [], "model": "m"})),
            ":1: \"embedding\" must have 384 dimensions, not 0",
        ),
        (
            line("x", json!({"embedding": "[1]", "model": "m"})),
            ":1: \"embedding\" must be an array of numbers",
        ),
        (
            line("x", json!({"embedding": vec!["NaN"; 384], "model": "m"})),
            ":1: \"embedding\" must be an array of finite numbers of 4 bytes",
        ),
        (
            line("x", json!({"embedding": vec![1e300; 384], "model": "m"})),
            ":1: \"embedding\" must be an array of finite numbers",
        ),
        (
            line("x", json!({"embedding": vector, "model": " "})),
            ":1: \"model\" must be the name of a model",
        ),
        (r#"{"uri": "x", "content": "c", "embedding": [NaN]}"#.into(), ":1: invalid JSON"),
        (r#"{"uri": "x", "content": "c", "embedding": [1e999]}"#.into(), ":1: invalid JSON"),
        (
            format!(
                r#"{{"uri": "x", "content": "c", "embedding": {}1{}}}"#,
                "[".repeat(100_000),
                "]".repeat(100_000)
            ),
            ":1: ",
        ),
        (huge, ":1: a line must have at most 1000000 values"),
        (
            format!("{}\n{}", line("x", json!({"id": CHUNK})), line("x", json!({"id": CHUNK}))),
            ":2: \"id\" must differ",
        ),
        (
            format!("{}\n{}", line("x", json!({"id": CHUNK})), line("x", json!({}))),
            ":2: \"id\" must be present in all",
        ),
        (
            format!("{}\n{}", json!({"uri": "x", "chunks": 0}), line("x", json!({}))),
            ":2: a document with \"chunks\": 0",
        ),
        (line("x", json!({"chunks": 2})), ":1: \"chunks\" must be 0"),
        (line("x", json!({"document_id": "x"})), ":1: \"document_id\" must be a uuid"),
    ]) {
        let output = ingest_lines(&cluster, &lines, &["--jsonl", "chunks"]).await;
        output.assert_refusal(message, "passage ingest --help");
    }
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "0");
}

#[tokio::test]
async fn ids_of_other_documents_are_refused() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("embeddings in JSON lines") {
        return;
    }
    let id = CHUNK;
    // In the same run, and in the store.
    let run = ingest_lines(
        &cluster,
        &format!("{}\n{}", line("good", json!({"id": id})), line("second", json!({"id": id}))),
        &["--jsonl", "chunks"],
    )
    .await;
    run.assert_refusal(
        &format!("the chunk id {id} belongs to another document"),
        "leave out the ids",
    );
    assert_eq!(cluster.query_text("SELECT count(*) FROM rag.documents").await, "1");
    let third =
        ingest_lines(&cluster, &line("third", json!({"id": id})), &["--jsonl", "chunks"]).await;
    third.assert_refusal(
        &format!(":1: the chunk id {id} belongs to another document"),
        "leave out the ids",
    );
    let document = cluster.query_text("SELECT id FROM rag.documents").await;
    let taken = ingest_lines(
        &cluster,
        &line("fourth", json!({"document_id": document})),
        &["--jsonl", "chunks"],
    )
    .await;
    taken.assert_refusal(
        &format!("the document id {document} belongs to another document"),
        "Remove the other",
    );
}

#[tokio::test]
async fn a_changed_document_with_given_ids_keeps_unchanged_rows() {
    let cluster = text_cluster().await;
    let ids = [
        "0b3f4a70-9d0e-4d6c-a1c2-3d4e5f607181",
        "0b3f4a70-9d0e-4d6c-a1c2-3d4e5f607182",
        "0b3f4a70-9d0e-4d6c-a1c2-3d4e5f607183",
    ];
    let lines = |contents: &[(usize, &str)]| {
        let line = |(id, content): &(usize, &str)| {
            json!({"uri": "a", "id": ids[*id], "content": content}).to_string() + "\n"
        };
        contents.iter().map(line).collect::<String>()
    };
    let rows = "SELECT ordinal, id, content FROM rag.chunks ORDER BY 1";
    ingest_lines(&cluster, &lines(&[(0, "zero"), (1, "one")]), &["--jsonl", "chunks"]).await;
    let kept = cluster
        .query_text(&format!("SELECT ctid::text || xmin FROM rag.chunks WHERE id = '{}'", ids[0]))
        .await;
    let run = ingest_lines(
        &cluster,
        &lines(&[(0, "zero"), (2, "two"), (1, "changed")]),
        &["--jsonl", "chunks"],
    )
    .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = [(0, "zero"), (2, "two"), (1, "changed")].iter().enumerate();
    let expected: Vec<_> =
        expected.map(|(at, (id, content))| format!("{at}|{}|{content}", ids[*id])).collect();
    assert_eq!(cluster.query_lines(rows).await, expected);
    assert_eq!(
        cluster
            .query_text(&format!(
                "SELECT ctid::text || xmin FROM rag.chunks WHERE id = '{}'",
                ids[0]
            ))
            .await,
        kept
    );
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn an_export_fails_for_a_full_disk_a_missing_store_and_an_unknown_model_but_not_for_a_closed_pipe()
 {
    let cluster = text_cluster().await;
    let files = Sources::with([("a.md", "# A\n\ntext\n".repeat(20_000))]);
    ingest_text(&cluster, &[&files.book()]).await;
    let missing = run_client(&cluster, ["export", "--store", "none"]).await;
    missing.assert_refusal("store \"none\" does not exist", "passage init --store none");

    let full = cluster
        .client_program()
        .arg("export")
        .stdout(fs::File::create("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .await
        .unwrap();
    let stderr = String::from_utf8(full.stderr).unwrap();
    assert_eq!(full.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.starts_with("error: cannot write to standard output: ")
            && stderr.contains("incomplete"),
        "{stderr}"
    );

    let mut child = cluster
        .client_program()
        .arg("export")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let closed = child.wait_with_output().await.unwrap();
    assert_eq!(
        (closed.status.code(), String::from_utf8(closed.stderr).unwrap()),
        (Some(0), String::new())
    );
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "CREATE EXTENSION IF NOT EXISTS vector").await;
        cluster
            .execute("CREATE TABLE t (id int PRIMARY KEY, body text, vec vector(3));
                INSERT INTO t VALUES (1, 'a', '[1,2,3]'); SELECT passage.adopt('t', 'app', document => 'id', content => 'body', embedding => 'vec')")
            .await;
        let unknown = run_client(&cluster, ["export", "--store", "app"]).await;
        unknown.assert_refusal(
            "the model of the embeddings in store \"app\" is unknown",
            "--model-name",
        );
        let told = export(&cluster, &["--store", "app", "--model-name", "ada"]).await;
        assert!(told.contains("\"model\":\"ada\",\"embedding\":[1,2,3]}"), "{told}");
    }
}

#[tokio::test]
async fn embed_prints_the_vector_of_a_query_that_sql_compares() {
    let cluster = Cluster::start().await;
    if lacks_embedding(&cluster, "the vector of a query") {
        return;
    }
    let files = Sources::with([
        ("a.md", "# Tea\n\nA kettle boils water.\n"),
        ("b.md", "# Cars\n\nWheels turn.\n"),
    ]);
    run_client(&cluster, ["ingest", &files.book()]).await;
    let mut command = cluster.client_program();
    command.env_remove("DATABASE_URL").env_remove("PGHOST");
    let text = RunOutput::of(command.args(["embed", "--query", "hot drinks"])).await;
    assert_eq!(text.code, Some(0), "{}", text.stderr);
    let vector = text.stdout.trim_end();
    let nearest = format!(
        "SELECT content FROM rag.embeddings JOIN rag.chunks ON id = chunk_id ORDER BY embedding <=> '{vector}'::vector LIMIT 1"
    );
    assert!(cluster.query_text(&nearest).await.contains("kettle"));
    let norm = format!("SELECT round(vector_norm('{vector}')::numeric, 4)");
    assert_eq!(cluster.query_text(&norm).await, "1.0000");
    let json = run_client(&cluster, ["embed", "--query", "hot drinks", "--json"]).await;
    assert!(json.stdout.contains(vector), "{}", json.stdout);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["model"], &json["dimensions"]),
        (&json!("sentence-transformers/all-MiniLM-L6-v2"), &json!(384))
    );

    // The stored embedding is that of the preamble, a line feed and the content.
    let stored =
        "SELECT preamble || E'\\n' || content FROM rag.chunks WHERE content LIKE '%kettle%'";
    let text = cluster.query_text(stored).await;
    let same = run_client(&cluster, ["embed", "--query", &text]).await;
    let distance = format!(
        "SELECT round((embedding <=> '{}')::numeric, 5) FROM rag.embeddings JOIN rag.chunks ON id = chunk_id WHERE content LIKE '%kettle%'",
        same.stdout.trim_end()
    );
    assert_eq!(cluster.query_text(&distance).await, "0.00000");
    let empty = run_client(&cluster, ["embed", "--query", " "]).await;
    empty.assert_refusal("--query must not be empty", "after --query");
}
