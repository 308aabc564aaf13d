//! Sources of ingest beside files and folders: patterns, archives and JSON lines, and the filters that
//! exclude documents.

use crate::{
    Sources, assert_sound, ingest_text, run_client, run_with_input, text_cluster, text_of,
};
use passage_tests::{Cluster, fixture};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::path::Path;

const URIS: &str = "SELECT uri FROM rag.documents ORDER BY uri COLLATE \"C\"";

/// Returns all stored columns of documents and chunks except times.
async fn rows(cluster: &Cluster, store: &str) -> Vec<String> {
    let sql = format!(
        "SELECT to_jsonb(documents) - 'ingested_at' || \
         jsonb_build_object('chunks', (SELECT jsonb_agg(to_jsonb(chunks) ORDER BY ordinal) \
         FROM {store}.chunks WHERE document_id = documents.id)) FROM {store}.documents ORDER BY uri"
    );
    cluster.query_lines(&sql).await
}

async fn other_store(cluster: &Cluster, name: &str) {
    cluster.execute(&format!("SELECT passage.create_store('{name}')")).await;
}

/// The documents of the fixture `garden` with their names.
fn garden() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> =
        ["soil.md", "bees.md", "tools/blades.md", "watering.txt"]
            .into_iter()
            .map(|name| (name.to_owned(), read(&format!("{}/{name}", fixture!("client/garden")))))
            .collect();
    let html = "<meta charset=utf-8><title>T</title><main><h1>Caf\u{e9}</h1><p>One.</main>";
    files.push(("page.html".into(), html.into()));
    files.push(("data.json".into(), json!({"a": {"b": [1, 2, "drei"]}}).to_string()));
    files.push(("list.csv".into(), "a,b\n1,2\n".into()));
    files
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_document_is_the_same_from_a_file_and_from_a_json_line() {
    let cluster = text_cluster().await;
    let sources = Sources::with(garden().iter().map(|(name, text)| (&**name, &**text)));
    ingest_text(&cluster, &[&sources.book(), "--sizer", "characters"]).await;

    other_store(&cluster, "lines").await;
    let line = |(name, text)| json!({"uri": format!("book/{name}"), "text": text}).to_string();
    let lines = garden().into_iter().map(line).collect::<Vec<_>>().join("\n");
    let options = ["ingest", "-", "--no-embed", "--jsonl", "documents", "--store", "lines"];
    let summary = run_with_input(&cluster, &lines, &options).await;
    assert!(summary.starts_with("7 documents added"), "{summary}");
    let (files, lines) = (rows(&cluster, "rag").await, rows(&cluster, "lines").await);
    assert_eq!(files.len(), 7);
    assert_eq!(lines, files);
}

#[tokio::test]
async fn metadata_of_a_line_override_those_of_the_command() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let lines = [
        json!({"uri": "a", "text": "<h1>\u{e9}</h1>", "media_type": "text/html", "title": "Own",
               "metadata": {"a": 1, "b": 2}, "kind": "api-reference"}),
        json!({"uri": "b", "text": "b"}),
        json!({"uri": "c"}),
        json!({"uri": "d", "text": "d\0"}),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    let path = sources.write("x.jsonl", lines);
    let options =
        ["--jsonl", "documents", "--title", "All", "--metadata", "a=0", "--metadata", "c=3"];
    let run = ingest_text(&cluster, &[&options[..], &[&*path]].concat()).await;
    run.assert_refusal("x.jsonl:3: \"text\" is missing", "one JSON object per line");
    run.assert_refusal("x.jsonl:4 contains a NUL byte: line 1, byte 1", "Convert it");
    let sql = "SELECT uri, title, media_type, kind, documents.metadata, content FROM rag.documents \
        JOIN rag.chunks ON document_id = documents.id ORDER BY uri";
    assert_eq!(
        cluster.query_lines(sql).await,
        [
            "a|Own|text/markdown|api-reference|{\"a\": 1, \"b\": 2, \"c\": \"3\"}|# \u{e9}\n",
            "b|All|text/plain|prose|{\"a\": \"0\", \"c\": \"3\"}|b",
        ]
    );
}

