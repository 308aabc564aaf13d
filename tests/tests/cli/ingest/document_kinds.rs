//! Documents of every kind, how they are stored, and files whose content does not match their name.

use crate::{RunOutput, Sources, assert_sound, ingest_text, run_client, text_cluster, text_of};
use passage_tests::Cluster;
use passage_tests::cluster::client_path;
use std::os::unix::fs::symlink;
use tokio::process::Command;

const PAGE: &str = "<!doctype html><title>Fish</title><nav>Home</nav><main><h1>Fish</h1>\
    <p>See <a href=\"birds.html\">birds</a>.</p><script>never()</script></main>";

async fn metadata(cluster: &Cluster, uri: &str) -> String {
    cluster.query_text(&format!("SELECT metadata FROM rag.documents WHERE uri = '{uri}'")).await
}

#[tokio::test]
async fn html_and_notebooks_are_stored_as_markdown_with_their_source_media_type() {
    let cluster = text_cluster().await;
    let latin = "<meta charset=iso-8859-1><h1>Caf\u{e9}</h1><p>x</p>".chars();
    let sources = Sources::with([
        ("sea/fish.html", PAGE.into()),
        ("latin.htm", latin.map(|char| char as u8).collect()),
        (
            "n.ipynb",
            br##"{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Notes"]},
            {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "1 + 1",
             "outputs": [{"output_type": "stream", "name": "stdout", "text": "left out"}]}]}"##
                .to_vec(),
        ),
    ]);
    let base = ["--base-url", "https://example.org/docs"];
    let run = ingest_text(&cluster, &[base[0], base[1], &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    let rows = "SELECT uri, title, media_type, source_media_type FROM rag.documents ORDER BY uri";
    let expected = [
        "book/latin.htm|Caf\u{e9}|text/markdown|text/html",
        "book/n.ipynb|Notes|text/markdown|application/x-ipynb+json",
        "book/sea/fish.html|Fish|text/markdown|text/html",
    ];
    assert_eq!(cluster.query_lines(rows).await, expected);
    let link = "# Fish\n\nSee [birds](https://example.org/docs/sea/birds.html).\n";
    assert_eq!(text_of(&cluster, "book/sea/fish.html").await, link);
    let notebook = text_of(&cluster, "book/n.ipynb").await;
    assert!(notebook.contains("1 + 1") && !notebook.contains("left out"), "{notebook}");
    assert_sound(&cluster).await;

    let again = ingest_text(&cluster, &[base[0], base[1], &sources.book()]).await;
    assert!(again.stdout.starts_with("0 documents added, 3 unchanged"), "{}", again.stdout);
}

#[tokio::test]
async fn code_is_stored_by_class_and_method_with_its_imports() {
    let cluster = text_cluster().await;
    let method = |name: &str| {
        format!(
            "  {name}(id: string) {{\n{}  }}\n",
            "    log(\"a line of some length\", id);\n".repeat(20)
        )
    };
    let source = format!(
        "import db, {{ log as write }} from './db';\n\nexport class UserService {{\n{}{}}}\n",
        method("getUser"),
        method("dropUser"),
    );
    let sources = Sources::with([("user.ts", &source)]);
    ingest_text(&cluster, &[&sources.book()]).await;
    let rows = "SELECT section, level, unit, metadata FROM rag.chunks ORDER BY ordinal";
    let expected = [
        "{}|0|module|{\"imports\": [\"db\", \"write\"]}",
        "{UserService}|1|container|{}",
        "{UserService,getUser}|2|member|{}",
        // It ends with the closing bracket of the class.
        "{UserService,dropUser}|1|member|{}",
    ];
    assert_eq!(cluster.query_lines(rows).await, expected);
    let line = "SELECT count(*) FROM rag.chunks WHERE unit = 'member' AND preamble LIKE '%export class UserService {'";
    assert_eq!(cluster.query_text(line).await, "2");
    let kinds = "SELECT DISTINCT kind, media_type FROM rag.chunks JOIN rag.documents d ON d.id = document_id";
    assert_eq!(cluster.query_lines(kinds).await, ["code|text/x-typescript"]);

    // Metadata that somebody added to a chunk stays when the document changes.
    cluster.execute(r#"UPDATE rag.chunks SET metadata = metadata || '{"mine": 1}'"#).await;
    sources.write("user.ts", format!("{source}\nconst later = 1;\n"));
    ingest_text(&cluster, &[&sources.book()]).await;
    let kept = "SELECT metadata FROM rag.chunks ORDER BY ordinal LIMIT 1";
    let expected = r#"{"mine": 1, "imports": ["db", "write"]}"#;
    assert_eq!(cluster.query_text(kept).await, expected);
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn data_with_a_syntax_error_is_marked_and_keeps_its_sections() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("good.json", "{\"a\": 1}\n"),
        ("bad.json", "{\"a\": 1,\n \"b\": ]\n"),
        ("bad.toml", "a = 1\nb\n"),
        ("prose.json", "Some words.\nAnd more.\n"),
    ]);
    let metadata_of = ["--metadata", "{\"team\": \"x\"}"];
    let run = ingest_text(&cluster, &[metadata_of[0], metadata_of[1], &sources.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(metadata(&cluster, "book/good.json").await, r#"{"team": "x"}"#);
    let bad = metadata(&cluster, "book/bad.json").await;
    assert_eq!(bad, r#"{"team": "x", "syntax_error": {"line": 2, "column": 7}}"#);
    let bad = metadata(&cluster, "book/bad.toml").await;
    assert!(bad.contains(r#""line": 2"#), "{bad}");
    let levels = "SELECT uri, section, level FROM rag.chunks JOIN rag.documents d ON d.id = document_id ORDER BY uri";
    let expected = [
        "book/bad.json|{root}|1",
        "book/bad.toml|{root}|1",
        "book/good.json|{root}|1",
        "book/prose.json|{}|0",
    ];
    assert_eq!(cluster.query_lines(levels).await, expected);
}

#[tokio::test]
async fn kind_and_overlap_options_apply_and_content_stays_the_source() {
    let cluster = text_cluster().await;
    let text = "Some words that fill a paragraph up to a certain length. ".repeat(60);
    let sources = Sources::with([("api/a.txt", text.as_str()), ("b.txt", text.as_str())]);
    ingest_text(&cluster, &["--overlap", "40", &sources.book()]).await;
    assert_eq!(text_of(&cluster, "book/b.txt").await, text);
    let rows = "SELECT DISTINCT uri, kind FROM rag.chunks JOIN rag.documents d ON d.id = document_id ORDER BY uri";
    assert_eq!(
        cluster.query_lines(rows).await,
        ["book/api/a.txt|api-reference", "book/b.txt|prose"]
    );
    let repeated =
        "SELECT DISTINCT preamble FROM rag.chunks WHERE ordinal > 0 AND preamble NOT LIKE 'b.txt%'";
    let preambles = cluster.query_lines(repeated).await;
    assert!(preambles.iter().all(|line| line.ends_with("certain length.")), "{preambles:?}");

    run_client(&cluster, ["reindex", "--overlap", "0", "--drop-former"]).await;
    ingest_text(&cluster, &["--kind", "data", &sources.book()]).await;
    assert_eq!(cluster.query_lines("SELECT DISTINCT kind FROM rag.chunks").await, ["data"]);
    let first = "SELECT DISTINCT preamble FROM rag.chunks ORDER BY 1";
    assert_eq!(cluster.query_lines(first).await, ["a.txt", "b.txt"]);
}

#[tokio::test]
async fn failures_are_listed_below_the_summary_and_cyclic_links_end() {
    let cluster = text_cluster().await;
    let sources = Sources::with([
        ("a.md", &b"# A\n"[..]),
        ("b.md", b"\xff\n"),
        ("c.ipynb", b"{\"cells\": 1}\n"),
    ]);
    symlink(sources.book(), format!("{}/circle", sources.book())).unwrap();
    let run = ingest_text(&cluster, &[&sources.book()]).await;
    run.assert_refusal(
        "book/c.ipynb is not a Jupyter notebook: line 1",
        "--media-type application/json",
    );
    assert!(run.stdout.starts_with("1 document added, 2 failed; 1 chunk,"), "{}", run.stdout);
    let listed: Vec<&str> = run.stdout.lines().skip(1).collect();
    assert!(listed.len() == 2, "{}", run.stdout);
    assert!(run.stdout.contains("  failed: "), "{}", run.stdout);
    assert!(run.stdout.contains("b.md is not UTF-8: line 1, byte 0"), "{}", run.stdout);
}

#[tokio::test]
async fn split_reports_the_line_of_a_syntax_error() {
    let sources = Sources::new();
    let path = sources.write("a.json", "[1, 2\n");
    let mut command = Command::new(client_path());
    let run = RunOutput::of(command.args(["split", "--sizer", "characters", &path])).await;
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.starts_with("split as plain text: invalid "), "{}", run.stderr);
}

#[tokio::test]
async fn an_unknown_kind_is_refused_with_the_valid_ones() {
    let cluster = text_cluster().await;
    let run = run_client(&cluster, ["ingest", "--kind", "poem", "a.md"]).await;
    run.assert_refusal("'poem'", "prose, code, api-reference, data");
}
