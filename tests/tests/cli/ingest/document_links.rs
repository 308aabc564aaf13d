//! The links between documents, written by the client, and what they lead to.

use crate::{Sources, assert_sound, ingest_text, run_client, text_cluster};

/// The links of a store: the documents, the text and the target, with the section of the chunk.
const LINKS: &str = "SELECT l.from_uri, l.kind, l.text, l.to_uri, c.section \
    FROM STORE.documents AS d, passage.links(document_id => d.id, store => 'STORE') AS l \
    LEFT JOIN STORE.chunks AS c ON c.id = to_chunk ORDER BY l.from_uri, l.text, l.to_uri";

fn links(store: &str) -> String {
    LINKS.replace("STORE", store)
}

fn sources() -> Sources {
    Sources::with([
        (
            "guide/start.md",
            "# Start\n\nSee [rotation](../logs.md#rotate-a-file), [[api]] and [none](none.md).\n",
        ),
        ("logs.md", "# Logs\n\nText.\n\n## Rotate a file\n\nMore.\n"),
        ("api.rst", "API\n===\n\n:doc:`the start <guide/start>`, :ref:`Setup`\n"),
        ("guide/setup.rst", "Intro\n=====\n\nText.\n\n.. _setup:\n\nSet up\n======\n\nMore.\n"),
        ("page.html", "<main><h1>Page</h1><p>See <a href='logs.html'>the logs</a>.</p></main>"),
        ("src/app/main.py", "from .store import Store\n\n\ndef main():\n    Store()\n"),
        ("src/app/store.py", "class Store:\n    def open(self):\n        pass\n"),
        (
            "src/cmd/main.go",
            "package main\n\nimport \"example.org/o/r/src/pkg\"\n\nfunc main() { pkg.Run() }\n",
        ),
        ("src/pkg/run.go", "package pkg\n\nfunc Run() {}\n"),
    ])
}

const EXPECTED: [&str; 8] = [
    "book/api.rst|reference|Setup|book/guide/setup.rst|{\"Set up\"}",
    "book/api.rst|link|the start|book/guide/start.md|{Start}",
    "book/guide/start.md|wiki|api|book/api.rst|{API}",
    "book/guide/start.md|link|none|book/guide/none.md|",
    "book/guide/start.md|link|rotation|book/logs.md|{Logs,\"Rotate a file\"}",
    "book/page.html|link|the logs|book/logs.md|{Logs}",
    "book/src/app/main.py|import|Store|book/src/app/store.py|{Store}",
    "book/src/cmd/main.go|import|example.org/o/r/src/pkg/|book/src/pkg/run.go|{}",
];

#[tokio::test]
async fn links_lead_to_documents_and_sections_of_all_kinds() {
    let cluster = text_cluster().await;
    let files = sources();
    let run =
        ingest_text(&cluster, &["--min-size", "1", "--preferred-size", "20", &files.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_lines(&links("rag")).await, EXPECTED);
    let dead = "SELECT problem FROM passage.check_store(data => true)";
    let problem = "links to documents or sections that the store lacks: 1";
    assert_eq!(cluster.query_lines(dead).await, [problem]);
    assert_sound(&cluster).await;
    // A label is not a link.
    let split = |path| {
        [
            "split".into(),
            format!("{}/{path}", files.book()),
            "--json".into(),
            "--sizer=characters".into(),
        ]
    };
    let shown = run_client(&cluster, split("api.rst")).await.stdout;
    assert!(shown.contains(r#""kind":"reference","target":"","section":"setup""#), "{shown}");
    let shown = run_client(&cluster, split("guide/setup.rst")).await.stdout;
    assert!(shown.contains("Set up") && !shown.contains("links"), "{shown}");

    // The same document from another version of the splitters: only its links differ.
    let stored = cluster.query_lines("SELECT * FROM rag.links ORDER BY 1, 2").await;
    cluster.execute("DELETE FROM rag.links; UPDATE rag.documents SET content_hash = '\\x00'").await;
    ingest_text(&cluster, &["--min-size", "1", "--preferred-size", "20", &files.book()]).await;
    assert_eq!(cluster.query_lines("SELECT * FROM rag.links ORDER BY 1, 2").await, stored);

    // Exported chunks, and a store that is split again.
    let lines = run_client(&cluster, ["export"]).await.stdout;
    cluster.execute("SELECT passage.create_store('copy')").await;
    let exported = Sources::with([("lines.jsonl", lines)]);
    let arguments = ["ingest", "--no-embed", "--jsonl", "chunks", "--store", "copy"];
    let path = format!("{}/lines.jsonl", exported.book());
    let run = run_client(&cluster, arguments.iter().chain([&&*path])).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_lines(&links("copy")).await, EXPECTED);
    let run = run_client(&cluster, ["reindex", "--no-embed", "--max-size", "50"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(cluster.query_lines(&links("rag")).await, EXPECTED);
}