#[tokio::test]
async fn ready_chunks_are_stored_unchanged() {
    let cluster = text_cluster().await;
    let garden = fixture!("client/garden");
    let soil = format!("{garden}/soil.md");
    let options = ["--sizer", "characters", "--uri", "soil.md"];
    ingest_text(&cluster, &[&[&*soil], &options[..]].concat()).await;

    other_store(&cluster, "ready").await;
    let split =
        run_client(&cluster, ["split", &soil, "--json", "--sizer", "characters"]).await.stdout;
    let title = cluster.query_text("SELECT title FROM rag.documents").await;
    let ready = |line| {
        let mut chunk: Value = serde_json::from_str(line).unwrap();
        chunk["uri"] = "soil.md".into();
        chunk["title"] = title.clone().into();
        chunk.to_string()
    };
    let chunks = split.lines().map(ready).collect::<Vec<_>>().join("\n");
    let options = ["ingest", "-", "--no-embed", "--jsonl", "chunks", "--store", "ready"];
    run_with_input(&cluster, &chunks, &options).await;
    let without_hash = |rows: Vec<String>| -> Vec<Value> {
        let row = |row: String| {
            let mut row: Value = serde_json::from_str(&row).unwrap();
            row["content_hash"].take();
            row
        };
        rows.into_iter().map(row).collect()
    };
    let ready = without_hash(rows(&cluster, "ready").await);
    assert_eq!(ready, without_hash(rows(&cluster, "rag").await));
    let again = run_with_input(&cluster, &chunks, &options).await;
    assert!(again.starts_with("0 documents added, 1 unchanged"), "{again}");

    // Chunks without a known source have no spans, and the next edit keeps the unchanged ones.
    let line =
        |content: &str| json!({"uri": "x", "content": content, "section": ["X"]}).to_string();
    let two = format!("{}\n{}\n", line("One."), line("Two."));
    run_with_input(&cluster, &two, &options).await;
    let spans = "SELECT content, level, start_byte, first_line, tokens FROM ready.chunks \
        JOIN ready.documents ON documents.id = document_id WHERE uri = 'x' ORDER BY ordinal";
    assert_eq!(cluster.query_lines(spans).await, ["One.|1|||1", "Two.|1|||1"]);
    let edited = run_with_input(&cluster, &format!("{}\n{two}", line("Zero.")), &options).await;
    assert!(edited.starts_with("0 documents added, 1 replaced; 3 chunks"), "{edited}");
    assert_sound(&cluster).await;
}

/// Returns archives of the garden, with their names.
fn archives() -> [(&'static str, Vec<u8>); 3] {
    let mut tar = tar::Builder::new(Vec::new());
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in garden() {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, &name, text.as_bytes()).unwrap();
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let tar = tar.into_inner().unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&tar).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    [("garden.tar", tar), ("garden.tar.gz", gzip.finish().unwrap()), ("garden.zip", zip)]
}

#[tokio::test]
async fn each_member_of_an_archive_is_a_document() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    for (name, bytes) in archives() {
        let path = sources.write(name, bytes);
        let run = ingest_text(&cluster, &[&path, "--exclude", "*.csv"]).await;
        assert!(run.stdout.starts_with("6 documents added"), "{}{}", run.stdout, run.stderr);
        for (member, text) in garden() {
            if member != "list.csv" && member != "page.html" {
                let uri = format!("{name}/{member}");
                assert_eq!(text_of(&cluster, &uri).await, text, "{uri}");
            }
        }
    }
    let [_, (_, gzip), (_, zip)] = archives();
    let path = sources.write("cut.tar.gz", &gzip[..gzip.len() / 2]);
    ingest_text(&cluster, &[&path])
        .await
        .assert_refusal("cut.tar.gz: ", "Download or pack the archive again");
    let path = sources.write("cut.zip", &zip[..zip.len() / 2]);
    ingest_text(&cluster, &[&path])
        .await
        .assert_refusal("cannot read", "Download or pack the archive again");
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn an_archive_can_be_read_from_standard_input() {
    let cluster = text_cluster().await;
    let sources = Sources::new();
    let [_, (name, bytes), _] = archives();
    let path = sources.write(name, bytes);
    let mut program = cluster.client_program();
    program.args(["ingest", "-", "--no-embed", "--uri", "https://example.org/g.tar.gz"]);
    let output = program.stdin(std::fs::File::open(path).unwrap()).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let uris = cluster.query_lines(URIS).await;
    assert_eq!(uris[0], "https://example.org/g.tar.gz/bees.md");
    assert_eq!(uris.len(), 7);
}

#[tokio::test]
async fn patterns_select_files_and_filters_exclude_some() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", "a"),
        ("b.txt", "b"),
        ("part/c.md", "c"),
        ("part/drafts/d.md", "d"),
        ("part/test_e.py", "e = 1"),
    ]);
    let run = async |arguments: &[&str]| {
        cluster.execute("TRUNCATE rag.documents CASCADE").await;
        let mut program = cluster.client_program();
        program.current_dir(Path::new(&sources.book()).parent().unwrap());
        let run =
            crate::RunOutput::of(program.args(["ingest", "--no-embed"]).args(arguments)).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        cluster.query_lines(URIS).await.join(" ")
    };
    assert_eq!(run(&["book/**/*.md"]).await, "book/a.md book/part/c.md book/part/drafts/d.md");
    assert_eq!(run(&["./book/*.{md,txt}"]).await, "book/a.md book/b.txt");
    assert_eq!(run(&["book/*"]).await, "book/a.md book/b.txt");
    assert_eq!(
        run(&["book", "--include", "*.md", "--exclude", "drafts/"]).await,
        "book/a.md book/part/c.md"
    );
    assert_eq!(
        run(&["book", "--include", "/part/", "--exclude", "test_*", "--exclude", "d.md"]).await,
        "book/part/c.md"
    );
    let none = ingest_text(&cluster, &["no/such/*.md"]).await;
    none.assert_refusal(
        "no files match the pattern \"no/such/*.md\"",
        "** matches any number of folders",
    );
    let wrong = ingest_text(&cluster, &["book/[a", "--include", "b"]).await;
    wrong.assert_refusal("\"book/[a\" is not a valid pattern: ", "'docs/**/*.md'");
    let wrong = ingest_text(&cluster, &["book", "--exclude", "[a"]).await;
    wrong.assert_refusal("\"[a\" is not a valid pattern: ", "'docs/**/*.md'");
}
